import { unreachable } from '../../../packages/protocol/errors.js';
import { fromStored } from '../../../packages/protocol/message/submission.js';
import { isCompactionRequest } from './compaction-request.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import { recordAccess, recordBrokenGlass, recordGrant } from './evolve-access.js';
import { noteClientLines } from './evolve-client-requests.js';
import { recordErasure } from './evolve-erasure.js';
import { completeRequest, failRequest, sendRequest } from './evolve-request.js';
import { runSchedule, setSchedule } from './schedules.js';
import { appendMessage, changeFiles, endTurn, inCall, inTurn, leaveQueue, startTurn } from './evolve-turn.js';
import { REFUSAL } from './stop-reasons.js';
import { NO_SETTINGS } from '../../../packages/protocol/events/settings.js';
import { emptyState, type SessionState } from './state.js';
import { appendLines } from './stored-file.js';
import { moveWorkspace } from './workspace.js';

/**
 * Events that alone are no change of the session: not of its place in the list, nor of the end of its retention, nor of how long its turn has waited. They say who has read it, and that a
 * schedule was due; a prompt that the run submits is a change. `append_events` has the same list, for the row of the session.
 */
const UNNOTICED: ReadonlySet<SessionEvent['type']> = new Set(['session.accessed', 'schedule.ran']);

/** Applies one event to `state` in place and returns it. Throws when `seq` is not the next one: a gap in the log must never go unnoticed. */
export function evolve(state: SessionState, event: SessionEvent): SessionState {
  if (event.seq !== state.version + 1) throw new Error(`event ${event.seq} does not follow version ${state.version} of session ${event.sessionId}`);
  apply(state, event);
  state.version = event.seq;
  if (!UNNOTICED.has(event.type)) state.updatedAt = event.time;
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
        throw new Error(`session ${event.sessionId} is a fork, but the shared messages of its parent are not loaded`);
      state.forkedFrom = event.data.forkedFrom ?? null;
      state.parent = event.data.parent ?? null;
      state.settings = { ...NO_SETTINGS, ...event.data.settings };
      state.titleChosen = event.data.settings.title !== null;
      state.ownerId = event.actor.id;
      state.createdAt = event.time;
      state.sessionStart = event.data.forkedFrom ? 'resume' : 'startup';
      if (event.data.importing) state.status = 'importing';
      return;
    case 'import.retained':
      return noteClientLines(state, event.data, event.seq, event.erased === true);
    case 'lines.appended':
      return appendLines(state, event.data, event.seq);
    case 'feedback.recorded':
    case 'session.forked':
      return;
    case 'session.compacted':
      state.sessionStart = 'compact';
      return;
    case 'session.imported':
      state.status = 'idle';
      state.sessionStart = 'resume';
      moveWorkspace(state.workspace, event.data.files && { to: event.data.files.current });
      return;
    case 'session.configured':
      state.settings = { ...state.settings, ...event.data.changes };
      if (event.data.changes.title !== undefined) state.titleChosen = true;
      return;
    case 'session.titled':
      state.settings = { ...state.settings, title: event.data.title || null }; // empty: erased
      return;
    case 'session.closed':
      state.status = 'closed';
      return;
    case 'session.reopened':
      state.status = 'idle';
      state.sessionStart = 'resume';
      return;
    case 'prompt.submitted': {
      const { disposition } = event.data;
      const submission = fromStored(event.data.submission);
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
        // SessionStart hooks run with the next prompt; a compaction has none.
        const prompt = state.prompts.get(turn.promptId);
        if (!prompt || !isCompactionRequest(prompt.submission)) state.sessionStart = null;
        turn.prepared = true;
        turn.query = event.data.callsModel;
        turn.checkpoints = event.data.checkpoints;
      });
    case 'turn.interrupt_requested':
      return inTurn(state, event.data.turnId, (turn) => {
        turn.interruptRequested = true;
        turn.interruptedBy = event.actor.kind === 'user' ? event.actor.id : null;
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
      return endTurn(state, event.data, event.time, event.data.stopReason === REFUSAL ? 'refused' : 'completed');
    case 'turn.interrupted':
      return endTurn(state, event.data, event.time, 'interrupted');
    case 'turn.failed':
      return endTurn(state, event.data, event.time, 'failed');
    case 'message.appended':
      return appendMessage(state, event.data, event.seq, event.actor);
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
        call.helper = event.data.helper ?? null;
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
      return sendRequest(state, event.data, event.seq, event.time);
    case 'request.completed':
      return completeRequest(state, event.data);
    case 'request.failed':
      return failRequest(state, event.data);
    case 'workspace.changed':
      return changeFiles(state, event.data, event.seq, event.time);
    case 'session.rewound':
      moveWorkspace(state.workspace, event.data.files);
      state.head = event.data.to;
      if (event.data.to === null) state.sessionStart = 'clear'; // the context that its hooks had added is gone
      state.settings = { ...state.settings, permissionMode: event.data.permissionMode };
      state.rewinds.set(event.data.rewindId, { seq: event.seq, data: event.data, at: event.data.at ?? event.time, by: event.actor.id, restoredAt: null });
      return;
    case 'session.restored': {
      moveWorkspace(state.workspace, event.data.files);
      state.head = event.data.to;
      state.settings = { ...state.settings, permissionMode: event.data.permissionMode };
      const at = event.data.at ?? event.time;
      state.restores.push({ seq: event.seq, data: event.data, at, by: event.actor.id });
      const rewind = state.rewinds.get(event.data.rewindId ?? '');
      if (rewind) rewind.restoredAt = at;
      return;
    }
    case 'schedule.set':
      return setSchedule(state, event);
    case 'schedule.deleted':
      state.schedules.delete(event.data.scheduleId);
      return;
    case 'schedule.ran':
      return runSchedule(state, event);
    case 'content.erased':
      return recordErasure(state, event.data, event.time, event.actor.id);
    case 'hold.placed':
      state.hold = { by: event.actor.id, at: event.time, reason: event.data.reason };
      return;
    case 'hold.released':
      state.hold = null;
      return;
    case 'session.granted':
    case 'session.grant_revoked':
      return recordGrant(state, event);
    case 'glass.broken':
      return recordBrokenGlass(state, event);
    case 'session.accessed':
      return recordAccess(state, event);
    default:
      return unreachable(event);
  }
}
