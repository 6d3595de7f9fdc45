import type { TileHashes } from '../../packages/proofs/proofs.js';
import type { FullTile } from '../../packages/proofs/growing-tree.js';
import type { Leaf } from '../../packages/proofs/leaf.js';
import type { Tile } from '../../packages/proofs/tiles.js';

export type Task = 'sequence' | 'anchor' | 'audit' | `erase ${number}`;

/** Tasks that one process at a time does, under a lease by the store's own clock. */
export abstract class TaskLeases {
  /** Takes or renews the lease. Resolves to its fencing number, which grows with every new holder; null: another process holds it. */
  abstract take(task: Task, holder: string, leaseMs: number): Promise<number | null>;
  /** How far the holders before have come; null: nothing was kept. It is for the database's owner to change: what must be found does not rely on it. */
  abstract progress(task: Task): Promise<unknown>;
  /** Keeps how far this holder has come. False: it holds the lease no longer. */
  abstract keep(task: Task, holder: string, fence: number, progress: unknown): Promise<boolean>;
  /** Gives the lease back, if this process holds it. */
  abstract end(task: Task, holder: string): Promise<void>;
}

/** A signed checkpoint. */
export interface SignedCheckpoint {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
  /** The public key that verifies the note. */
  readonly verifier: string;
  readonly createdAt: string;
}

/** A place in the feed, which is the events of all sessions in the order of their transactions. */
export interface FeedCursor {
  readonly transaction: string;
  readonly position: string;
}

/** An event that is not in the transparency log yet. */
export interface PendingLeaf extends Leaf {
  readonly tenantId: string;
}

/** A session of any tenant. */
export interface SessionPlace {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** Consecutive events of one session in the transparency log. */
export interface LeafRun {
  readonly firstIndex: number;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly firstSeq: number;
  /** Leaf hashes. */
  readonly hashes: readonly Uint8Array[];
}

/** Leaves to add, with what they complete. */
export interface Extension {
  /** The size of the tree that they continue. */
  readonly from: number;
  readonly runs: readonly Omit<LeafRun, 'firstIndex'>[];
  readonly tiles: readonly FullTile[];
  readonly checkpoint: Omit<SignedCheckpoint, 'createdAt' | 'size'>;
  /** The last event in the feed. */
  readonly cursor: FeedCursor;
}

/** What a target outside gave for a checkpoint. */
export interface AnchorReceipt {
  readonly size: number;
  readonly note: string;
  /** `timestamp`, or `witness` and its name. */
  readonly target: string;
  readonly at: string;
  /** A time stamp token in base64, or a signature line. */
  readonly receipt: string;
}

/** What keeps the rows of a table as they were recorded, or tenants apart, and is not as the database was made with. */
export interface MissingGuard {
  readonly table: string;
  readonly problem: string;
}

/** The Merkle tree over the events of all sessions. Rows are only ever added. */
export abstract class TransparencyLog {
  /** The newest checkpoint, and where in the feed its last event is; null before the first one. */
  abstract head(): Promise<(SignedCheckpoint & { readonly cursor: FeedCursor }) | null>;
  /** The next events in feed order. `isComplete`: no further event had been recorded; false also while a transaction is open that may still record an earlier one. */
  abstract pending(
    cursor: FeedCursor | null,
    limit: number,
  ): Promise<{ readonly leaves: readonly PendingLeaf[]; readonly cursor: FeedCursor; readonly isComplete: boolean }>;
  /** Adds leaves. False: the lease has another holder, or the tree has another size. */
  abstract extend(holder: string, fence: number, extension: Extension): Promise<boolean>;
  /** Reads tiles of the tree of `size` leaves, in a number of statements that depends on neither. */
  abstract tiles(tiles: readonly Tile[], size: number): Promise<TileHashes>;
  /** The runs of a session that begin after `seq`, in order of seq; an event that was added twice is in two. */
  abstract runsOf(tenantId: string, sessionId: string, seq: number, limit: number): Promise<readonly LeafRun[]>;
  /** The last run of a session that begins at `seq` at the latest, in the tree of `size` leaves; null when there is none. */
  abstract lastRunOf(tenantId: string, sessionId: string, seq: number, size: number): Promise<LeafRun | null>;
  /** The chain hashes of the events of a session after `seq`. */
  abstract eventHashes(tenantId: string, sessionId: string, seq: number, limit: number): Promise<readonly Uint8Array[]>;
  /**
   * The seq of the first event of a session after `seq` that is not among the events that may be added next: it is at or before the cursor in the feed, or its transaction is of the future. Null: none.
   */
  abstract leftOut(tenantId: string, sessionId: string, seq: number, cursor: FeedCursor): Promise<number | null>;
  /**
   * Ids of the tenant's sessions, after the given one, in order: those with a leaf and those in the session list, so that a session is found when either is gone or was given to
   * another tenant.
   */
  abstract sessionsOf(tenantId: string, after: string | null, limit: number): Promise<readonly string[]>;
  /**
   * Sessions of all tenants that have a log, with or without leaves, after the given one, in the order of tenants and ids. Null: from the first one on. `isComplete`: those of tenants of a node that is away are
   * among them.
   */
  abstract sessionsAfter(after: SessionPlace | null, limit: number): Promise<{ readonly sessions: readonly SessionPlace[]; readonly isComplete: boolean }>;
  /** The runs from the leaf `index` on, in the order of the tree. */
  abstract runs(index: number, limit: number): Promise<readonly LeafRun[]>;
  /** Of all tables, by the catalogue of the database; empty: every guard is there. */
  abstract missingGuards(): Promise<readonly MissingGuard[]>;
  /** Records that a target outside has taken the checkpoint of `size` leaves, and what it gave in return. */
  abstract recordAnchor(target: string, size: number, receipt: string | null): Promise<void>;
  /** The newest checkpoints for which a target gave something in return. */
  abstract anchorReceipts(limit: number): Promise<readonly AnchorReceipt[]>;
  /** The newest checkpoint that any target has taken. */
  abstract lastAnchor(): Promise<{ readonly size: number; readonly at: string } | null>;
  /** The stored private key; `created` is stored when there is none. */
  abstract storedSigner(created: string): Promise<string>;
}

export abstract class Cryptography {
  abstract sha256(content: Uint8Array): Uint8Array;
  abstract randomBytes(count: number): Uint8Array;
  /** Ed25519, with the seed of a private key. */
  abstract publicKey(seed: Uint8Array): Uint8Array;
  abstract sign(seed: Uint8Array, text: Uint8Array): Uint8Array;
  abstract verify(publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean;
}
