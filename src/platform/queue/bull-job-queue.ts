import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Queue, Worker, type IQueueBackend } from 'bullmq';
import { JobQueue, type Job, type JobContext } from '../../ports/index.js';
import { DEFAULT_TIMEOUT_MS, type QueueBackend } from './backend.js';
import { RunningJobs } from './running-jobs.js';
import { ThrottledReport } from './throttled-report.js';
import { isSettledWithin } from './time-limit.js';

type Payload = Job['payload'];
export type BullQueue = Queue<Payload, void, string, Payload, void, string, IQueueBackend, unknown>;
type BullWorker = Worker<Payload, void, string, IQueueBackend, number, unknown>;

export interface JobQueueOptions {
  readonly backend: QueueBackend;
  /** Milliseconds after which the lock of a dead worker expires; another worker takes its jobs after the next `recover`. A worker that is paused for less than three quarters keeps its jobs. */
  readonly lockMs: number;
  /** Receives failed attempts and backend errors. */
  readonly report: (problem: string, error: unknown) => void;
  /** The maximum pause before a failed job is retried, in milliseconds; pauses grow from 200 ms. */
  readonly retryMaxMs?: number;
  /** Milliseconds that `add` and `ping` wait for the backend. */
  readonly timeoutMs?: number;
  /** Milliseconds that `stop` waits for handlers after it has aborted their signal. */
  readonly abortWaitMs?: number;
}

const NAME: Job['queue'] = 'turns';

const FIRST_RETRY_MS = 200;

/** The log decides when a job is complete; the queue retries without limit. The backends need a 32-bit integer. */
const UNLIMITED = 1_000_000_000;

/** Events that BullMQ stores for dashboards. */
const MAX_EVENTS = 1_000;

const RECOVER_MS = 500;

/** Interval of the checks whether a lost backend is back. */
const RECONNECT_CHECK_MS = 200;

/** Milliseconds that closing the connections may take. */
const CLOSE_MS = 2_000;

/** Jobs in BullMQ, on Postgres or Redis. Backend errors are reported; both backends reconnect by themselves. */
export class BullJobQueue extends JobQueue {
  readonly #options: JobQueueOptions;
  readonly #report: ThrottledReport;
  readonly #timeoutMs: number;
  readonly #onReturn: (() => void)[] = [];
  #returning = false;
  #queue: Promise<BullQueue> | null = null;
  #worker: BullWorker | null = null;
  #running: RunningJobs | null = null;
  #finished: Promise<void> | null = null;
  /** Ends the wait for each search that `recover` has begun. */
  readonly #searches = new Set<() => void>();
  #stopped: Promise<void> | null = null;
  #repairedAt = -Infinity;
  #renewTimer: NodeJS.Timeout | undefined;

