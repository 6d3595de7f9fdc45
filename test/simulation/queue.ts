import { type Job, type JobContext, JobQueue } from '../../src/ports/index.js';
import type { SimulatedProcess } from './process.js';
import { SIMULATED_SETTINGS } from './settings.js';
import type { World } from './world.js';

interface Entry {
  readonly job: Job;
  token: string | null;
  lockedUntil: number;
  notBefore: number;
}

const { JOB_LOCK_MS } = SIMULATED_SETTINGS;
const CHECK_MS = JOB_LOCK_MS / 4;
const RETRY_MS = 1_000;
/** How long a stop waits for handlers after it has aborted them. */
const STOP_MS = 1_000;

/** The queue service: at-least-once delivery under locks that expire by the service's own clock. */
export class QueueServer {
  readonly entries = new Map<string, Entry>();
  readonly workers = new Set<SimulatedQueue>();

  constructor(private readonly world: World) {}

  add(jobs: readonly Job[]): void {
    for (const job of jobs) if (!this.entries.has(job.id)) this.entries.set(job.id, { job, token: null, lockedUntil: 0, notBefore: 0 });
    this.#wake();
  }

  take(token: string): Job | null {
    const entry = this.#next();
    if (!entry) return null;
    entry.token = token;
    entry.lockedUntil = this.world.scheduler.now + JOB_LOCK_MS;
    return entry.job;
  }

  #next(): Entry | null {
    const { now } = this.world.scheduler;
    for (const entry of this.entries.values()) {
      // A job whose lock has expired is stalled: it goes to another worker.
      if (entry.token !== null && entry.lockedUntil > now) continue;
      if (entry.notBefore <= now) return entry;
    }
    return null;
  }

  holds(id: string, token: string): boolean {
    const entry = this.entries.get(id);
    return entry?.token === token && entry.lockedUntil > this.world.scheduler.now;
  }

  /** False: the lock was lost. */
  renew(id: string, token: string): boolean {
    const entry = this.entries.get(id);
    if (entry?.token !== token) return false;
    entry.lockedUntil = this.world.scheduler.now + JOB_LOCK_MS;
    return true;
  }

  finish(id: string, token: string, outcome: 'done' | 'returned' | 'failed'): void {
    const entry = this.entries.get(id);
    if (entry?.token !== token) return;
    const pauseMs = outcome === 'failed' ? RETRY_MS : 0;
    if (outcome === 'done') this.entries.delete(id);
    else Object.assign(entry, { token: null, notBefore: this.world.scheduler.now + pauseMs });
    this.world.scheduler.after(pauseMs, () => this.#wake());
  }

  /** As Redis does that restarts without persistence. */
  loseEverything(): void {
    this.entries.clear();
    const { now } = this.world.scheduler;
    this.world.incidents.note('queue', null, now, now + 200);
    this.world.scheduler.after(200, () => this.workers.forEach((worker) => worker.returned()));
  }

  /** Finds expired locks. */
  check(): void {
    this.#wake();
  }

  /** Workers wait at the server, which answers them when there is a job. */
  #wake(): void {
    if (this.#next()) for (const worker of this.workers) worker.wake();
  }
}

/** One process's connection to the queue. */
export class SimulatedQueue extends JobQueue {
  #handle: ((job: Job, context: JobContext) => Promise<void>) | null = null;
  #concurrency = 0;
  #running = 0;
  #taking = false;
  #again = false;
  #stopping = false;
  readonly #runs = new Set<Promise<void>>();
  readonly #controllers = new Set<AbortController>();
  readonly #onReturn: (() => void)[] = [];

  constructor(private readonly process: SimulatedProcess) {
    super();
  }

  override add(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return Promise.resolve();
    return this.process.call(() => this.#server.add(jobs));
  }

  override onReturn(listener: () => void): void {
    this.#onReturn.push(listener);
  }

  override async work(concurrency: number, handle: (job: Job, context: JobContext) => Promise<void>): Promise<void> {
    this.#concurrency = concurrency;
    this.#handle = handle;
    this.#server.workers.add(this);
    this.wake();
  }

  override limit(concurrency: number): void {
    this.#concurrency = concurrency;
    this.wake();
  }

  /** As the real one: a job whose handler does not end in time is given back, so that another worker can take it at once. */
  override async finish(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#server.workers.delete(this);
    const { scheduler } = this.process.world;
    const ended = async (): Promise<void> => {
      await Promise.all(this.#runs);
    };
    await Promise.race([ended(), scheduler.sleep(graceMs)]);
    for (const controller of this.#controllers) controller.abort(new Error('The process is stopping'));
    await Promise.race([ended(), scheduler.sleep(STOP_MS)]);
  }

  override stop(graceMs: number): Promise<void> {
    return this.finish(graceMs);
  }

  get capacity(): number {
    return this.#concurrency;
  }

  get running(): number {
    return this.#running;
  }

  override ping(): Promise<void> {
    return Promise.resolve();
  }

  returned(): void {
    if (this.process.status !== 'dead') for (const listener of this.#onReturn) listener();
  }

  wake(): void {
    if (this.process.status === 'dead' || this.#stopping) return void this.#server.workers.delete(this);
    this.#again = true;
    if (!this.#taking) void this.#take();
  }

  get #server(): QueueServer {
    return this.process.world.queue;
  }

  async #take(): Promise<void> {
    this.#taking = true;
    while (this.#again && this.#running < this.#concurrency && !this.#stopping) {
      this.#again = false;
      const token = this.process.world.ids.uuid();
      const job = await this.process.call(() => this.#server.take(token)).catch(() => null);
      if (!job) continue;
      this.#again = true;
      this.#running += 1;
      const run = this.#run(job, token).finally(() => {
        this.#running -= 1;
        this.#runs.delete(run);
        this.wake();
      });
      this.#runs.add(run);
    }
    this.#taking = false;
  }

  async #run(job: Job, token: string): Promise<void> {
    const { world } = this.process;
    const controller = new AbortController();
    this.#controllers.add(controller);
    const renewal = this.#renew(job.id, token, controller);
    const delivery = world.delivered(job, token, this.process);
    let succeeded = true;
    try {
      await this.#handle!(job, { signal: controller.signal });
    } catch (error) {
      succeeded = false;
      world.failures.push(error);
    } finally {
      renewal.stop();
      delivery();
      this.#controllers.delete(controller);
    }
    const outcome = succeeded ? 'done' : this.#stopping ? 'returned' : 'failed';
    await this.process.call(() => this.#server.finish(job.id, token, outcome)).catch(() => undefined);
  }

  #renew(id: string, token: string, controller: AbortController): { stop(): void } {
    let stopped = false;
    const next = (): void => {
      this.process.world.scheduler.after(CHECK_MS, async () => {
        await this.process.alive();
        if (stopped) return;
        const held = await this.process.call(() => this.#server.renew(id, token)).catch(() => true);
        if (!held) controller.abort(new Error('the lock of the job was lost'));
        else if (!stopped) next();
      });
    };
    next();
    return {
      stop: () => {
        stopped = true;
      },
    };
  }
}
