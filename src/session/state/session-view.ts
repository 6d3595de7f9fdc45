import type { ForkedFrom, HelperParent, SessionSettings } from '../../../packages/protocol/events/events.js';
import type { SentRequest } from '../../../packages/protocol/events/sent-request.js';
import type { SessionState, SessionStatus } from './state.js';

/** A session as the API returns it. */
export interface SessionView extends SessionSettings {
  readonly archived: boolean;
  readonly id: string;
  readonly version: number;
  readonly status: SessionStatus;
  readonly head: string | null;
  readonly queueLength: number;
  readonly turnId: string | null;
  readonly usage: SessionState['usage'];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly userId: string;
  /** Null: the session is not a fork. */
  readonly forkedFrom: Omit<ForkedFrom, 'headHash'> | null;
  /** The call of a tool that it was created for; null: it is no helper. */
  readonly parent: Pick<HelperParent, 'sessionId' | 'toolUseId'> | null;
  /** Its content was erased, or is being erased. */
  readonly erased: boolean;
  /** It is under a legal hold. */
  readonly held: boolean;
  /** Of the newest request to the model; null: the server made it, or there is none. */
  readonly origin: NonNullable<SentRequest['origin']> | null;
}

/** A copy, unaffected by later events. */
export function sessionView(id: string, state: SessionState): SessionView {
  return {
    id,
    version: state.version,
    status: state.status,
    ...state.settings,
    archived: state.settings.archived ?? false,
    head: state.head,
    queueLength: state.queue.length,
    turnId: state.turn?.turnId ?? null,
    usage: { ...state.usage },
    createdAt: state.createdAt ?? '',
    updatedAt: state.updatedAt ?? '',
    userId: state.ownerId ?? '',
    forkedFrom: state.forkedFrom && { sessionId: state.forkedFrom.sessionId, at: state.forkedFrom.at, seq: state.forkedFrom.seq },
    parent: state.parent && { sessionId: state.parent.sessionId, toolUseId: state.parent.toolUseId },
    erased: state.erased,
    held: state.hold !== null,
    origin: state.lastSent?.request.origin ?? null,
  };
}
