import { Injectable, Logger } from '@nestjs/common';
import { Clock, LiveBus, Outbox } from '../core/ports.js';

const BATCH = 100;

/** The last net: gives a job to running turns that have made no step for a while and have none, as after a restore of the database. */
@Injectable()
export class OrphanedTurns {
  readonly #log = new Logger(OrphanedTurns.name);
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly outbox: Outbox,
    private readonly live: LiveBus,
    private readonly clock: Clock,
  ) {}

  start(afterMs: number): void {
    this.#timer = setInterval(() => {
      this.sweep(afterMs).catch((error: unknown) => this.#log.warn(`stalled turns could not be looked for; trying again: ${String(error)}`));
    }, afterMs);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** How many turns were found. */
  async sweep(afterMs: number): Promise<number> {
    const recalled = await this.outbox.requeueOrphaned(this.clock.now() - afterMs, BATCH);
    if (recalled > 0) this.live.nudge();
    return recalled;
  }
}
