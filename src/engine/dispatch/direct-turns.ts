import { Injectable, Logger } from '@nestjs/common';
import { TurnDispatch, type TurnSlot } from '../commands/turn-dispatch.js';
import { Clock, type Job, JobQueue, LiveBus, Outbox, type TurnClaim } from '../../ports/index.js';
import { sleep } from './sleep.js';
import { Stopping } from './stopping.js';

export interface DirectTurnsOptions {
  /** Turns at a time, those from the queue included. */
  readonly concurrency: number;
  /** Leases of one tenant at a time. */
  readonly perTenant: number;
  /** A process that has not renewed its leases for this long loses its turns to the queue. */
  readonly leaseMs: number;
  /** Rejects when the turn cannot be continued here; the queue then has it. */
  readonly run: (job: Job, claim: TurnClaim, signal: AbortSignal) => Promise<void>;
}

interface Run {
  readonly job: Job;
  readonly controller: AbortController;
  lost: boolean;
  ended: Promise<void>;
}

/** Milliseconds that `stop` waits for turns after it has aborted them. */
const ABORT_WAIT_MS = 1_000;

const NEVER_ABORTED = new AbortController().signal;

/**
 * Turns that this process runs because its own append started them, without the queue. Their jobs are leased to this process from the commit on. It renews the
 * leases; a job with an expired lease, because the process died or was frozen, is delivered to the queue like any other, and the fencing token of the next
 * claim rejects what this process still reports.
 */
@Injectable()
export class DirectTurns {
  readonly #log = new Logger(DirectTurns.name);
  readonly #runs = new Map<string, Run>();
  /** Jobs, by id, that may be leased to this process although it does not run them. */
  readonly #unclear = new Map<string, Job>();
  #options: DirectTurnsOptions | null = null;
  #holder = '';
  /** Of appends that have not ended. */
  readonly #reservations = new Set<Promise<void>>();
  #fromQueue = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly queue: JobQueue,
    private readonly live: LiveBus,
    private readonly dispatch: TurnDispatch,
    private readonly clock: Clock,
    private readonly stopping: Stopping,
  ) {}

  start(options: DirectTurnsOptions): void {
    this.#options = options;
    this.#holder = this.clock.uuid();
    this.outbox.present(this.#holder);
    this.#timer = setInterval(() => void this.#renew(options), Math.max(Math.floor(options.leaseMs / 4), 1));
    this.dispatch.provide(() => this.#acquire(options));
  }

  /** Runs a job that the queue delivered, which takes room as well. */
  async countQueued(work: () => Promise<void>): Promise<void> {
    this.#fromQueue += 1;
    try {
      await work();
    } finally {
      this.#fromQueue -= 1;
    }
  }

  /** Takes no more turns. Running ones have up to `graceMs` to end; then they are aborted, and the queue has them. */
  async stop(graceMs: number): Promise<void> {
    this.dispatch.provide(() => null);
    await this.#idleWithin(graceMs);
    for (const { controller } of this.#runs.values()) controller.abort(new Error('The process is stopping'));
    await this.#idleWithin(ABORT_WAIT_MS);
    clearInterval(this.#timer);
    await this.#releaseUnclear();
    if (this.#runs.size > 0) await this.#release([...this.#runs.values()].map(({ job }) => job));
  }

  #acquire({ concurrency, perTenant, leaseMs }: DirectTurnsOptions): TurnSlot | null {
    const direct = this.#runs.size + this.#reservations.size;
    // A queue with a backlog keeps its part of the room in use. Turns that arrive meanwhile must not overtake it.
    if (direct >= concurrency || this.#fromQueue * 2 >= concurrency - direct) return null;
    let ended: () => void = () => undefined;
    const reservation = new Promise<void>((resolve) => (ended = resolve));
    const close = (then: () => void = () => undefined): void => {
      if (!this.#reservations.delete(reservation)) return;
      then();
      this.#limitQueue();
      ended();
    };
    this.#reservations.add(reservation);
    return {
      terms: { holder: this.#holder, perTenant, leaseMs },
      start: (job, claim) => close(() => this.#begin(job, claim)),
      release: () => close(),
      releaseUnclear: (job) =>
        close(() => {
          this.#unclear.set(job.id, job);
          void this.#releaseUnclear();
        }),
    };
  }

  #begin(job: Job, claim: TurnClaim): void {
    const run: Run = { job, controller: new AbortController(), lost: false, ended: Promise.resolve() };
    this.#runs.set(job.id, run);
    run.ended = this.#run(job, claim, run).finally(() => {
      this.#runs.delete(job.id);
      this.#limitQueue();
    });
  }

  async #run(job: Job, claim: TurnClaim, run: Run): Promise<void> {
    try {
      await new Promise((resolve) => setImmediate(resolve)); // the client's answer first
      await this.#options!.run(job, claim, run.controller.signal);
    } catch (error) {
      if (run.lost) return;
      if (!run.controller.signal.aborted && !this.stopping.begun) this.#log.warn(`Job ${job.id} failed and is handed to the queue: ${String(error)}`);
      await this.#release([job]);
    }
  }

  /** The room that turns take which run without the queue. At least one job of the queue runs, so that none waits for ever. */
  #limitQueue(): void {
    if (this.#options) this.queue.limit(Math.max(1, this.#options.concurrency - this.#runs.size));
  }

  async #renew({ leaseMs }: DirectTurnsOptions): Promise<void> {
    await this.#releaseUnclear();
    if (this.#runs.size === 0) return;
    const asked = [...this.#runs.values()];
    try {
      const jobs = asked.map(({ job }) => job);
      const held = new Set(await this.outbox.renew(this.#holder, jobs, leaseMs));
      for (const run of asked) if (!held.has(run.job.id)) this.#lose(run);
    } catch (error) {
      this.#log.warn(`the leases of running turns could not be renewed; retrying: ${String(error)}`);
    }
  }

  /** The lease expired before it was renewed and the queue has the job, or the turn is over. */
  #lose(run: Run): void {
    run.lost = true;
    run.controller.abort(new Error('The lease of the turn was lost'));
  }

  async #releaseUnclear(): Promise<void> {
    const jobs = [...this.#unclear.values()].filter(({ id }) => !this.#runs.has(id));
    if (jobs.length > 0 && (await this.#release(jobs))) for (const { id } of jobs) this.#unclear.delete(id);
  }

  async #release(jobs: readonly Job[]): Promise<boolean> {
    try {
      await this.outbox.release(this.#holder, jobs);
      this.live.notify();
      return true;
    } catch (error) {
      this.#log.warn(`jobs could not be handed to the queue; it has them when their leases expire: ${String(error)}`);
      return false;
    }
  }

  /** Waits for the turns that run, and for appends that may start one. */
  async #idleWithin(milliseconds: number): Promise<void> {
    const all = async (): Promise<void> => {
      while (this.#runs.size + this.#reservations.size > 0) await Promise.all([...this.#reservations, ...[...this.#runs.values()].map(({ ended }) => ended)]);
    };
    if (this.#runs.size + this.#reservations.size > 0) await Promise.race([all(), sleep(milliseconds, NEVER_ABORTED)]);
  }
}
