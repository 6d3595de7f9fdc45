import { familyIn } from '../../../packages/normalizer/models/profiles.js';
import { costOf, type Prices } from '../../../packages/normalizer/models/prices.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { CallRecord, RequestRecord, SessionState } from '../../session/state/state.js';
import { scheduleView } from '../../session/state/schedule-view.js';
import { tokensOf } from '../../session/state/usage.js';
import { statusOf } from '../../session/state/tool-calls.js';
import { clientRequestSummaries } from './client-requests.js';
import type { PricedRequest, QueueView, RequestsView, RequestSummary, RewindsView, SchedulesView, ToolCallView, TurnView } from './views.js';

/** Views of the folded session. Each is a copy, independent of later events. */

export function turnView(state: SessionState, turnId: string): TurnView {
  const turn = state.turns.get(turnId);
  // The turn of a queued prompt can be read before it starts.
  const queued = turn ? undefined : state.queue.find((submission) => submission.turnId === turnId);
  if (queued) return { version: state.version, turnId, promptId: queued.promptId, status: 'queued', ...NOT_STARTED };
  if (!turn) throw new DomainError('turn_not_found', 'There is no such turn in this session.');
  const requests = turn.requestIds.flatMap((id) => {
    const record = state.requests.get(id);
    return record ? [requestSummary(record)] : [];
  });
  const { promptId, status, startedAt, endedAt, stopReason, stopDetails, error, checkpoints } = turn;
  return {
    version: state.version,
    turnId,
    promptId,
    status,
    startedAt,
    endedAt,
    stopReason,
    stopDetails,
    error,
    checkpoints,
    requests,
    toolCalls: [...turn.calls.values()].map(toolCallView),
    usage: usageOf(requests),
  };
}

export function queueView(state: SessionState): QueueView {
  return {
    version: state.version,
    data: state.queue.map((submission, index) => ({
      promptId: submission.promptId,
      turnId: submission.turnId,
      position: index + 1,
      reason: state.status === 'waiting' ? 'turn_waiting' : 'turn_running',
      mode: submission.mode,
      input: submission.original,
      submittedAt: state.prompts.get(submission.promptId)?.submittedAt ?? '',
      by: state.prompts.get(submission.promptId)?.by ?? '',
    })),
  };
}

export function rewindsView(state: SessionState): RewindsView {
  return {
    version: state.version,
    data: [...state.rewinds.values()].map(({ data: { rewindId, ...data }, at, by, restoredAt }) => ({ id: rewindId, ...data, at, by, restoredAt })),
  };
}

export function schedulesView(state: SessionState): SchedulesView {
  return { version: state.version, data: [...state.schedules.values()].map(scheduleView) };
}

/** `withContent`: with the messages of the model API's errors, which may quote what was sent. */
export function requestsView(state: SessionState, withContent: boolean, sha256: (text: string) => string, prices: Prices): RequestsView {
  const data = [...state.requests.values()].map((record) => pricedRequest(record, prices));
  const client = clientRequestSummaries(state, sha256, withContent);
  return { version: state.version, data: withContent ? data : data.map(withoutMessage), client };
}

function withoutMessage({ error, origin, ...request }: PricedRequest): PricedRequest {
  return { ...request, error: error && { ...error, message: 'Shown only to readers of the session.' }, origin: origin && { ...origin, client: null } };
}

/** With what it cost, which is no part of the state that follows from the events: prices change. */
export const pricedRequest = (record: RequestRecord, prices: Prices): PricedRequest => ({ ...requestSummary(record), cost: costInDollars(record, prices) });

function requestSummary(record: RequestRecord): RequestSummary {
  const { sent, seq, sentAt, status, stopReason, usage, error, durationMs, providerRequestId } = record;
  const { requestId, turnId, ordinal, at, model, digest, bytes, purpose = 'answer', origin = null, repair = null } = sent;
  const result = { status, sentAt, stopReason, usage, error, durationMs, providerRequestId };
  return { requestId, turnId, ordinal, purpose, seq, at, model, digest, bytes, ...result, origin, repair };
}

/** By the prices of now; null: no answer has said what was used. */
function costInDollars({ sent, usage }: RequestRecord, prices: Prices): number | null {
  return usage === null ? null : costOf(prices, familyIn(sent.profile), tokensOf(usage)) / 1e9;
}

function toolCallView(call: CallRecord): ToolCallView {
  const { deferred: _, updatedInput, input, ...rest } = call;
  const status = statusOf(call);
  const changed = updatedInput === null ? { input } : { input: updatedInput, requestedInput: input };
  return { ...rest, ...changed, status: status === 'deferred' ? 'settled' : status };
}

type Totals = TurnView['usage'];

const NO_USAGE: Totals = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 };

const NOT_STARTED = {
  startedAt: null,
  endedAt: null,
  stopReason: null,
  stopDetails: null,
  error: null,
  checkpoints: [],
  requests: [],
  toolCalls: [],
  usage: NO_USAGE,
} as const;

function usageOf(requests: readonly RequestSummary[]): Totals {
  return requests.reduce(
    (sum, { usage }) =>
      usage === null
        ? sum
        : {
            inputTokens: sum.inputTokens + (usage.input_tokens ?? 0),
            outputTokens: sum.outputTokens + (usage.output_tokens ?? 0),
            cacheReadTokens: sum.cacheReadTokens + (usage.cache_read_input_tokens ?? 0),
            cacheCreationTokens: sum.cacheCreationTokens + (usage.cache_creation_input_tokens ?? 0),
            requests: sum.requests + 1,
          },
    NO_USAGE,
  );
}
