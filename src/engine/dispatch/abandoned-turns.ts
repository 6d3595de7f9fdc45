import { Injectable, Logger } from '@nestjs/common';
import { EVERY_SESSION, JobQueue, LiveBus, Outbox } from '../../ports/index.js';

/** Between two looks of the process that leads, while turns run. The next ones look less often: one of them has to notice that it was this one which has died. */
const LOOK_MS = 1_000;

export interface AbandonedTurnsOptions {
  /** Of turns that run without the queue. */
  readonly leaseMs: number;
  /** Between two looks while no session changes and nothing is leased, in case a signal was lost. */
  readonly idleMs: number;
}

/**
 * Finds turns whose process has died, long before their leases end: while any turn runs, processes look every second or
 * more, by their rank, for leases and locks of processes that are gone. They take nothing from a process that lives, however slow: a lease of such a process ends by itself.
 */
@Injectable()
export class AbandonedTurns {
  readonly #log = new Logger(AbandonedTurns.name);
  #options: AbandonedTurnsOptions = { leaseMs: 0, idleMs: 0 };
  #timer: NodeJS.Timeout | undefined;
  #isSoon = false;
  #looking: Promise<void> | null = null;
  #stopped = true;
  #unsubscribe: () => void = () => undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly queue: JobQueue,
    private readonly live: LiveBus,
  ) {}

  start(options: AbandonedTurnsOptions): void {
    this.#options = options;
    this.#stopped = false;
    this.#unsubscribe = this.live.subscribe(EVERY_SESSION, () => this.#plan(LOOK_MS));
    this.#plan(LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Looks once. Returns whether there is anything to look for again. */
  async look(): Promise<boolean> {
    const { ended, held, queued } = await this.outbox.endAbandoned(this.#options.leaseMs);
    if (ended > 0) this.live.notify();
    if (queued) await this.queue.recover();
    return held || queued;
  }

  #plan(pauseMs: number): void {
    if (this.#stopped || this.#isSoon) return;
    this.#isSoon = pauseMs === LOOK_MS;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#isSoon = false;
        this.#looking ??= this.#round().finally(() => (this.#looking = null));
      },
      pauseMs * (1 + this.live.rank / 2),
    );
  }

  async #round(): Promise<void> {
    const isLeft = await this.look().catch((error: unknown) => {
      this.#log.warn(`turns of processes that have died could not be searched for; retrying: ${String(error)}`);
      return true;
    });
    this.#plan(isLeft ? LOOK_MS : this.#options.idleMs);
  }
}
