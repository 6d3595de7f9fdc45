import { modelInForce } from '../intake/granted-by-commands.js';
import type { Message } from '../message/message.js';
import type { Front } from '../session/events.js';
import type { SessionState } from '../session/state.js';
import type { ApiViewInput } from './api-view.js';
import type { Gates } from './gates.js';
import { transcript } from './transcript.js';

export interface ViewSettings {
  readonly gates: Gates;
  /** Wanted; the model's own maximum is not exceeded. */
  readonly maxTokens: number;
  /** Instead of the one in force. */
  readonly model?: string;
  /** Newest message of another branch than the one in force; null for none at all. */
  readonly head?: string | null;
}

/** What a session's next request is a function of. */
export function viewOf(state: SessionState, { gates, maxTokens, model = modelInForce(state), head = state.head }: ViewSettings): ApiViewInput {
  const { system, context, systemContext, tools } = state.settings;
  const messages = transcript(state, head);
  return { messages, signedBehind: signedBehind(messages, state), system, context, systemContext, tools, gates, model, maxTokens };
}

function signedBehind(messages: readonly Message[], { requests }: SessionState): Readonly<Record<string, Front>> {
  const found: Record<string, Front> = {};
  for (const message of messages) {
    if (message.type !== 'assistant' || message.requestId === undefined) continue;
    const request = requests.get(message.requestId);
    if (request) found[message.uuid] = request.front;
  }
  return found;
}
