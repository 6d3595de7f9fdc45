import { type SummaryRequest, summaryRequest } from '../compaction/request.js';
import { modelInForce } from '../prompt/granted-by-commands.js';
import type { Message } from '../message/message.js';
import type { RequestPrefix } from '../session/events.js';
import type { SessionState } from '../session/state.js';
import { offeredByServer } from '../session/tool-calls.js';
import { path } from '../session/tree.js';
import type { PayloadInput } from './build-payload.js';
import { transcript } from './conversation.js';
import type { NormalizeGates } from '../gates.js';

export interface PayloadSettings {
  readonly gates: NormalizeGates;
  /** Wanted; the model's own maximum is not exceeded. */
  readonly maxTokens: number;
  /** Instead of the one in force. */
  readonly model?: string;
  /** Newest message of another branch than the one in force; null for none at all. */
  readonly head?: string | null;
  /** For a summary in place of an answer. */
  readonly summary?: SummaryRequest;
}

/** What a session's next request is a function of. */
export function payloadInput(
  state: SessionState,
  { gates, maxTokens, model = modelInForce(state), head = state.head, summary }: PayloadSettings,
): PayloadInput {
  const { system, context, systemContext } = state.settings;
  const tools = [...offeredByServer(state).map(({ name, description, input_schema }) => ({ name, description, input_schema })), ...state.settings.tools];
  const messages = summary
    ? summaryRequest(
        path(state, head).map((record) => record.message),
        summary,
      )
    : transcript(state, head);
  // The tools stay, since they stand in front of all that the provider has in its cache.
  const toolChoice = summary && tools.length > 0 ? { toolChoice: 'none' as const } : {};
  return { messages, signedPrefixes: signedPrefixes(messages, state), system, context, systemContext, tools, gates, model, maxTokens, ...toolChoice };
}

function signedPrefixes(messages: readonly Message[], { requestPrefixes }: SessionState): Readonly<Record<string, RequestPrefix>> {
  const found: Record<string, RequestPrefix> = {};
  for (const message of messages) {
    if (message.type !== 'assistant' || message.requestId === undefined) continue;
    const front = requestPrefixes.get(message.requestId);
    if (front) found[message.uuid] = front;
  }
  return found;
}
