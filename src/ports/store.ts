import type { Json } from '../../packages/protocol/message/content.js';
import type { Correlation } from '../session/state/correlation.js';
import type { Actor, NewEvent, SessionEvent } from '../../packages/protocol/events/events.js';
import type { Grants } from '../session/state/evolve-access.js';
import type { SessionState } from '../session/state/state.js';
import type { FaultKind } from '../../packages/protocol/events/tampered.js';
import type { SessionProjection } from '../session/transcript/projection.js';
import type { SessionListRow } from '../session/state/session-row.js';
import type { UsageEntry } from '../session/state/usage.js';

/** A job, committed together with the events that require it. Has ids and two short tags, no content. */
export interface Job {
  readonly queue: 'turns';
  /** Unique forever: adding the same id twice is one job. Without colons, and not all digits (a restriction of the queue). */
  readonly id: string;
  readonly payload: { readonly tenantId: string; readonly sessionId: string; readonly turnId: string } & Partial<Correlation>;
}

/** A worker's claim on the turn of a job. `fence` grows with every claim (a fencing token): the store rejects reports under any but the latest one. */
export interface TurnClaim {
  readonly jobId: string;
  readonly fence: number;
  /** How the turn came to the worker, for the metrics. */
  readonly dispatch?: 'direct' | 'queue';
}

/** The terms on which the process that appends runs the turn which its events start. */
export interface DispatchTerms {
  /** Id of the process. */
  readonly holder: string;
  /** See `Outbox.lease`. */
  readonly perTenant: number;
  /** Milliseconds until the lease ends, unless it is renewed. */
  readonly leaseMs: number;
}

export interface Append {
  readonly tenantId: string;
  readonly sessionId: string;
  /** The version that the decision is based on; 0: the session must not exist yet. */
  readonly expectedVersion: number;
  /** Idempotency key: a second append with the same id has no effect. */
  readonly commandId: string;
  /** SHA-256 (hexadecimal) of the request; the same `commandId` with another hash is rejected. */
  readonly requestHash: string;
  readonly actor: Actor;
  readonly events: readonly (NewEvent & { readonly id: string })[];
  readonly jobs: readonly Job[];
  /** Ids of jobs that these events complete: their turns end or wait. Removed in the same commit. */
  readonly completedJobs: readonly string[];
  /** Of the worker that reports; null for a user's command. */
  readonly claim: TurnClaim | null;
  /** Given: the caller has room for the turn of `jobs`, if that is one job, and takes it unless the tenant has its share of leases or pending jobs. */
  readonly dispatch: DispatchTerms | null;
  /** The session list's row after these events, written in the same commit. */
  readonly summary: SessionListRow;
  /** What else these events change in the session list and the search, in the same commit; absent or null: nothing. */
  readonly projection?: SessionProjection | null;
  /** What these events add to the usage of users, counted in the same commit; each user and model once. */
  readonly usage?: readonly UsageEntry[];
  /** Who has which role after these events; absent or null: they change nothing in it. */
  readonly grants?: Grants | null;
  /** With an event `content.erased`: the SHA-256 (hexadecimal) of the files that it takes from the session; null: all. The same commit erases what the event names. */
  readonly erasedFiles?: readonly string[] | null;
  /** With such an event: ids of helpers of the session, which the same commit makes due to be erased. */
  readonly orphans?: readonly string[];
}

export type AppendOutcome =
  /** `events`: the given ones as recorded. `jobsPending`: completed jobs have made room for pending jobs of the tenant. `claim`: the caller's, on the turn that it took. */
  | {
      readonly kind: 'appended';
      readonly events: readonly SessionEvent[];
      /** The hash of the last event; null without events. */
      readonly headHash: string | null;
      readonly jobsPending: boolean;
      readonly claim: TurnClaim | null;
    }
  /** The command was executed before; these seqs are its events. */
  | { readonly kind: 'duplicate'; readonly firstSeq: number; readonly lastSeq: number }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'conflict'; readonly version: number }
  /** Another worker has claimed the turn since `claim`, or it ended or waits. */
  | { readonly kind: 'fenced' };

