import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { Actor, EventData } from '../../../packages/protocol/events/events.js';
import type { CallRecord, SessionState, Turn } from './state.js';
import { recordCalls } from './tool-calls.js';
import { forgetPath } from './tree.js';
import { changeWorkspace } from './workspace.js';

export function leaveQueue(state: SessionState, promptId: string, status: 'started' | 'withdrawn'): void {
  state.queue = state.queue.filter((waiting) => waiting.promptId !== promptId);
  const prompt = state.prompts.get(promptId);
  if (prompt) prompt.status = status;
}

export function startTurn(state: SessionState, data: EventData['turn.started'], time: string): void {
  leaveQueue(state, data.promptId, 'started');
  const prompt = state.prompts.get(data.promptId);
  if (prompt) prompt.turnId = data.turnId;
  const turn: Turn = {
    turnId: data.turnId,
    segment: 0,
    promptId: data.promptId,
    startedAt: time,
    status: 'running',
    endedAt: null,
    stopReason: null,
    stopDetails: null,
    error: null,
    checkpoints: [],
    prepared: false,
    query: false,
    interruptRequested: false,
    interruptedBy: null,
    ranShell: false,
    compactionBlocked: false,
    requestIds: [],
    failedAttempts: 0,
    retryAt: null,
    filesBefore: state.workspace.head,
    messages: [],
    calls: new Map(),
    pendingCalls: [],
    finalStopReason: null,
    continuations: 0,
    endReason: null,
  };
  state.turns.set(data.turnId, turn);
  state.turn = turn;
  state.status = 'running';
}

export function inTurn(state: SessionState, turnId: string, change: (turn: Turn) => unknown): void {
  const turn = state.turns.get(turnId);
  if (turn) change(turn);
}

export function inCall(state: SessionState, data: EventData['tool.decided' | 'tool.started' | 'tool.completed'], change: (call: CallRecord) => void): void {
  inTurn(state, data.turnId, (turn) => {
    const call = turn.calls.get(data.toolUseId);
    if (call) change(call);
    if ('endReason' in data && data.endReason !== undefined) turn.endReason = data.endReason;
  });
}

type TurnEnd = EventData['turn.completed'] | EventData['turn.interrupted'] | EventData['turn.failed'];

export function endTurn(state: SessionState, data: TurnEnd, time: string, status: 'completed' | 'refused' | 'interrupted' | 'failed'): void {
  inTurn(state, data.turnId, (turn) => {
    turn.status = status;
    turn.endedAt = time;
    if ('stopReason' in data) turn.stopReason = data.stopReason;
    if ('stopDetails' in data) turn.stopDetails = data.stopDetails ?? null;
    if ('error' in data) turn.error = data.error;
  });
  state.turn = null;
  state.status = 'idle';
}

export function appendMessage(
  state: SessionState,
  { message, turnId, promptId, files: imported }: EventData['message.appended'],
  seq: number,
  actor: Actor,
): void {
  const turn = turnId === null ? undefined : state.turns.get(turnId);
  const replaced = state.messages.get(message.uuid);
  if (replaced) forgetPath(state);
  const depth = (state.messages.get(message.parentUuid ?? '')?.depth ?? -1) + 1;
  const userId = userOf(state, turn, message, promptId ?? null, actor);
  if (imported) state.workspace.head = imported.at;
  const before = replaced ? replaced.filesBefore : imported ? imported.before : turn?.messages.length === 0 ? turn.filesBefore : undefined;
  const files = { files: state.workspace.head, ...(before === undefined ? {} : { filesBefore: before }) };
  state.messages.set(message.uuid, { message, seq: replaced?.seq ?? seq, depth, turnId, promptId: promptId ?? null, ...files, userId });
  state.head = message.uuid;
  if (turn) recordMessage(state, turn, message);
}

/** What something else has changed is found when the turn first uses the folder. Until the turn changes files itself, it was there before the turn. */
export function changeFiles(state: SessionState, data: EventData['workspace.changed'], seq: number, time: string): void {
  changeWorkspace(state.workspace, data, seq, time);
  const { version, base, cause, turnId } = data;
  if (cause !== 'outside' || state.workspace.head !== version || turnId === undefined) return;
  inTurn(state, turnId, (turn) => {
    if (turn.filesBefore !== base) return;
    turn.filesBefore = version;
    for (const uuid of turn.messages) {
      const record = state.messages.get(uuid);
      if (record?.files === base) record.files = version;
      if (record?.filesBefore === base) record.filesBefore = version;
    }
  });
}

function userOf(state: SessionState, turn: Turn | undefined, message: StoredMessage, promptId: string | null, actor: Actor): string | null {
  if (promptId !== null) return state.prompts.get(promptId)?.by ?? null;
  if (message.type === 'user' && message.isMeta) return null;
  if (message.type === 'assistant' && state.requests.has(message.requestId ?? '')) return null;
  if (message.type === 'user' && message.isInterruption) return turn?.interruptedBy ?? null;
  return actor.kind === 'user' ? actor.id : null;
}

function recordMessage(state: SessionState, turn: Turn, message: StoredMessage): void {
  turn.messages.push(message.uuid);
  recordCalls(state, turn, message);
  // A user message after an answer that would end the turn continues the turn.
  if (message.type !== 'user' || turn.finalStopReason === null) return;
  turn.finalStopReason = null;
  turn.continuations += 1;
}
