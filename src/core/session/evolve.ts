import { unreachable } from '../errors.js';
import type { StoredMessage } from '../message/message.js';
import type { EventData, PrefixDigests, SentRequest, SessionEvent } from './events.js';
import { type CallRecord, emptyState, type LastSent, NO_SETTINGS, type SessionState, type Turn } from './state.js';
import { isCompactionRequest } from './compaction-request.js';
import { goesOn } from './stop-reasons.js';
import { noteCalls } from './tool-calls.js';

/** Moves `state` one event forward, in place, and returns it. Throws when the event does not follow: a hole in the log must never pass unseen. */
export function evolve(state: SessionState, event: SessionEvent): SessionState {
  if (event.seq !== state.version + 1) throw new Error(`event ${event.seq} does not follow version ${state.version} of session ${event.sessionId}`);
  apply(state, event);
  state.version = event.seq;
  state.updatedAt = event.time;
  return state;
}

export function fold(events: Iterable<SessionEvent>, state: SessionState = emptyState()): SessionState {
  for (const event of events) evolve(state, event);
  return state;
}

function apply(state: SessionState, event: SessionEvent): void {
  switch (event.type) {
    case 'session.created':
      if (event.data.forkedFrom && state.head !== event.data.forkedFrom.at)
        throw new Error(`session ${event.sessionId} is a fork, and what it was made of is not there`);
      state.forkedFrom = event.data.forkedFrom ?? null;
      state.settings = { ...NO_SETTINGS, ...event.data.settings };
      state.ownerId = event.actor.id;
      state.createdAt = event.time;
      state.sessionStart = event.data.forkedFrom ? 'resume' : 'startup';
      if (event.data.importing) state.status = 'importing';
      return;
    case 'import.retained':
    case 'feedback.recorded':
    case 'session.forked':
      return;
    case 'session.compacted':
      state.sessionStart = 'compact';
      return;
    case 'session.imported':
      state.status = 'idle';
      state.sessionStart = 'resume';
      return;
    case 'session.configured':
      state.settings = { ...state.settings, ...event.data.changes };
      return;
    case 'session.closed':
      state.status = 'closed';
      return;
    case 'session.reopened':
      state.status = 'idle';
      state.sessionStart = 'resume';
      return;
    case 'prompt.submitted': {
      const { submission, disposition } = event.data;
      state.prompts.set(submission.promptId, { submission, submittedAt: event.time, by: event.actor.id, status: disposition, turnId: null });
      return;
    }
    case 'prompt.queued': {
      const prompt = state.prompts.get(event.data.promptId);
      if (prompt) state.queue.push(prompt.submission);
      return;
    }
    case 'prompt.withdrawn':
      return leaveQueue(state, event.data.promptId, 'withdrawn');
    case 'turn.started':
      return startTurn(state, event.data, event.time);
    case 'turn.prepared':
      return inTurn(state, event.data.turnId, (turn) => {
        // A compaction has no prompt to tell of it with.
        const prompt = state.prompts.get(turn.promptId);
        if (!prompt || !isCompactionRequest(prompt.submission)) state.sessionStart = null;
        turn.prepared = true;
        turn.query = event.data.callsModel;
        turn.checkpoints = event.data.checkpoints;
      });
    case 'turn.interrupt_requested':
      return inTurn(state, event.data.turnId, (turn) => {
        turn.interruptRequested = true;
      });
    case 'turn.waiting':
      state.status = 'waiting';
      return inTurn(state, event.data.turnId, (turn) => {
        turn.status = 'waiting';
      });
    case 'turn.resumed':
      state.status = 'running';
      return inTurn(state, event.data.turnId, (turn) => {
        turn.status = 'running';
        turn.segment = event.seq;
      });
    case 'turn.completed':
      return endTurn(state, event.data, event.time, 'completed');
    case 'turn.interrupted':
      return endTurn(state, event.data, event.time, 'interrupted');
    case 'turn.failed':
      return endTurn(state, event.data, event.time, 'failed');
    case 'message.appended':
      return appendMessage(state, event.data, event.seq);
    case 'hook.completed': {
      const { turnId, event: hookEvent, outcome } = event.data;
      if (turnId === null || hookEvent !== 'PreCompact' || (outcome !== 'blocked' && outcome !== 'prevented')) return;
      return inTurn(state, turnId, (turn) => {
        turn.compactionBlocked = true;
      });
    }
    case 'session.tools_changed':
      state.serverTools = event.data.tools;
      return;
    case 'tool.decided':
      return inCall(state, event.data, (call) => {
        call.decision = event.data.decision;
        call.decidedBy = event.data.by;
        call.reason = event.data.reason ?? call.reason;
        call.updatedInput = event.data.updatedInput ?? call.updatedInput;
        call.deferred = event.data.deferred ?? null;
      });
    case 'tool.started': {
      const { turnId, toolUseId } = event.data;
      inTurn(state, turnId, (turn) => {
        turn.ranShell ||= toolUseId === turn.promptId;
      });
      return inCall(state, event.data, (call) => {
        call.startedAt = event.time;
      });
    }
    case 'tool.completed':
      return inCall(state, event.data, (call) => {
        call.endedAt = event.time;
        call.outcome = event.data.outcome;
        call.isError = event.data.isError;
        call.durationMs = event.data.durationMs;
        call.deferred = event.data.deferred ?? null;
      });
    case 'request.sent':
      state.requests.set(event.data.requestId, {
        sent: event.data,
        seq: event.seq,
        sentAt: event.time,
        status: 'open',
        providerRequestId: null,
        stopReason: null,
        usage: null,
        error: null,
        durationMs: null,
      });
      if (event.data.compaction === undefined) goOnBehind(state, event.data, event.time);
      return inTurn(state, event.data.turnId, (turn) => {
        turn.requestIds.push(event.data.requestId);
        turn.finalStopReason = null;
      });
    case 'request.completed':
      return completeRequest(state, event.data);
    case 'request.failed':
      return failRequest(state, event.data);
    case 'session.rewound':
      state.head = event.data.to;
      if (event.data.to === null) state.sessionStart = 'clear'; // what its hooks had added is gone
      state.settings = { ...state.settings, permissionMode: event.data.permissionMode };
      state.rewinds.set(event.data.rewindId, { data: event.data, at: event.time, by: event.actor.id, restoredAt: null });
      return;
    case 'session.restored': {
      state.head = event.data.to;
      state.settings = { ...state.settings, permissionMode: event.data.permissionMode };
      const rewind = state.rewinds.get(event.data.rewindId);
      if (rewind) rewind.restoredAt = event.time;
      return;
    }
    default:
      return unreachable(event);
  }
}

