import { Injectable, Logger } from '@nestjs/common';
import { JobQueue, LiveBus, Outbox } from '../core/ports.js';

const BATCH = 100;

export interface RelayOptions {
  /** How often to look without being nudged. */
  readonly pollMs: number;
  /** Jobs of one tenant that may be in the queue's hands at a time. */
  readonly perTenant: number;
  /** A job that is not done for so long is handed over again, in case the queue has lost it. */
  readonly leaseMs: number;
}

/**
 * Hands committed jobs to the queue: at once when a commit nudges it, and on a slow poll in case the nudge was lost. A job stays in the outbox until it is
 * done, so neither a crash in between nor a queue that forgets loses one; a job that is handed over twice finds its turn's log further on.
 */
@Injectable()
export class OutboxRelay {
  readonly #log = new Logger(OutboxRelay.name);
  #options: RelayOptions = { pollMs: 0, perTenant: 0, leaseMs: 0 };
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = true;
  #timer: NodeJS.Timeout | null = null;
  #unsubscribe: () => void = () => undefined;
  #done: string[] = [];
  #finishing: Promise<void> | null = null;

  constructor(
    private readonly outbox: Outbox,
    private readonly queue: JobQueue,
    private readonly live: LiveBus,
  ) {}

  start(options: RelayOptions): void {
    this.#options = options;
    this.#stopped = false;
    this.#unsubscribe = this.live.onNudge(() => this.#wake());
    this.#timer = setInterval(() => this.#wake(), options.pollMs);
    this.queue.onReturn(() => void this.#redeliver());
    this.#wake();
  }

  /** Hands nothing over any more; jobs can still be reported as done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  /** The job has come to its end. Reports of the same moment travel together. */
  done(id: string): void {
    this.#done.push(id);
    this.#finishing ??= this.#finish().finally(() => {
      this.#finishing = null;
    });
  }

  /** Resolves when everything that is done has been reported, as far as the database answers. */
  async settled(): Promise<void> {
    await this.#finishing;
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
    const { perTenant, leaseMs } = this.#options;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const jobs = await this.outbox.lease(BATCH, perTenant, leaseMs);
      if (jobs.length === BATCH) this.#again = true;
      await this.queue.add(jobs);
    }
  }

  async #finish(): Promise<void> {
    while (this.#done.length > 0) {
      const ids = this.#done.splice(0);
      try {
        if (await this.outbox.finish(ids)) this.#wake();
      } catch (error) {
        this.#log.warn(`${ids.length} jobs that are done could not be reported; they will be delivered once more and find nothing to do: ${String(error)}`);
      }
    }
  }

  async #redeliver(): Promise<void> {
    try {
      await this.outbox.redeliver();
      if (!this.#stopped) this.#wake();
    } catch (error) {
      this.#log.warn(`what the queue held is handed over again only when its time is up: ${String(error)}`);
    }
  }
}
