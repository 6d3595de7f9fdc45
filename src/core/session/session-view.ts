import type { Json } from '../message/content.js';
import type { PermissionMode } from '../message/message.js';
import type { ClientTool } from './events.js';
import type { SessionState, SessionStatus } from './state.js';

/** A session as its users see it. */
export interface SessionView {
  readonly id: string;
  readonly version: number;
  readonly status: SessionStatus;
  readonly title: string | null;
  readonly model: string;
  readonly system: string | null;
  readonly context: Readonly<Record<string, string>>;
  readonly systemContext: Readonly<Record<string, string>>;
  readonly permissionMode: PermissionMode;
  readonly tools: readonly ClientTool[];
  readonly metadata: { readonly [key: string]: Json };
  readonly head: string | null;
  readonly queueLength: number;
  readonly turnId: string | null;
  readonly usage: SessionState['usage'];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly userId: string;
}

/** A copy that later events leave alone. */
export function sessionView(id: string, state: SessionState): SessionView {
  return {
    id,
    version: state.version,
    status: state.status,
    ...state.settings,
    head: state.head,
    queueLength: state.queue.length,
    turnId: state.turn?.turnId ?? null,
    usage: { ...state.usage },
    createdAt: state.createdAt ?? '',
    updatedAt: state.updatedAt ?? '',
    userId: state.ownerId ?? '',
  };
}