function leaveQueue(state: SessionState, promptId: string, status: 'started' | 'withdrawn'): void {
  state.queue = state.queue.filter((waiting) => waiting.promptId !== promptId);
  const prompt = state.prompts.get(promptId);
  if (prompt) prompt.status = status;
}

function startTurn(state: SessionState, data: EventData['turn.started'], time: string): void {
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
    error: null,
    checkpoints: [],
    prepared: false,
    query: false,
    interruptRequested: false,
    ranShell: false,
    compactionBlocked: false,
    requestIds: [],
    failedAttempts: 0,
    retryAt: null,
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

function inTurn(state: SessionState, turnId: string, change: (turn: Turn) => unknown): void {
  const turn = state.turns.get(turnId);
  if (turn) change(turn);
}

function inCall(state: SessionState, data: EventData['tool.decided' | 'tool.started' | 'tool.completed'], change: (call: CallRecord) => void): void {
  inTurn(state, data.turnId, (turn) => {
    const call = turn.calls.get(data.toolUseId);
    if (call) change(call);
    if ('endReason' in data && data.endReason !== undefined) turn.endReason = data.endReason;
  });
}

type TurnEnd = EventData['turn.completed'] | EventData['turn.interrupted'] | EventData['turn.failed'];

function endTurn(state: SessionState, data: TurnEnd, time: string, status: 'completed' | 'interrupted' | 'failed'): void {
  inTurn(state, data.turnId, (turn) => {
    turn.status = status;
    turn.endedAt = time;
    turn.checkpoints = data.checkpoints;
    if ('stopReason' in data) turn.stopReason = data.stopReason;
    if ('error' in data) turn.error = data.error;
  });
  state.turn = null;
  state.status = 'idle';
}

function appendMessage(state: SessionState, data: EventData['message.appended'], seq: number): void {
  state.messages.set(data.message.uuid, { message: data.message, seq, turnId: data.turnId, promptId: data.promptId ?? null });
  state.head = data.message.uuid;
  if (data.turnId) inTurn(state, data.turnId, (turn) => noteMessage(state, turn, data.message));
}

function noteMessage(state: SessionState, turn: Turn, message: StoredMessage): void {
  turn.messages.push(message.uuid);
  noteCalls(state, turn, message);
  // What comes behind an answer that would end the turn has the model go on.
  if (message.type !== 'user' || turn.finalStopReason === null) return;
  turn.finalStopReason = null;
  turn.continuations += 1;
}

/** A summary is asked for on the side: the next request for an answer goes on from the one before. */
function goOnBehind(state: SessionState, request: SentRequest, sentAt: string): void {
  const digests = digestsOf(state.lastSent, request);
  const { system, tools, messages } = digests;
  state.requestPrefixes.set(request.requestId, { system, tools, messages: messages.at(-1) ?? '' });
  state.lastSent = { request, sentAt, digests };
}

/** Goes on in the list of the request before: what the two share is neither stored nor copied again. */
function digestsOf(earlier: LastSent | null, { prefix }: SentRequest): PrefixDigests {
  const messages = (earlier?.digests.messages ?? []) as string[];
  messages.length = prefix.shared;
  for (const digest of prefix.messages) messages.push(digest);
  return { system: prefix.system, tools: prefix.tools, messages, tail: prefix.tail };
}

function completeRequest(state: SessionState, data: EventData['request.completed']): void {
  const request = state.requests.get(data.requestId);
  if (!request) return;
  request.status = 'completed';
  request.providerRequestId = data.providerRequestId;
  request.stopReason = data.stopReason;
  request.usage = data.usage;
  request.durationMs = data.durationMs;
  state.usage.requests += 1;
  state.usage.inputTokens += data.usage.input_tokens ?? 0;
  state.usage.outputTokens += data.usage.output_tokens ?? 0;
  state.usage.cacheReadTokens += data.usage.cache_read_input_tokens ?? 0;
  state.usage.cacheCreationTokens += data.usage.cache_creation_input_tokens ?? 0;
  inTurn(state, data.turnId, (turn) => {
    turn.failedAttempts = 0;
    turn.retryAt = null;
    // The end of a summary is not the end of the turn.
    if (request.sent.compaction === undefined) turn.finalStopReason = goesOn(data.stopReason) ? null : (data.stopReason ?? 'unknown');
  });
}

function failRequest(state: SessionState, data: EventData['request.failed']): void {
  const request = state.requests.get(data.requestId);
  if (!request) return;
  request.status = 'failed';
  request.error = data.error;
  request.providerRequestId = data.error.providerRequestId ?? null;
  request.durationMs = data.durationMs;
  inTurn(state, data.turnId, (turn) => {
    turn.failedAttempts = data.retryAt === null ? 0 : turn.failedAttempts + 1;
    turn.retryAt = data.retryAt;
  });
}
