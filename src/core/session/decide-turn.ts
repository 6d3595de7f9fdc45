import { Refusal, unreachable } from '../errors.js';
import type { ContentBlock, ToolUseBlock } from '../message/content.js';
import { userMessage } from '../message/factory.js';
import type { ApiError, ModelMessage } from '../message/message.js';
import { appendMessages } from './append-messages.js';
import type { Draft, TurnCommand } from './commands.js';
import { endTurn, settleInterrupt } from './end-turn.js';
import type { Failure, NewEvent } from './events.js';
import type { SessionState, Turn } from './state.js';
import { callsIn } from './tool-calls.js';
import { path } from './tree.js';

/** Stop reasons after which the model is asked again. */
const CONTINUES: readonly (string | null)[] = ['tool_use', 'pause_turn'];

/**
 * What follows from a worker's report. A worker that was paused, cut off or overtaken may report late: the turn, or the request, is then no longer the
 * one it knows, and the report is refused without effect.
 */
export function decideTurn(command: TurnCommand, state: SessionState): readonly NewEvent[] {
  const turn = state.turn;
  if (!turn || turn.turnId !== command.turnId || turn.status !== 'running') throw turnOver();
  switch (command.type) {
    case 'PrepareTurn':
      return prepare(command, state, turn);
    case 'SendRequest':
      if (!turn.prepared || openRequest(state, turn)) throw turnOver();
      if (turn.interruptRequested || command.request.at !== state.version) throw lookAgain();
      return [{ type: 'request.sent', data: command.request }];
    case 'RecordAnswer':
      if (openRequest(state, turn) !== command.requestId) throw turnOver();
      return recordAnswer(command, state, turn);
    case 'RecordRequestFailure':
      if (openRequest(state, turn) !== command.requestId) throw turnOver();
      return recordFailure(command, state, turn);
    case 'SettleInterrupt':
      if (!turn.interruptRequested) throw turnOver();
      return settleInterrupt(state, turn, command);
    case 'FailTurn':
      return [...appendMessages(state, [apiError(command.uuid, command.at, command.error)], turn), ...failTurn(state, turn, command.error)];
    default:
      return unreachable(command);
  }
}

