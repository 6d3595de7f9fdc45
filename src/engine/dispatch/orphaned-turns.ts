import { Injectable, Logger } from '@nestjs/common';
import { LiveBus, Outbox } from '../../ports/index.js';
import { OneOfMany } from './one-of-many.js';

const BATCH = 100;

/** Requeues orphaned turns: running turns without a job, as after a restore of the database. */
@Injectable()
export class OrphanedTurns {
  readonly #log = new Logger(OrphanedTurns.name);
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly outbox: Outbox,
    private readonly live: LiveBus,
  ) {}

  start(afterMs: number): void {
    const oneOfMany = new OneOfMany(this.live);
    this.#timer = setInterval(() => {
      if (!oneOfMany.takes()) return;
      this.sweep(afterMs).catch((error: unknown) => this.#log.warn(`orphaned turns could not be searched for; retrying: ${String(error)}`));
    }, afterMs);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Returns the number of turns requeued. */
  async sweep(afterMs: number): Promise<number> {
    const requeued = await this.outbox.requeueOrphaned(afterMs, BATCH);
    if (requeued > 0) this.live.notify();
    return requeued;
  }
}
