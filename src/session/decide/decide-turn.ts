import { decideCompactionHooks, decideNothingToCompact, decideSummary, decideSummaryFailure, isForSummary, interruptCompaction } from './decide-compaction.js';
import { compactionRequestOf } from '../compaction/should-compact.js';
import { unreachable } from '../../../packages/protocol/errors.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import type { ApiError, ModelMessage } from '../../../packages/protocol/message/message.js';
import { expireCalls, resumeForHelper } from './answer-calls.js';
import { appendMessages } from './append-messages.js';
import type { TurnCommand } from '../state/commands.js';
import { waitForCalls, offerTools, hookEvents, recordDecisions, recordOutcome, startCall } from './decide-calls.js';
import { endTurn, failTurn, finishInterrupt } from './end-turn.js';
import type { Failure, NewEvent } from '../../../packages/protocol/events/events.js';
import { recordAnswer } from './record-answer.js';
import { stateChanged, turnOver } from './domain-errors.js';
import type { SessionState, Turn } from '../state/state.js';
import { hasOpenCalls } from '../state/tool-calls.js';
import { path } from '../state/tree.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';

/**
 * Decides a worker's report. A worker that was paused or disconnected may report late: when the turn or the request has moved on, the report is rejected without
 * effect.
 */
export function decideTurn(command: TurnCommand, state: SessionState): readonly NewEvent[] {
  const turn = state.turn;
  if (!turn || turn.turnId !== command.turnId) throw turnOver();
  if (command.type === 'ExpireCalls') return expireCalls(command, state, turn);
  if (command.type === 'ResumeForHelper') return resumeForHelper(command, turn);
  if (turn.status !== 'running') throw turnOver();
  switch (command.type) {
    case 'OfferTools':
      return offerTools(command, state);
    case 'RecordDecisions':
      return recordDecisions(command, state, turn);
    case 'StartCall':
      return startCall(command, turn);
    case 'RecordOutcome':
      return recordOutcome(command, state, turn);
    case 'WaitForCalls':
      return waitForCalls(turn);
    case 'FinishTurn':
      return finish(command, state, turn);
    case 'PrepareTurn':
      return prepare(command, state, turn);
    case 'StartShell':
      return startShell(command, turn);
    case 'RecordWorkspace':
      return [{ type: 'workspace.changed', data: { turnId: command.turnId, ...command.change } }];
    case 'AddContext':
      requireSendable(state, turn);
      return appendMessages(state, command.messages, turn);
    case 'SendRequest':
      requireSendable(state, turn);
      if (command.request.at !== state.version) throw stateChanged();
      return [{ type: 'request.sent', data: command.request }];
    case 'RecordAnswer':
      if (openRequest(state, turn) !== command.requestId) throw turnOver();
      return recordAnswer(command, state, turn);
    case 'RecordRequestFailure':
      if (openRequest(state, turn) !== command.requestId) throw turnOver();
      return isForSummary(state, command.requestId) ? decideSummaryFailure(command, state, turn) : recordFailure(command, state, turn);
    case 'RecordSummary':
      if (openRequest(state, turn) !== command.requestId) throw turnOver();
      return decideSummary(command, state, turn);
    case 'RecordCompactionHooks':
      if (openRequest(state, turn)) throw turnOver();
      return decideCompactionHooks(command, state, turn);
    case 'CompleteNothingToCompact':
      return decideNothingToCompact(command, state, turn);
    case 'FinishInterrupt':
      if (!turn.interruptRequested) throw turnOver();
      return compactionRequestOf(state, turn) ? interruptCompaction(state, turn, command.durationMs) : finishInterrupt(state, turn, command);
    case 'FailTurn':
      return [...appendMessages(state, [apiError(command.uuid, command.at, command.error)], turn), ...failTurn(state, turn, command.error)];
    default:
      return unreachable(command);
  }
}