function prepare(command: Extract<TurnCommand, { type: 'PrepareTurn' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  if (turn.prepared) throw turnOver();
  if (turn.interruptRequested) throw lookAgain();
  const { turnId, checkpoints, query, failure } = command;
  const events: NewEvent[] = command.hookRuns.map((run) => ({ type: 'hook.completed', data: { ...run, turnId } }));
  events.push(...appendMessages(state, command.messages, turn), { type: 'turn.prepared', data: { turnId, query, checkpoints } });
  if (failure) events.push(...endTurn(state, { type: 'turn.failed', data: { turnId, error: failure, checkpoints } }));
  else if (!query) events.push(...endTurn(state, { type: 'turn.completed', data: { turnId, stopReason: 'not_sent', checkpoints } }));
  return events;
}

function recordAnswer(command: Extract<TurnCommand, { type: 'RecordAnswer' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const { message, requestId, at } = command;
  const { turnId, checkpoints } = turn;
  const drafts: Draft[] = [{ type: 'assistant', uuid: command.uuid, timestamp: at, message, requestId }];
  const calls = message.stop_reason === 'tool_use' ? callsIn(message.content) : [];
  const ours = new Set(state.settings.tools.map((tool) => tool.name));
  const unreadable = unreadableCalls(message);
  const canRun = (call: ToolUseBlock): boolean => ours.has(call.name) && !unreadable.has(call.id);
  const closed = calls.filter((call) => !canRun(call));
  if (closed.length > 0) {
    const content = closed.map((call) => refusedCall(call, unreadable.has(call.id)));
    drafts.push(userMessage({ uuid: command.closingUuid, timestamp: at, isMeta: true, content }));
  }
  const events: NewEvent[] = [...appendMessages(state, drafts, turn)];
  events.push({
    type: 'request.completed',
    data: {
      requestId,
      turnId,
      providerRequestId: command.providerRequestId,
      stopReason: message.stop_reason,
      usage: message.usage ?? {},
      durationMs: command.durationMs,
    },
  });
  if (!CONTINUES.includes(message.stop_reason)) {
    return [...events, ...endTurn(state, { type: 'turn.completed', data: { turnId, stopReason: message.stop_reason ?? 'unknown', checkpoints } })];
  }
  const waiting = calls.filter(canRun).map((call) => call.id);
  if (waiting.length > 0 && !turn.interruptRequested) events.push({ type: 'turn.waiting', data: { turnId, toolUseIds: waiting } });
  return events;
}

function recordFailure(command: Extract<TurnCommand, { type: 'RecordRequestFailure' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const { requestId, error, durationMs, partial, at, uuids } = command;
  const refused = command.refused && !isRecorded(state, command.refused) ? command.refused : null;
  // Asking again for a refusal makes sense only once, and only while something is left to answer.
  const retryAt = command.refused && (!refused || isPromptOf(state, turn, refused)) ? null : command.retryAt;
  const drafts: Draft[] = [];
  // Readers keep what was shown of a failed answer; the model must not take it for its own.
  if (partial && partial.content.length > 0) {
    drafts.push({ type: 'assistant', uuid: uuids[0], timestamp: at, message: { ...partial, stop_reason: null }, requestId, isVirtual: true });
  }
  if (refused) drafts.push(refusalRecord(uuids[1], at, requestId, error, refused));
  else if (!retryAt) drafts.push(apiError(uuids[1], at, error));
  const events: NewEvent[] = [
    ...appendMessages(state, drafts, turn),
    { type: 'request.failed', data: { requestId, turnId: turn.turnId, error, durationMs, retryAt } },
  ];
  return retryAt ? events : [...events, ...failTurn(state, turn, error)];
}

function failTurn(state: SessionState, turn: Turn, error: Failure): readonly NewEvent[] {
  return endTurn(state, { type: 'turn.failed', data: { turnId: turn.turnId, error, checkpoints: turn.checkpoints } });
}

function apiError(uuid: string, at: string, error: Failure): Draft {
  return { type: 'system', uuid, timestamp: at, subtype: 'api_error', level: 'error', content: error.message };
}

/** In the shape of an answer, for readers; the view leaves out what it names, and the record itself. */
function refusalRecord(uuid: string, at: string, requestId: string, error: Failure, refused: ApiError): Draft {
  const message: ModelMessage = { id: requestId, role: 'assistant', model: '<synthetic>', content: [{ type: 'text', text: error.message }], stop_reason: null };
  return { type: 'assistant', uuid, timestamp: at, message, requestId, isApiErrorMessage: true, apiError: refused };
}

/** The block has been left out already, so leaving it out cannot be the remedy. A kind of file can be refused for another file each time. */
function isRecorded(state: SessionState, refused: ApiError): boolean {
  if (typeof refused === 'string') return false;
  return path(state).some(({ message }) => {
    const known = message.type === 'assistant' ? message.apiError : null;
    return typeof known === 'object' && known !== null && known.blockUuid === refused.blockUuid && known.index === refused.index;
  });
}

function isPromptOf(state: SessionState, turn: Turn, refused: ApiError): boolean {
  return typeof refused === 'object' && refused.blockUuid === state.prompts.get(turn.promptId)?.submission.uuid;
}

/** Calls whose input was no JSON: they carry an empty input, which nobody asked for, so nobody may run them. */
function unreadableCalls(message: ModelMessage): ReadonlySet<string> {
  const unparsed = message['unparsed_input'];
  return new Set(typeof unparsed === 'object' && unparsed !== null ? Object.keys(unparsed) : []);
}

function refusedCall({ id, name }: ToolUseBlock, unreadable: boolean): ContentBlock {
  const content = unreadable ? 'The input of this call was not valid JSON, so it was not run.' : `There is no tool named ${name} in this session.`;
  return { type: 'tool_result', tool_use_id: id, is_error: true, content };
}

/** The request that is out, if any: the last one of the turn, when nothing has come back yet. */
export function openRequest(state: SessionState, turn: Turn): string | null {
  const last = turn.requestIds.at(-1);
  return last !== undefined && state.requests.get(last)?.status === 'open' ? last : null;
}

function turnOver(): Refusal {
  return new Refusal('turn_over', 'The turn has moved on without this worker.');
}

/** The turn is still this worker's, but something has happened that its next step must take into account. */
function lookAgain(): Refusal {
  return new Refusal('version_conflict', 'The session has moved on since the worker looked at it.');
}
