import type { Json } from '../../packages/protocol/message/content.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';

/**
 * `advanced`: the log reaches at least `seq`; 0: signals may have been missed. `stopped`: ids of the turns that stop running and the prompts that are withdrawn with it, if known.
 * `events` are included only within the process that wrote them. `delta`: a part of unfinished output, not stored.
 */
export type LiveSignal =
  | {
      readonly kind: 'advanced';
      readonly sessionId: string;
      readonly seq: number;
      readonly stopped?: readonly string[];
      readonly events?: readonly SessionEvent[];
    }
  | {
      readonly kind: 'delta';
      readonly sessionId: string;
      readonly type: 'message.delta' | 'tool.progress' | 'queue.changed' | 'presence';
      readonly data: Json;
    };

/** The channel, instead of a session id, of hints that any session of a user may have changed. Their seq is 0. */
export function userChannel(tenantId: string, userId: string): string {
  return `user ${tenantId}/${userId}`;
}

/** The channel, instead of a session id, of hints that credentials of a tenant were revoked. Their seq is 0. */
export function revocationChannel(tenantId: string): string {
  return `revocations ${tenantId}`;
}

/** The channel, instead of a session id, of hints that content of a session was erased. Their seq is 0. */
export function erasureChannel(tenantId: string, sessionId: string): string {
  return `${ERASED} ${tenantId}/${sessionId}`;
}

const ERASED = 'erased';

/** The session of such a channel; null for another one. */
export function erasedSession(channel: string): { readonly tenantId: string; readonly sessionId: string } | null {
  const [kind, of = ''] = channel.split(' ');
  const [tenantId, sessionId] = of.split('/');
  return kind === ERASED && tenantId && sessionId ? { tenantId, sessionId } : null;
}

/** The channel, instead of a session id, of hints that a reader has joined who lacks what has been written of an unfinished answer. Their seq is 1: with 0, which comes after a gap, no reader asks. */
export function unfinishedChannel(sessionId: string): string {
  return `${UNFINISHED} ${sessionId}`;
}

const UNFINISHED = 'unfinished';

/** The session of such a channel; null for another one. */
export function unfinishedSession(channel: string): string | null {
  const [kind, sessionId] = channel.split(' ');
  return kind === UNFINISHED && sessionId ? sessionId : null;
}

/** The channel, instead of a session id, of hints that the log of some session has grown. They need not say which. */
export const EVERY_SESSION = 'every session';

/** The channel, instead of a session id, of all hints that content was erased; with the erasure channel of the session, or with this one after a gap. */
export const ERASURES = 'erasures';

/** Best-effort notifications between processes; a lost one causes a delay, never a loss of data. */
export abstract class LiveBus {
  /** Returns at once. Subscribers of this process are called immediately, other processes asynchronously. */
  abstract publish(signal: LiveSignal): void;
  /** Signals to this process that the outbox has work. */
  abstract notify(): void;
  /**
   * `hints`: only those, no deltas. Signals of this process are received at once, those of others soon: when they are, after some may have been missed, the listener gets a hint with seq 0.
   */
  abstract subscribe(sessionId: string, listener: (signal: LiveSignal) => void, only?: 'hints'): () => void;
  /** Resolves when the signals of other processes to a subscription are received: what is read from then on misses none. At once while the bus is down; the hint with seq 0 comes when it is up. */
  received(_sessionId: string): Promise<void> {
    return Promise.resolve();
  }
  abstract onNotify(listener: () => void): () => void;
  /**
   * How many of those that hear each other come before this process to do periodic work that one of them has to do; 0: it leads. For some seconds after a process came, left
   * or was cut off, several may lead or none.
   */
  abstract get rank(): number;
  abstract ping(): Promise<void>;
}