function prepare(command: Extract<TurnCommand, { type: 'PrepareTurn' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  if (turn.prepared) throw turnOver();
  // The output of a shell command that has run is kept; any other preparation is dropped.
  if (turn.interruptRequested && !turn.ranShell) throw stateChanged();
  const { turnId, checkpoints, callsModel, failure } = command;
  const events: NewEvent[] = command.hookRuns.map((run) => ({ type: 'hook.completed', data: { ...run, turnId } }));
  events.push(...appendMessages(state, command.messages, turn), { type: 'turn.prepared', data: { turnId, callsModel, checkpoints } });
  if (failure) events.push(...endTurn(state, { type: 'turn.failed', data: { turnId, error: failure } }));
  else if (!callsModel && !turn.interruptRequested) events.push(...endTurn(state, { type: 'turn.completed', data: { turnId, stopReason: 'not_sent' } }));
  return events;
}

/** The turn's next step is a request. */
function requireSendable(state: SessionState, turn: Turn): void {
  if (!turn.prepared || openRequest(state, turn)) throw turnOver();
  if (turn.interruptRequested || hasOpenCalls(turn)) throw stateChanged();
}

function startShell({ turnId, name, input }: Extract<TurnCommand, { type: 'StartShell' }>, turn: Turn): readonly NewEvent[] {
  if (turn.prepared) throw turnOver();
  if (turn.ranShell) return [];
  if (turn.interruptRequested) throw stateChanged();
  return [{ type: 'tool.started', data: { turnId, toolUseId: turn.promptId, name, input } }];
}

/** Ends a turn after its last answer, unless a Stop hook continues it. */
function finish(command: Extract<TurnCommand, { type: 'FinishTurn' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const stopReason = turn.endReason === null ? turn.finalStopReason : 'stopped_by_hook';
  if (stopReason === null) throw turnOver();
  if (turn.interruptRequested) throw stateChanged();
  const { turnId } = turn;
  const events = [...hookEvents(command.hookRuns, turn), ...appendMessages(state, command.messages, turn)];
  return command.continues ? events : [...events, ...endTurn(state, { type: 'turn.completed', data: { turnId, stopReason } })];
}

function recordFailure(command: Extract<TurnCommand, { type: 'RecordRequestFailure' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const { requestId, error, durationMs, partial, at, seed } = command;
  const rejected = command.rejected.filter((part) => !isRecorded(state, part.error));
  // Rejected files and blocks are omitted and the request retried once, unless one is part of the turn's own prompt: then the turn fails.
  const isFinal = command.rejected.length > 0 && (rejected.length === 0 || rejected.some(({ message }) => isPromptOf(state, turn, message)));
  const retryAt = isFinal ? null : command.retryAt;
  const drafts: Draft[] = [];
  // Readers keep the partial answer that was streamed; the model must not read it as its own.
  if (partial && partial.content.length > 0) {
    drafts.push({
      type: 'assistant',
      uuid: deriveId(seed, 'partial-answer'),
      timestamp: at,
      message: { ...partial, stop_reason: null },
      requestId,
      isVirtual: true,
    });
  }
  rejected.forEach((part, index) =>
    drafts.push(rejectionRecord(deriveId(seed, index === 0 ? 'failure' : `failure ${index}`), at, requestId, error, part.error)),
  );
  if (rejected.length === 0 && !retryAt) drafts.push(apiError(deriveId(seed, 'failure'), at, error));
  const events: NewEvent[] = [
    ...appendMessages(state, drafts, turn),
    { type: 'request.failed', data: { requestId, turnId: turn.turnId, error, durationMs, retryAt } },
  ];
  return retryAt ? events : [...events, ...failTurn(state, turn, error)];
}

function apiError(uuid: string, at: string, error: Failure): Draft {
  return { type: 'system', uuid, timestamp: at, subtype: 'api_error', level: 'error', content: error.message };
}

/** A rejection in the shape of an answer, for readers. Normalization omits the rejected block and this record. */
function rejectionRecord(uuid: string, at: string, requestId: string, error: Failure, rejected: ApiError): Draft {
  const message: ModelMessage = { id: requestId, role: 'assistant', model: '<synthetic>', content: [{ type: 'text', text: error.message }], stop_reason: null };
  return { type: 'assistant', uuid, timestamp: at, message, requestId, isApiErrorMessage: true, apiError: rejected };
}

/** Whether the block was already omitted, so that omitting it again cannot help. A kind of file can be rejected repeatedly, each time for another file. */
function isRecorded(state: SessionState, rejected: ApiError): boolean {
  if (typeof rejected === 'string') return false;
  return path(state).some(({ message }) => {
    const known = message.type === 'assistant' ? message.apiError : null;
    return (
      typeof known === 'object' && known !== null && known.blockUuid === rejected.blockUuid && known.index === rejected.index && known.inner === rejected.inner
    );
  });
}

function isPromptOf(state: SessionState, turn: Turn, uuid: string): boolean {
  return uuid === state.prompts.get(turn.promptId)?.submission.uuid;
}

/** Id of the turn's request that has no answer and no failure yet; null when there is none. */
export function openRequest(state: SessionState, turn: Turn): string | null {
  const last = turn.requestIds.at(-1);
  return last !== undefined && state.requests.get(last)?.status === 'open' ? last : null;
}
