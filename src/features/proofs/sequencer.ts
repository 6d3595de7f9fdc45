import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import {
  Cryptography,
  DatabaseNodes,
  EVERY_SESSION,
  type FeedCursor,
  LiveBus,
  type SignedCheckpoint,
  TaskLeases,
  Telemetry,
  TransparencyLog,
} from '../../ports/index.js';
import { type FullTile, GrowingTree } from '../../../packages/proofs/growing-tree.js';
import { leafHashOf } from '../../../packages/proofs/leaf.js';
import { edgeTiles } from '../../../packages/proofs/proofs.js';
import { runsFrom } from '../../../packages/proofs/runs.js';
import { OneOfMany } from '../../engine/dispatch/one-of-many.js';
import { CheckpointSigner } from './checkpoint-signer.js';

/** Leaves per transaction. Hashing so many holds the event loop for some milliseconds. */
const BATCH = 2_000;

/** The lease is renewed, or tried for, this many times within its length. */
const ATTEMPTS_PER_LEASE = 3;

/** What the process that holds the lease knows of the tree; without it, it is read. */
interface Tenure {
  readonly fence: number;
  readonly tree: GrowingTree;
  readonly cursor: FeedCursor | null;
  /** The newest checkpoint when the lease was taken. */
  readonly head: SignedCheckpoint | null;
}

/**
 * Adds new events to the transparency log: one process, under a lease, at most once per interval, and only when an append was announced. An announcement that
 * got lost, and an event that an open transaction held back, are found when the lease is renewed. All others only try for the lease.
 */
@Injectable()
export class Sequencer {
  readonly #log = new Logger(Sequencer.name);
  readonly #holder = randomUUID();
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => undefined;
  #running: Promise<void> | null = null;
  #stopped = false;
  #isDue = true;
  #nextAttempt = 0;
  #tenure: Tenure | null = null;
  /** When the first of the attempts failed that have failed since. */
  #lateSince: number | null = null;
  readonly #oneOfMany: OneOfMany;

  constructor(
    private readonly transparencyLog: TransparencyLog,
    private readonly leases: TaskLeases,
    private readonly signer: CheckpointSigner,
    private readonly cryptography: Cryptography,
    private readonly live: LiveBus,
    private readonly telemetry: Telemetry,
    private readonly nodes: DatabaseNodes,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'TLOG_INTERVAL_MS' | 'TLOG_LEASE_MS'>,
  ) {
    this.#oneOfMany = new OneOfMany(live);
  }

  start(): void {
    this.#unsubscribe = this.live.subscribe(EVERY_SESSION, () => (this.#isDue = true));
    this.#timer = setInterval(() => this.#tick(), this.settings.TLOG_INTERVAL_MS);
    this.#tick();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
    if (this.#tenure) await this.leases.end('sequence', this.#holder).catch(() => undefined); // otherwise it ends by itself
  }

  /** Adds everything that is recorded now, if this process has the lease. Returns the number of leaves added. */
  async sequence(): Promise<number> {
    const fence = await this.leases.take('sequence', this.#holder, this.settings.TLOG_LEASE_MS);
    if (fence === null) {
      this.#tenure = null;
      return 0;
    }
    const away = await this.nodes.away();
    // Otherwise each attempt would leave a session of the coordinator that waits for it.
    if (away.length > 0) throw new Error(`the next event may be of a tenant on ${away.join(', ')}, which does not answer`);
    let added = 0;
    for (;;) {
      const tenure: Tenure = this.#tenure?.fence === fence ? this.#tenure : await this.#take(fence);
      this.#tenure = tenure; // also when there is nothing to add: the lease is ended at a stop, and the next append waits for no renewal
      const { leaves, cursor, isComplete } = await this.transparencyLog.pending(tenure.cursor, BATCH);
      const isFirst = tenure.cursor === null; // an empty tree has a checkpoint, too
      if (!isComplete) this.#isDue = true;
      if (leaves.length === 0 && !isFirst) return added;
      const from = tenure.tree.size;
      const hashes = leaves.map((leaf) => leafHashOf(this.cryptography.sha256, leaf));
      const tiles: FullTile[] = hashes.flatMap((hash) => tenure.tree.add(hash));
      const checkpoint = await this.signer.sign({ size: tenure.tree.size, root: tenure.tree.root() }, tenure.head);
      // Until the leaves are stored, the tree in memory is ahead of the one in the database.
      this.#tenure = null;
      const isExtended = await this.transparencyLog.extend(this.#holder, fence, { from, runs: runsFrom(from, leaves, hashes), tiles, checkpoint, cursor });
      if (!isExtended) return added; // the next attempt reads who has the lease, and what the tree is
      this.#tenure = { ...tenure, cursor };
      added += leaves.length;
      this.telemetry.count('tlog_leaves', {}, leaves.length);
      // Fewer than it asked for: the rest, of appends since, is for the next interval.
      if (leaves.length < BATCH || this.#stopped) return added;
      await setImmediate();
    }
  }

  #tick(): void {
    const now = performance.now();
    if (this.#running || (now < this.#nextAttempt && !(this.#isDue && this.#tenure))) return;
    this.#isDue = false;
    this.#nextAttempt = now + this.settings.TLOG_LEASE_MS / ATTEMPTS_PER_LEASE;
    if (!this.#tenure && !this.#oneOfMany.takes()) return;
    this.#running = this.sequence()
      .then(
        () => this.#late(false),
        (error: unknown) => {
          this.#late(true);
          this.#tenure = null; // the next attempt is not sooner than the lease is renewed
          this.#log.warn(`events could not be added to the transparency log; retrying: ${String(error)}`);
        },
      )
      .finally(() => (this.#running = null));
  }

  #late(isLate: boolean): void {
    this.#lateSince = isLate ? (this.#lateSince ?? performance.now()) : null;
    this.telemetry.gauge('tlog_late_seconds', this.#lateSince === null ? 0 : (performance.now() - this.#lateSince) / 1_000);
  }

  async #take(fence: number): Promise<Tenure> {
    const head = await this.transparencyLog.head();
    const size = head?.size ?? 0;
    const edge = edgeTiles(size);
    const hashes = await this.transparencyLog.tiles(edge, size);
    const levels: (readonly Uint8Array[])[] = [];
    for (const tile of edge) levels[tile.level] = hashes(tile);
    const tree = new GrowingTree(
      this.cryptography.sha256,
      size,
      Array.from(levels, (level) => level ?? []),
    );
    return { fence, tree, cursor: head?.cursor ?? null, head };
  }
}
