/** An erasure of everything that a user owns. */
export interface UserErasure {
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly requestedBy: string;
  readonly reason: string | null;
  readonly startedAt: string;
  /** Null: sessions are left. */
  readonly endedAt: string | null;
  /** Sessions erased so far. */
  readonly sessions: number;
  /** Sessions that it has to erase still, without those under a legal hold. */
  readonly remaining: number;
  /** Sessions that it leaves, because they are under a legal hold. */
  readonly held: number;
}

export interface DueSession {
  readonly tenantId: string;
  readonly sessionId: string;
  /** At the end of its retention: the seq of its last event then. A session that has changed since is not due. */
  readonly version: number;
}

export interface ExpiredSession extends DueSession {
  /** Since the end of its retention. */
  readonly lateSeconds: number;
}

/** Sessions belong to so many parts, by their ids. A part is erased by one process at a time. */
export const ERASURE_PARTS = 16;

/** What is to be erased in the background, of one part or (null) of all. Sessions under a legal hold and erased ones are never due. */
export abstract class DueErasures {
  /** Requests the erasure of what a user owns, or returns the one that is not done yet. Null: the tenant has no such user. */
  abstract request(erasure: Pick<UserErasure, 'id' | 'tenantId' | 'userId' | 'requestedBy' | 'reason'>): Promise<UserErasure | null>;
  /** Newest first. Null: the tenant has no such user. */
  abstract ofUser(tenantId: string, userId: string): Promise<readonly UserErasure[] | null>;
  /** Whether there is anything to erase: of users, unfinished for `idleMs`, or at the end of its retention. */
  abstract isDue(idleMs: number): Promise<boolean>;
  /** The erasures of users that are not done, oldest first. */
  abstract open(): Promise<readonly UserErasure[]>;
  /** Sessions after `after`, in the order of their ids, that an erasure of a user has to erase. */
  abstract sessionsOf(erasure: UserErasure, after: string | null, limit: number, part: number | null): Promise<readonly DueSession[]>;
  /** Counts a session as erased by it. */
  abstract count(erasure: UserErasure): Promise<void>;
  /** Ends the erasure unless it has sessions left. */
  abstract end(erasure: UserErasure): Promise<void>;
  /** Sessions with an erasure that was not completed within `idleMs`. */
  abstract unfinished(idleMs: number, limit: number, part: number | null): Promise<readonly DueSession[]>;
  /** Sessions at the end of their retention, without those with forks that are not erased. */
  abstract expired(limit: number, part: number | null): Promise<readonly ExpiredSession[]>;
}
