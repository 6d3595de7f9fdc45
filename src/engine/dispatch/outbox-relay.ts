import { Injectable, Logger } from '@nestjs/common';
import { EVERY_SESSION, JobQueue, LiveBus, Outbox } from '../../ports/index.js';
import { DueRuns } from './due-runs.js';
import { OneOfMany } from './one-of-many.js';

const BATCH = 100;

/** After an error. */
const RETRY_MS = 500;

export interface RelayOptions {
  /** The longest time between two looks at the outbox by some process, while sessions change. */
  readonly pollMs: number;
  /** Leased jobs of one tenant at a time. */
  readonly perTenant: number;
  /** A job that is not completed within this time is delivered again, in case the queue has lost it. */
  readonly leaseMs: number;
}

/**
 * Delivers jobs from the outbox to the queue: at once those that this process has committed, and others when a lease ends or when it polls, in case the process that
 * committed them has died. While no session changes, only one process polls; alone, or after a while, any. A job stays in the outbox until an append ends its turn, so neither a crash nor a queue that loses its contents loses a job. Delivery is at least once: a worker claims the turn and
 * reads from the log what is left to do. The same look finds out when a schedule of prompts is due next, so that schedules need no poll of their own.
 */
@Injectable()
export class OutboxRelay {
  readonly #log = new Logger(OutboxRelay.name);
  #options: RelayOptions = { pollMs: 0, perTenant: 0, leaseMs: 0 };
  #delivering: Promise<void> | null = null;
  #wakeAgain = false;
  #stopped = true;
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => undefined;
  /** Whether a session has changed since the last look. */
  #isBusy = true;
  readonly #oneOfMany: OneOfMany;

  constructor(
    private readonly outbox: Outbox,
    private readonly queue: JobQueue,
    private readonly live: LiveBus,
    private readonly runs: DueRuns,
  ) {
    this.#oneOfMany = new OneOfMany(live);
  }

  start(options: RelayOptions): void {
    this.#options = options;
    this.#stopped = false;
    const unsubscribe = [this.live.onNotify(() => this.#wake()), this.live.subscribe(EVERY_SESSION, () => (this.#isBusy = true))];
    this.#unsubscribe = () => unsubscribe.forEach((end) => end());
    this.queue.onReturn(() => void this.#redeliver());
    this.#wake();
  }

  /** Stops delivering. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#delivering;
  }

  #wake(): void {
    this.#wakeAgain = true;
    this.#delivering ??= this.#deliver()
      .catch((error: unknown) => {
        this.#log.warn(`jobs could not be delivered to the queue; retrying: ${String(error)}`);
        return RETRY_MS;
      })
      .then((pauseMs) => {
        this.#delivering = null;
        this.#sleep(Math.min(this.#wakeAgain ? RETRY_MS : pauseMs, this.#options.pollMs));
      });
  }

  #sleep(milliseconds: number): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (!this.#stopped)
      this.#timer = setTimeout(() => {
        if (milliseconds < this.#options.pollMs || this.#isBusy || this.#oneOfMany.takes()) this.#wake();
        else this.#sleep(this.#options.pollMs);
      }, milliseconds);
  }

  /** Returns the time until a lease ends or a schedule is due. */
  async #deliver(): Promise<number> {
    const { perTenant, leaseMs } = this.#options;
    let untilNext = Infinity;
    while (this.#wakeAgain && !this.#stopped) {
      this.#wakeAgain = false;
      this.#isBusy = false;
      const { jobs, nextMs, runMs } = await this.outbox.lease(BATCH, perTenant, leaseMs);
      const isDue = runMs !== null && runMs <= 0;
      if (isDue) this.runs.announce();
      untilNext = Math.min(nextMs ?? Infinity, runMs === null || isDue ? Infinity : Math.ceil(runMs));
      if (jobs.length === BATCH) this.#wakeAgain = true;
      await this.queue.add(jobs);
    }
    return untilNext;
  }

  async #redeliver(): Promise<void> {
    try {
      await this.outbox.redeliver();
      if (!this.#stopped) this.#wake();
    } catch (error) {
      this.#log.warn(`the leases of the outbox could not be expired; jobs that the queue lost are delivered when their leases end: ${String(error)}`);
    }
  }
}
