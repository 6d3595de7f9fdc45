import { type SummaryRequest, summaryRequest } from '../compaction/request.js';
import { asksForDiagnosis } from '../../../packages/normalizer/models/betas.js';
import type { Provider } from '../../../packages/normalizer/models/profiles.js';
import { modelInForce } from '../prompt/granted-by-commands.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import type { ModelOptions } from '../../../packages/protocol/message/model-options.js';
import { optionsInForce } from '../state/options-in-force.js';
import type { RequestPrefix } from '../../../packages/protocol/events/events.js';
import type { SessionState } from '../state/state.js';
import { offeredByServer } from '../state/tool-calls.js';
import { path } from '../state/tree.js';
import type { PayloadInput } from '../../../packages/normalizer/build-payload.js';
import { contextEntries } from './conversation.js';
import type { RequestTool, ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import type { NormalizeGates } from '../../../packages/protocol/gates.js';

export interface PayloadSettings {
  readonly gates: NormalizeGates;
  /** Upper bound; the maximum of the model applies too. */
  readonly maxTokens: number;
  /** Default: the current model of the session. */
  readonly model?: string;
  /** Newest message of the branch; default: the current branch. Null: an empty branch. */
  readonly head?: string | null;
  /** The request is for a summary instead of an answer. */
  readonly summary?: SummaryRequest;
  /** Absent: derived from the model id. */
  readonly provider?: Provider | undefined;
  /** Values of the `anthropic-beta` header of the request. */
  readonly betas?: readonly string[];
}

/** The input of a session's next request. */
export function payloadInput(
  state: SessionState,
  { gates, maxTokens, model = modelInForce(state), head = state.head, summary, provider, betas = [] }: PayloadSettings,
): PayloadInput {
  const { system, context, systemContext } = state.settings;
  const tools = [...offeredByServer(state).map(requestTool), ...state.settings.tools];
  const messages = summary
    ? summaryRequest(
        path(state, head).map((record) => record.message),
        summary,
      )
    : contextEntries(state, head);
  const diagnosis = asksForDiagnosis(betas) ? { previousMessageId: lastAnswer(messages) } : {};
  return {
    messages,
    signedPrefixes: signedPrefixes(messages, state),
    system,
    context,
    systemContext,
    tools,
    gates,
    model,
    maxTokens,
    options: summary ? forSummary(optionsInForce(state)) : optionsInForce(state),
    ...(provider ? { provider } : {}),
    ...diagnosis,
  };
}

const requestTool = ({ name, description, input_schema, type }: ToolDefinition): RequestTool => ({
  name,
  description,
  input_schema,
  ...(type === undefined ? {} : { type }),
});

/** The tools are kept: they precede everything the provider has in its cache, and so does the way to think. */
function forSummary({ stop_sequences: _, ...options }: ModelOptions): ModelOptions {
  return { ...options, tool_choice: { type: 'none' } };
}

/** The provider's id of the last answer; null when there is none. */
function lastAnswer(messages: readonly Message[]): string | null {
  const last = messages.findLast(
    (message) => message.type === 'assistant' && message.requestId !== undefined && !message.isVirtual && !message.isApiErrorMessage,
  );
  return last?.type === 'assistant' ? last.message.id : null;
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
