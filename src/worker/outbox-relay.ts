import { Injectable, Logger } from '@nestjs/common';
import { JobQueue, LiveBus, Outbox } from '../core/ports.js';

const BATCH = 100;

/** Longer than any hand-over takes; a relay that dies in one leaves its jobs to the next after this. */
const LEASE_MS = 30_000;

/**
 * Hands committed jobs to the queue: at once when a commit nudges it, and every `pollMs` in case the nudge was lost. A crash between hand-over and
 * confirmation hands a job over twice; the turn's log makes that harmless.
 */
@Injectable()
export class OutboxRelay {
  readonly #log = new Logger(OutboxRelay.name);
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = true;
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly queue: JobQueue,
    private readonly live: LiveBus,
  ) {}

  start(pollMs: number): void {
    this.#stopped = false;
    this.#unsubscribe = this.live.onNudge(() => this.#wake());
    this.#timer = setInterval(() => this.#wake(), pollMs);
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  #wake(): void {
    this.#again = true;
    this.#running ??= this.#run()
      .catch((error: unknown) => this.#log.warn(`jobs could not be handed to the queue; trying again: ${String(error)}`))
      .finally(() => {
        this.#running = null;
      });
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const jobs = await this.outbox.claim(BATCH, LEASE_MS);
      if (jobs.length === 0) continue;
      await this.queue.add(jobs);
      await this.outbox.confirm(jobs.map((job) => job.claim));
      if (jobs.length === BATCH) this.#again = true;
    }
  }
}
