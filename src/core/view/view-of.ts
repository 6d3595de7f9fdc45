import type { SessionState } from '../session/state.js';
import type { ApiViewInput } from './api-view.js';
import type { Gates } from './gates.js';
import { transcript } from './transcript.js';

export interface ViewSettings {
  readonly gates: Gates;
  /** Wanted; the model's own maximum is not exceeded. */
  readonly maxTokens: number;
  /** Instead of the session's own. */
  readonly model?: string;
  /** Newest message of another branch than the one in force; null for none at all. */
  readonly head?: string | null;
}

/** What a session's next request is a function of. */
export function viewOf(state: SessionState, { gates, maxTokens, model = state.settings.model, head = state.head }: ViewSettings): ApiViewInput {
  const { system, context, systemContext, tools } = state.settings;
  return { messages: transcript(state, head), system, context, systemContext, tools, gates, model, maxTokens };
}
