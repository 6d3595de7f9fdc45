import type { Correlation } from '../session/correlation.js';
import type { Actor, NewEvent, SessionEvent } from '../session/events.js';
import type { SessionState } from '../session/state.js';
import type { SessionListRow } from '../session/session-row.js';

/** Work to hand to the queue, in the same commit as the events that call for it. Carries ids and two short tags, no content. */
export interface Job {
  readonly queue: 'turns';
  /** Unique for ever: handing the same job over twice is one job. No colon, not all digits. */
  readonly id: string;
  readonly payload: { readonly tenantId: string; readonly sessionId: string; readonly turnId: string } & Partial<Correlation>;
}

export interface Append {
  readonly tenantId: string;
  readonly sessionId: string;
  /** The version the decision was made on; 0 = the session must not exist yet. */
  readonly expectedVersion: number;
  /** Names the command for ever: a second append under it changes nothing. */
  readonly commandId: string;
  /** SHA-256 (hexadecimal) of what was asked; the same command with another one is refused. */
  readonly requestHash: string;
  readonly actor: Actor;
  readonly events: readonly (NewEvent & { readonly id: string })[];
  readonly jobs: readonly Job[];
  /** The session list's row after these events, written in the same commit. */
  readonly summary: SessionListRow;
}

export type AppendOutcome =
  /** `events` are the given ones as recorded. */
  | { readonly kind: 'appended'; readonly events: readonly SessionEvent[] }
  /** The command had been carried out before: these seqs are its events. */
  | { readonly kind: 'duplicate'; readonly firstSeq: number; readonly lastSeq: number }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'conflict'; readonly version: number }
  | { readonly kind: 'not_found' };

export interface Receipt {
  readonly sessionId: string;
  readonly requestHash: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface Audit {
  readonly events: number;
  readonly headHash: string | null;
  readonly valid: boolean;
  /** Seq of the first event whose link, digest or number is wrong. */
  readonly firstInvalidSeq?: number;
}

export interface FeedCursor {
  readonly transaction: string;
  readonly position: string;
}

export abstract class EventStore {
  abstract append(append: Append): Promise<AppendOutcome>;
  /** Events with `after < seq <= upTo`, in order. An unknown or foreign session has none. */
  abstract load(tenantId: string, sessionId: string, after?: number, upTo?: number): Promise<readonly SessionEvent[]>;
  /** The same, at most `limit` of them: for readers that page. */
  abstract page(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly SessionEvent[]>;
  abstract receipt(tenantId: string, commandId: string): Promise<Receipt | null>;
  /** Every tenant's events in commit order, for catch-up readers. */
  abstract feed(cursor: FeedCursor | null, limit: number): Promise<{ readonly events: readonly SessionEvent[]; readonly cursor: FeedCursor | null }>;
  /** Whether a session's log has more events than that, or more bytes of data; told without reading it. */
  abstract exceeds(tenantId: string, sessionId: string, most: { readonly events: number; readonly bytes: number }): Promise<boolean>;
  /** The link of the hash chain that an event is, hexadecimal, as it is stored; null when there is no such event. */
  abstract hashAt(tenantId: string, sessionId: string, seq: number): Promise<string | null>;
  /** Recomputes the hash chain from what is stored. Null for an unknown or foreign session. */
  abstract verify(tenantId: string, sessionId: string): Promise<Audit | null>;
}

/**
 * Sessions as of now. What comes back is shared and moves forward when the log does: read it before the next await, or load it again.
 */
export abstract class Sessions {
  /** Version 0 when there is no such session for this tenant. Always includes every event committed before the call. */
  abstract load(tenantId: string, sessionId: string): Promise<SessionState>;
  /**
   * The session as this process last saw it, without asking the log; null when it has not lately. It may be behind: whoever decides by it must have the log
   * confirm that by an append under its version.
   */
  abstract known(tenantId: string, sessionId: string): SessionState | null;
  /** As it stood at `seq`, not shared. */
  abstract loadAt(tenantId: string, sessionId: string, seq: number): Promise<SessionState>;
  /** The session after events that were just appended, without asking the log; null when too little is known of it. */
  abstract advance(tenantId: string, sessionId: string, events: readonly SessionEvent[]): SessionState | null;
}

export interface SessionListPage {
  readonly data: readonly (SessionListRow & { readonly id: string; readonly createdAt: string; readonly updatedAt: string })[];
  readonly nextCursor: string | null;
}

export abstract class SessionList {
  /** Newest activity first. `userId` null = every user of the tenant. A cursor that is not ours is refused with `invalid_input`. */
  abstract list(tenantId: string, userId: string | null, limit: number, cursor: string | null): Promise<SessionListPage>;
  /** Sessions whose turn waits for somebody, and in which nothing has happened since `before` (milliseconds). */
  abstract forgotten(before: number, limit: number): Promise<readonly { readonly tenantId: string; readonly sessionId: string; readonly turnId: string }[]>;
}