  constructor(options: JobQueueOptions) {
    super();
    this.#options = options;
    this.#report = new ThrottledReport(options.report);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Adds in order. A job with an id that the queue already has is ignored. Rejects when not all were added; the call may then be repeated. */
  async add(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return;
    const queue = await this.inner();
    const entries = jobs.map((job) => ({ name: 'turn', data: job.payload, opts: { jobId: job.id } }));
    if (this.#options.backend.addsInBulk) {
      await this.#within(queue.addBulk(entries), 'adding jobs');
      return;
    }
    for (const { name, data, opts } of entries) await this.#within(queue.add(name, data, opts), 'adding a job');
  }

  onReturn(listener: () => void): void {
    this.#onReturn.push(listener);
  }

  async work(concurrency: number, handle: (job: Job, context: JobContext) => Promise<void>): Promise<void> {
    if (this.#worker) throw new Error('work() was already called; call it once per process');
    if (this.#stopped || this.#finished) throw new Error('The job queue was stopped');
    const { backend, lockMs } = this.#options;
    const quarter = Math.max(Math.floor(lockMs / 4), 1);
    const running = new RunningJobs(handle, (problem, error) => this.#report.report(problem, error));
    const worker = new Worker<Payload, void, string, IQueueBackend, number, unknown>(
      NAME,
      (job, token = '') => running.process(job, token),
      {
        ...backend.forWorker(),
        autorun: false,
        concurrency,
        lockDuration: lockMs,
        // BullMQ compares the time at which a lock was taken with the clock of this process, and renews nothing while the former lies in the future.
        skipLockRenewal: true,
        skipStalledCheck: true, // the caller of `recover` knows whether there is anything to look for
        stalledInterval: RECOVER_MS, // between two looks of all processes together
        maxStalledCount: UNLIMITED,
        drainDelay: backend.askMs / 1_000,
        runRetryDelay: 250,
        settings: { backoffStrategy: (attempts) => this.#retryPause(attempts) },
      },
      backend.factory,
    );
    worker.on('error', (error) => this.#report.report('Error of the job queue; retrying', error));
    this.#worker = worker;
    this.#running = running;
    try {
      await this.#within(worker.waitUntilReady(), 'starting the worker');
    } catch (error) {
      this.#worker = null;
      void worker.close(true).catch(() => undefined);
      throw error;
    }
    backend.present(worker.id);
    // Not one after the other: a renewal on a silent connection must not delay the next one. The interval is on the monotonic clock.
    this.#renewTimer = setInterval(() => void this.#renewLocks(worker, running), quarter).unref();
    worker.run().catch((error: unknown) => this.#report.report('The worker stopped unexpectedly', error));
  }

  limit(concurrency: number): void {
    if (this.#worker) this.#worker.concurrency = concurrency;
  }

  finish(graceMs: number): Promise<void> {
    return (this.#finished ??= this.#worker && this.#running ? this.#finish(this.#worker, this.#running, graceMs) : Promise.resolve());
  }

  stop(graceMs: number): Promise<void> {
    return (this.#stopped ??= this.#shutDown(graceMs));
  }

  async ping(): Promise<void> {
    const queue = await this.inner();
    await this.#within(this.#options.backend.ping(queue), 'answering a ping');
  }

  /** BullMQ's own queue, for tools that only read. */
  async inner(): Promise<BullQueue> {
    if (this.#stopped && !this.#queue) throw new Error('The job queue was stopped');
    return await (this.#queue ??= this.#open());
  }

  async #open(): Promise<BullQueue> {
    const { backend } = this.#options;
    const queue = new Queue<Payload, void, string, Payload, void, string, IQueueBackend, unknown>(
      NAME,
      {
        ...backend.forQueue(),
        defaultJobOptions: {
          attempts: UNLIMITED,
          backoff: { type: 'growing' },
          // Retention by count would cause deadlocks on Postgres.
          removeOnComplete: true,
          removeOnFail: true,
          stackTraceLimit: 1,
        },
        streams: { events: { maxLen: MAX_EVENTS } },
      },
      backend.factory,
    );
    queue.on('error', (error) => this.#report.report('Error of the job queue; retrying', error));
    // Only Redis emits this event, and only Redis may lose jobs: on Postgres, queue and outbox are in one database.
    queue.on('ioredis:close', () => void this.#awaitReturn(queue));
    backend.onLost(queue, () => void this.#awaitReturn(queue));
    try {
      await this.#within(queue.waitUntilReady(), 'opening');
      return queue;
    } catch (error) {
      // BullMQ never retries a failed start: the next call opens a new queue.
      this.#queue = null;
      void queue.close().catch(() => undefined);
      throw error;
    }
  }

  async #awaitReturn(queue: BullQueue): Promise<void> {
    if (this.#returning) return;
    this.#returning = true;
    for (let available = false; !available && !this.#stopped;) {
      await pause(RECONNECT_CHECK_MS, undefined, { ref: false });
      available = await queue.isPaused().then(
        () => true,
        () => false,
      );
    }
    this.#returning = false;
    if (!this.#stopped) for (const listener of this.#onReturn) listener();
  }

  async #shutDown(graceMs: number): Promise<void> {
    await this.finish(graceMs);
    const queue = await this.#queue?.catch(() => null);
    this.#queue = null;
    await isSettledWithin(queue?.close(), CLOSE_MS);
    await isSettledWithin(this.#options.backend.close(), CLOSE_MS);
  }

  /** Resolves when `finish` begins, too: on Postgres BullMQ never answers what a worker is asked that closes. */
  override async recover(): Promise<void> {
    const worker = this.#worker;
    if (!worker || this.#finished) return;
    // Not a race with one promise for all: it would keep something of every search as long as the worker runs.
    await new Promise<void>((resolve) => {
      this.#searches.add(resolve);
      void this.#recover(worker).finally(() => {
        this.#searches.delete(resolve);
        resolve();
      });
    });
  }

  /** BullMQ returns a job whose lock has expired at the second look that finds it active. */
  async #recover(worker: BullWorker): Promise<void> {
    const { backend, lockMs } = this.#options;
    try {
      const queue = await this.inner();
      if (performance.now() - this.#repairedAt > lockMs) {
        this.#repairedAt = performance.now();
        await backend.repairTimes(queue, { lockMs, retryMaxMs: this.#retryMaxMs }); // expired locks are found by these times
      }
      await backend.endAbandoned(lockMs);
      if (!this.#finished) await worker['moveStalledJobsToWait']();
    } catch (error) {
      if (!this.#finished) this.#report.report('Jobs of dead workers could not be searched for; retrying', error);
    }
  }

  async #renewLocks(worker: BullWorker, running: RunningJobs): Promise<void> {
    const { ids, tokens } = running.locks();
    if (ids.length === 0) return;
    try {
      const lost = await worker.extendJobLocks([...ids], [...tokens], this.#options.lockMs);
      if (lost.length > 0) this.#report.report('Locks of jobs were lost', new Error(lost.join(', ')));
      running.markLost(lost);
    } catch (error) {
      this.#report.report('The locks of jobs could not be renewed; retrying', error);
    }
  }

  async #finish(worker: BullWorker, running: RunningJobs, graceMs: number): Promise<void> {
    for (const end of this.#searches) end();
    running.stop();
    const closed = worker.close();
    try {
      if (await isSettledWithin(closed, graceMs)) return;
      running.abort();
      if (await isSettledWithin(closed, this.#options.abortWaitMs ?? 1_000)) return;
      running.abandon();
      await isSettledWithin(closed, CLOSE_MS);
    } finally {
      clearInterval(this.#renewTimer);
    }
  }

  get #retryMaxMs(): number {
    return this.#options.retryMaxMs ?? 30_000;
  }

  /** With jitter, so that jobs that failed together are not retried together. */
  #retryPause(attempts: number): number {
    return Math.round(Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20), this.#retryMaxMs) * (0.75 + Math.random() / 4));
  }

  async #within<Result>(answer: Promise<Result>, doing: string): Promise<Result> {
    if (await isSettledWithin(answer, this.#timeoutMs)) return await answer;
    throw new Error(`The job queue (${this.#options.backend.name}) timed out after ${this.#timeoutMs} ms, while ${doing}`);
  }
}