export interface Receipt {
  readonly sessionId: string;
  /** Whether the command was made by the request of the given hash. The hash itself is not kept. */
  readonly sameRequest: boolean;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** How far a log is verified: the hash of that event, hexadecimal, covers all before it. */
export interface VerifiedPlace {
  readonly seq: number;
  readonly hash: string;
}

export interface Audit {
  readonly events: number;
  readonly headHash: string | null;
  readonly valid: boolean;
  /** Seq of the first event with a wrong link, digest or number, and what is wrong with it. */
  readonly firstInvalidSeq?: number;
  readonly fault?: FaultKind;
  /** How many of the events are erased. */
  readonly erased: number;
  /** The hash of each event, 32 bytes each, as they were verified: whatever the events are compared with is compared with these, since another statement may be answered otherwise. */
  readonly hashes: Uint8Array;
}

/** An event with everything that its hash covers; texts byte for byte as they are stored. */
export interface StoredEvent {
  readonly seq: number;
  readonly eventId: string;
  readonly commandId: string;
  readonly eventType: string;
  readonly schemaVersion: number;
  /** JSON. */
  readonly actor: string;
  readonly data: string;
  /** Microseconds since 2000-01-01 UTC. */
  readonly recordedMicroseconds: string;
  /** Hexadecimal, as the next two. Null: the content was erased. */
  readonly salt: string | null;
  readonly digest: string;
  readonly hash: string;
}

/** A session, and how far its log is known. */
export interface KnownVersion {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly version: number;
}

/** Reading logs. */
export abstract class EventLog {
  /**
   * Events with `after < seq <= upTo`, in order. An unknown or foreign session has none. Each is verified: that its content is what its digest commits to, and that it follows the event before it.
   * Rejected with `log_tampered` when one is not.
   */
  abstract load(tenantId: string, sessionId: string, after?: number, upTo?: number): Promise<readonly SessionEvent[]>;
  /** The same after a place up to which the log was verified (null: its beginning), so that all of it is, with the place of the last one. */
  abstract follow(
    tenantId: string,
    sessionId: string,
    after: VerifiedPlace | null,
    upTo: number,
  ): Promise<{ readonly events: readonly SessionEvent[]; readonly place: VerifiedPlace | null }>;
  /** The same, at most `limit` events. */
  abstract page(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly SessionEvent[]>;
  /** Whether a session's log exceeds one of the limits, without reading it. */
  abstract exceeds(tenantId: string, sessionId: string, most: LogSize): Promise<boolean>;
  /** How many events after a seq can be read at once within both limits: at least 1, whatever its size and whether there is one. `bytes`: of their data, uncompressed and unencrypted. */
  abstract within(tenantId: string, sessionId: string, after: number, most: LogSize): Promise<number>;
  /** Events of the tenant's session as they are stored, after `after`. */
  abstract stored(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly StoredEvent[]>;
  /** The stored hash of an event in the hash chain, hexadecimal; null when there is no such event. */
  abstract hashAt(tenantId: string, sessionId: string, seq: number): Promise<string | null>;
  /** Recomputes the hash chain from the stored events, in this process. Null for an unknown or foreign session. */
  abstract verify(tenantId: string, sessionId: string): Promise<Audit | null>;
}

export interface LogSize {
  readonly events: number;
  readonly bytes: number;
}

export abstract class EventStore extends EventLog {
  /** Appends that have ended with an error while their commits still wait for a synchronous standby. */
  get waitingForStandby(): number {
    return 0;
  }

  abstract append(append: Append): Promise<AppendOutcome>;
  abstract receipt(tenantId: string, commandId: string, requestHash: string): Promise<Receipt | null>;
  /** The sessions of the tenant that were forked from this one. */
  abstract forks(tenantId: string, sessionId: string): Promise<readonly string[]>;
  /** Which of these sessions have an event `content.erased` after the given version. */
  abstract erasedSince(sessions: readonly KnownVersion[]): Promise<readonly KnownVersion[]>;
  /** Deletes up to `limit` receipts older than `maxAgeMs`; resolves to their number. Repeats of those commands are new commands then. */
  abstract pruneReceipts(maxAgeMs: number, limit: number): Promise<number>;
}

/**
 * Current session states. The returned state is shared and advances with the log: read it before the next await, or load it again.
 */
export abstract class Sessions {
  /**
   * Version 0 when there is no such session for this tenant. Always includes every event committed before the call. Made of events that this process has verified from the first one on; rejected with
   * `log_tampered` when one is not what was recorded.
   */
  abstract load(tenantId: string, sessionId: string): Promise<SessionState>;
  /**
   * The cached state, without reading the log; null when it is not cached. It may be stale: a decision based on it must be confirmed by an append with its version.
   */
  abstract known(tenantId: string, sessionId: string): SessionState | null;
  /** Up to where this process has verified the log of the cached state; null when it is not cached. */
  abstract place(tenantId: string, sessionId: string): VerifiedPlace | null;
  /** The state at `seq`; not shared. */
  abstract loadAt(tenantId: string, sessionId: string, seq: number): Promise<SessionState>;
  /** The state after events that were just appended, the last one with this hash, without reading the log; null when it is not cached. */
  abstract advance(tenantId: string, sessionId: string, events: readonly SessionEvent[], headHash: string | null): SessionState | null;
  /** Drops the cached state, because content of the session was erased. */
  abstract forget(tenantId: string, sessionId: string): void;
  /** Drops what was not used for the time that the settings give, and sessions with content that was erased since they were cached: announcements of erasures may have been lost. Returns the latter. */
  abstract evictStale(): Promise<readonly KnownVersion[]>;
  /** `listener` gets each state that is cached no longer. */
  abstract onEvicted(listener: (state: SessionState) => void): void;
}

export type SessionListItem = SessionListRow & {
  readonly id: string;
  /** Seq of the last event. */
  readonly version: number;
  readonly archived: boolean;
  /** Number of texts that people and the model wrote in the current conversation, the start of the first and of the last one. */
  readonly messageCount: number;
  readonly firstText: string | null;
  readonly lastText: string | null;
  /** `folder` of the metadata, if it is a text of at most 200 characters. */
  readonly folder: string | null;
  readonly usage: SessionState['usage'];
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** A row of the list with what else the commits of its log have written about the session. */
export type WholeRow = SessionListItem & {
  /** Roles by principal, besides that of the first owner. */
  readonly grants: { readonly [principal: string]: string };
  readonly isHeld: boolean;
  /** Of its own; null: that of the tenant. */
  readonly retentionDays: number | null;
  readonly isErased: boolean;
  /** Whether the erasure of all content is over; null: there is none. */
  readonly isErasureOver: boolean | null;
  readonly metadata: { readonly [key: string]: Json };
};

/** Which sessions to list. An absent member does not restrict. */
export interface SessionFilter {
  /** Null: all users of the tenant. */
  readonly userId: string | null;
  /** The session of which helpers are listed; absent: sessions that are no helpers. */
  readonly parent?: string;
  /** Principals of which one must have a grant. */
  readonly sharedWith?: readonly string[];
  /** The user who has pinned it; absent: pinned or not. */
  readonly pinnedBy?: string;
  readonly archived: boolean;
  readonly status?: Exclude<SessionListRow['status'], 'importing'>;
  readonly model?: string;
  /** Members that the metadata must contain. */
  readonly metadata?: { readonly [key: string]: Json };
  /** Words that the title must contain. */
  readonly title?: string;
  /** RFC 3339 times of the last change; the first is included, the second is not. */
  readonly updatedAfter?: string;
  readonly updatedBefore?: string;
}

export interface SessionListPage {
  readonly data: readonly SessionListItem[];
  readonly nextCursor: string | null;
}

export interface WaitingTurn {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly updatedAt: string;
}

export abstract class SessionList {
  /** Newest activity first. A cursor belongs to one tenant and filter; any other is rejected with `invalid_input`. */
  abstract list(tenantId: string, filter: SessionFilter, limit: number, cursor: string | null): Promise<SessionListPage>;
  /**
   * The sessions of a user that have changed at `since` or later, oldest change first. With `lateMs`, from that long before; a `since` in the future of the
   * store's clock, which was set back or differs from the caller's, then counts as its present.
   */
  abstract changedSince(tenantId: string, userId: string, since: string, limit: number, lateMs: number | null): Promise<readonly SessionListItem[]>;
  /** The row of one session, for its audit; null when there is none, or more than one. */
  abstract find(tenantId: string, sessionId: string): Promise<WholeRow | null>;
  /** Waiting turns whose session has not changed for `idleMs` by the store's own clock, oldest first. `updatedAt`: the last change of the session. */
  abstract expiredWaits(idleMs: number, limit: number): Promise<readonly WaitingTurn[]>;
}

/** The same sessions for reads on which no command and no turn depends: what is not cached may be read on standbys. */
export abstract class ReadSessions extends Sessions {}
