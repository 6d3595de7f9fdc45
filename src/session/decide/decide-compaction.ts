import { deriveId } from '../../../packages/protocol/message/ids.js';
import { cacheDiagnosticsIn, inputTransformationsIn } from '../../../packages/protocol/message/api-reports.js';
import type { ModelMessage } from '../../../packages/protocol/message/message.js';
import { appendMessages } from './append-messages.js';
import type { TurnCommand } from '../state/commands.js';
import { endTurn, failTurn } from './end-turn.js';
import type { Failure, NewEvent } from '../../../packages/protocol/events/events.js';
import type { RequestRecord, SessionState, Turn } from '../state/state.js';
import { path } from '../state/tree.js';
import { compactionRequestOf, isNeeded, PROMPT_TOO_LONG } from '../compaction/should-compact.js';
import { REFUSAL } from '../state/stop-reasons.js';
import { summaryIds, summaryIn, summaryMessages } from '../compaction/summary.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';

type Of<T extends TurnCommand['type']> = Extract<TurnCommand, { type: T }>;

/** Results of PreCompact hooks for an automatic compaction. */
export function decideCompactionHooks({ runs, blocked, at, uuid }: Of<'RecordCompactionHooks'>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const events: NewEvent[] = runs.map((run) => ({ type: 'hook.completed', data: { ...run, turnId: turn.turnId } }));
  if (blocked === null) return events;
  const warning: Draft = { type: 'system', uuid, timestamp: at, subtype: 'hook_blocked', level: 'warning', content: blockedText(blocked) };
  events.push(...appendMessages(state, [warning], turn));
  return isNeeded(state, turn) ? [...events, ...failTurn(state, turn, tooLong(state, turn))] : events;
}

export const blockedText = (reason: string): string => `A hook blocked the compaction: ${reason}`;

const REFUSED =
  'The model declined to summarize the conversation (stop reason: refusal). Rewind to a point before what it may decline, or continue in a new session.';

/** The answer to a request for a summary. Without a usable summary the conversation stays unchanged. */
export function decideSummary(command: Of<'RecordSummary'>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const { requestId, message, at } = command;
  const { turnId } = turn;
  const sent = state.requests.get(requestId)?.sent.compaction;
  if (!sent) throw new Error(`request ${requestId} is not a request for a summary`);
  const usage = message.usage ?? {};
  const events: NewEvent[] = [
    {
      type: 'request.completed',
      data: {
        ...{ requestId, turnId, providerRequestId: command.providerRequestId, stopReason: message.stop_reason, usage, durationMs: command.durationMs },
        ...inputTransformationsIn(message),
        ...cacheDiagnosticsIn(message),
      },
    },
  ];
  const summary = summaryIn(message);
  if (summary === null && command.isRepeated && message.stop_reason === REFUSAL) return events;
  if (summary === null) return [...events, ...abandon(state, turn, noSummary(message), deriveId(command.compactionId, 'notice'), at)];
  const { compactionId } = command;
  const { boundary, summary: summaryUuid } = summaryIds(compactionId);
  const branch = path(state).map((record) => record.message);
  events.push(...appendMessages(state, summaryMessages(summary, sent, branch, { compactionId, at }), turn));
  const { keptFrom, trigger, instructions, omitted, preTokens } = sent;
  events.push({
    type: 'session.compacted',
    data: {
      ...{ compactionId, turnId, requestId, boundary, summary: summaryUuid, keptFrom, trigger, instructions, omitted, preTokens },
      summaryTokens: usage.output_tokens ?? null,
    },
  });
  return trigger === 'auto' ? events : [...events, ...endTurn(state, { type: 'turn.completed', data: { turnId, stopReason: 'compacted' } })];
}

/** A failed request for a summary. The conversation stays unchanged; whether the turn continues depends on whether it needs the compaction. */
export function decideSummaryFailure(command: Of<'RecordRequestFailure'>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const { requestId, error, durationMs, retryAt, at, seed } = command;
  const events: NewEvent[] = [{ type: 'request.failed', data: { requestId, turnId: turn.turnId, error, durationMs, retryAt } }];
  return retryAt === null ? [...events, ...abandon(state, turn, error, deriveId(seed, 'failure'), at)] : events;
}

/** There was nothing to summarize when the compaction's turn ran. */
export function decideNothingToCompact({ uuid, at }: Of<'CompleteNothingToCompact'>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const notice: Draft = { type: 'system', uuid, timestamp: at, subtype: 'informational', level: 'info', content: NOTHING_TO_COMPACT };
  const { turnId } = turn;
  return [...appendMessages(state, [notice], turn), ...endTurn(state, { type: 'turn.completed', data: { turnId, stopReason: 'nothing_to_compact' } })];
}

export const NOTHING_TO_COMPACT = 'There is nothing to compact: a compaction would keep all turns of the conversation.';

/** An interrupted compaction adds no messages. */
export function interruptCompaction(state: SessionState, turn: Turn, durationMs: number): readonly NewEvent[] {
  const { turnId } = turn;
  const open = turn.requestIds.filter((id) => state.requests.get(id)?.status === 'open');
  const error = { code: 'interrupted', message: 'The compaction was interrupted.' };
  return [
    ...open.map((requestId): NewEvent => ({ type: 'request.failed', data: { requestId, turnId, error, durationMs, retryAt: null } })),
    ...endTurn(state, { type: 'turn.interrupted', data: { turnId } }),
  ];
}

export function isForSummary(state: SessionState, requestId: string): boolean {
  return state.requests.get(requestId)?.sent.compaction !== undefined;
}

function abandon(state: SessionState, turn: Turn, error: Failure, uuid: string, at: string): readonly NewEvent[] {
  const isRequested = compactionRequestOf(state, turn) !== null;
  const content = `The conversation was not compacted: ${error.message}`;
  const draft: Draft = {
    type: 'system',
    uuid,
    timestamp: at,
    ...(isRequested ? { subtype: 'api_error', level: 'error' } : { subtype: 'informational', level: 'warning' }),
    content,
  };
  const events = appendMessages(state, [draft], turn);
  if (isRequested) return [...events, ...failTurn(state, turn, error)];
  return isNeeded(state, turn) ? [...events, ...failTurn(state, turn, tooLong(state, turn))] : events;
}

/** The provider's error for the request that was too long. */
function tooLong(state: SessionState, { requestIds }: Turn): Failure {
  const failed = requestIds.map((id) => state.requests.get(id)).findLast((record): record is RequestRecord => record?.error?.code === PROMPT_TOO_LONG);
  return failed?.error ?? { code: PROMPT_TOO_LONG, message: 'The conversation exceeds the context window of the model.' };
}

function noSummary({ stop_reason, content }: ModelMessage): Failure {
  if (stop_reason === REFUSAL) return { code: 'compaction_failed', message: REFUSED };
  const found = content.some(({ type }) => type === 'text') ? 'an incomplete summary' : 'no summary';
  return { code: 'compaction_failed', message: `The model returned ${found} (stop reason: ${stop_reason ?? 'none'}).` };
}
