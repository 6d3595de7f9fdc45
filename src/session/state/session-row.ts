import type { NewEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState, SessionStatus } from './state.js';

/** One row of the session list. */
export interface SessionListRow {
  readonly userId: string;
  readonly title: string | null;
  readonly model: string;
  readonly status: SessionStatus;
  readonly queueLength: number;
  /** The running turn, if any. */
  readonly turnId: string | null;
}

/** The row after `events` are applied to `state`. Its cost depends on the new events only, not on the length of the session. */
export function sessionListRow(state: SessionState, userId: string, events: readonly NewEvent[]): SessionListRow {
  const before: SessionListRow = {
    userId: state.ownerId ?? userId,
    title: state.settings.title,
    model: state.settings.model,
    status: state.status,
    queueLength: state.queue.length,
    turnId: state.turn?.turnId ?? null,
  };
  return events.reduce((summary, event) => ({ ...summary, ...change(summary, event, state) }), before);
}

function change(summary: SessionListRow, event: NewEvent, state: SessionState): Partial<SessionListRow> {
  switch (event.type) {
    case 'session.created':
      return { title: event.data.settings.title, model: event.data.settings.model, ...(event.data.importing ? { status: 'importing' } : {}) };
    case 'session.configured':
      return { title: event.data.changes.title === undefined ? summary.title : event.data.changes.title, model: event.data.changes.model ?? summary.model };
    case 'session.titled':
      return { title: event.data.title };
    case 'session.closed':
      return { status: 'closed' };
    case 'session.reopened':
    case 'session.imported':
      return { status: 'idle' };
    case 'prompt.queued':
      return { queueLength: summary.queueLength + 1 };
    case 'prompt.withdrawn':
      return { queueLength: summary.queueLength - 1 };
    case 'turn.started': {
      const wasQueued = state.queue.some((prompt) => prompt.promptId === event.data.promptId);
      return { status: 'running', turnId: event.data.turnId, queueLength: summary.queueLength - (wasQueued ? 1 : 0) };
    }
    case 'turn.waiting':
      return { status: 'waiting' };
    case 'turn.resumed':
      return { status: 'running' };
    case 'turn.completed':
    case 'turn.interrupted':
    case 'turn.failed':
      return { status: 'idle', turnId: null };
    case 'content.erased': {
      const title = event.data.scope === 'session' || event.data.untitled ? null : summary.title;
      return event.data.scope === 'session' ? { title, status: 'closed' } : { title };
    }
    default:
      return {};
  }
}

/** What of a row in the list may be shown to those who may not read the session. */
export function withoutTexts<Row extends object>(row: Row) {
  return { ...row, title: null, firstText: null, lastText: null, folder: null };
}
