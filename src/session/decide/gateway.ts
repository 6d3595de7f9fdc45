import type { Draft } from '../../../packages/protocol/message/draft.js';
import { cacheDiagnosticsIn, inputTransformationsIn } from '../../../packages/protocol/message/api-reports.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { UserCommand } from '../state/commands.js';
import type { SessionState } from '../state/state.js';
import { isOnPath, path, removedBetween } from '../state/tree.js';
import { recordableAnswer } from './gateway-answer.js';
import { permissionModeAt } from './rewind.js';

/**
 * A client sends its whole conversation with every request, and the server passes it on. What is new of it is appended where it departs from what is stored: an earlier message that the client left
 * out of its history is a rewind, and a branch that it returns to is a restore.
 */
export function recordGatewayRequest(command: Extract<UserCommand, { type: 'RecordGatewayRequest' }>, state: SessionState): readonly NewEvent[] {
  const { after, messages, request, rewindId } = command;
  if (state.turn) throw new DomainError('session_busy', 'A turn of the server is running in this session; wait for its end or interrupt it.');
  if (state.status === 'closed') throw new DomainError('session_closed', 'The session is closed; reopen it first.');
  if (after !== null && !state.messages.has(after)) throw new Error(`the session has no message ${after}`);
  const isOtherModel = request.model !== '' && request.model !== state.settings.model;
  return [
    ...headMoved(state, after, rewindId),
    ...(isOtherModel ? [{ type: 'session.configured' as const, data: { changes: { model: request.model } } }] : []),
    ...appended(messages, after),
    { type: 'request.sent', data: { ...request, at: state.version } },
  ];
}

/** What came of the answer, which may be all of it, its beginning, an error, or nothing. Nothing happens when that is recorded already. */
export function recordGatewayAnswer(command: Extract<UserCommand, { type: 'RecordGatewayAnswer' }>, state: SessionState): readonly NewEvent[] {
  const { requestId, after, uuid, at, rewindId, providerRequestId, durationMs, failure } = command;
  const record = state.requests.get(requestId);
  if (record?.status !== 'open' || state.turns.has(record.sent.turnId)) return [];
  if (state.turn) throw new DomainError('session_busy', 'A turn of the server is running in this session.');
  const { turnId, model } = record.sent;
  const answer = command.answer && recordableAnswer(command.answer, { id: uuid, model });
  const events: NewEvent[] = [];
  if (answer !== null && answer.content.length > 0) {
    events.push(...headMoved(state, after, rewindId));
    events.push(...appended([{ type: 'assistant', uuid, timestamp: at, message: answer, requestId }], after));
  }
  if (answer !== null) {
    const { stop_reason: stopReason, usage = {} } = answer;
    const data = { requestId, turnId, providerRequestId, stopReason, usage, durationMs };
    events.push({ type: 'request.completed', data: { ...data, ...inputTransformationsIn(answer), ...cacheDiagnosticsIn(answer) } });
  }
  if (failure !== null) events.push({ type: 'request.failed', data: { requestId, turnId, error: failure, durationMs, retryAt: null } });
  return events;
}

function headMoved(state: SessionState, to: string | null, rewindId: string): readonly NewEvent[] {
  const { head: from } = state;
  if (to === from) return [];
  const permissionMode = permissionModeAt(state, to);
  if (to !== null && !isOnPath(state, to)) return [{ type: 'session.restored', data: { rewindId: null, from, to, permissionMode } }];
  const target = to === null ? { before: path(state)[0]!.message.uuid } : { after: to };
  return [{ type: 'session.rewound', data: { rewindId, ...target, from, to, removed: removedBetween(state, from, to), permissionMode, reason: null } }];
}

function appended(drafts: readonly Draft[], after: string | null): readonly NewEvent[] {
  let parentUuid = after;
  return drafts.map((draft) => {
    const message = { ...draft, parentUuid } as StoredMessage;
    parentUuid = draft.uuid;
    return { type: 'message.appended', data: { message, turnId: null } };
  });
}
