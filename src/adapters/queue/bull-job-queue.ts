import { setTimeout as pause } from 'node:timers/promises';
import { Queue, Worker, type IQueueBackend } from 'bullmq';
import { JobQueue, type Job, type JobContext } from '../../core/ports.js';
import { DEFAULT_TIMEOUT_MS, type QueueBackend } from './backend.js';
import { RunningJobs } from './running-jobs.js';
import { ThrottledReport } from './throttled-report.js';
import { settled } from './time-limit.js';

type Payload = Job['payload'];
export type BullQueue = Queue<Payload, void, string, Payload, void, string, IQueueBackend, unknown>;
type BullWorker = Worker<Payload, void, string, IQueueBackend, number, unknown>;

export interface JobQueueOptions {
  readonly backend: QueueBackend;
  /** A worker that dies is noticed after this, and its jobs go to others at most a quarter of it later. A worker that is held up for less than three quarters keeps its jobs. */
  readonly lockMs: number;
  /** Told of every trouble: failed attempts, and a backend that does not answer. */
  readonly report: (problem: string, error: unknown) => void;
  /** The longest pause before a failed job is tried again; the pauses grow from 200 ms. */
  readonly retryMaxMs?: number;
  /** How long `add` and `ping` wait for the backend. */
  readonly timeoutMs?: number;
  /** How long `stop` waits for handlers whose signal it has aborted. */
  readonly abortWaitMs?: number;
}

const NAME: Job['queue'] = 'turns';

/** From so many jobs on they are added in one statement. On Postgres that makes temporary tables, which costs as much as several single ones. */
const BULK = 8;

const FIRST_RETRY_MS = 200;

/** The log decides when a job is done; the queue never gives one up. Fits a 32-bit integer, which the backends need. */
const WITHOUT_END = 1_000_000_000;

/** Events that BullMQ keeps for its own dashboards. */
const KEPT_EVENTS = 1_000;

/** How often a backend that is away is asked whether it is back. */
const LOOK_AGAIN_MS = 200;

/** How long ending the connections may take. */
const CLOSE_MS = 2_000;

/** Jobs by BullMQ, on Postgres or Redis. Errors of the backend are reported and outlived: both reconnect by themselves. */
export class BullJobQueue extends JobQueue {
  readonly #options: JobQueueOptions;
  readonly #report: ThrottledReport;
  readonly #timeoutMs: number;
  readonly #onReturn: (() => void)[] = [];
  #returning = false;
  #queue: Promise<BullQueue> | null = null;
  #worker: BullWorker | null = null;
  #running: RunningJobs | null = null;
  #stopped: Promise<void> | null = null;

  constructor(options: JobQueueOptions) {
    super();
    this.#options = options;
    this.#report = new ThrottledReport(options.report);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Hands over in order. A job whose id the queue still holds is left as it is. Rejects when not all were taken; then hand all over again. */
  async add(jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return;
    const queue = await this.inner();
    const entries = jobs.map((job) => ({ name: 'turn', data: job.payload, opts: { jobId: job.id } }));
    if (jobs.length >= BULK) {
      await this.#within(queue.addBulk(entries), 'taking over jobs');
      return;
    }
    for (const { name, data, opts } of entries) await this.#within(queue.add(name, data, opts), 'taking over a job');
  }

  onReturn(listener: () => void): void {
    this.#onReturn.push(listener);
  }

  async work(concurrency: number, handle: (job: Job, context: JobContext) => Promise<void>): Promise<void> {
    if (this.#worker) throw new Error('This process works on the queue already');
    if (this.#stopped) throw new Error('The job queue has been stopped');
    const { backend, lockMs } = this.#options;
    const running = new RunningJobs(handle, (problem, error) => this.#report.tell(problem, error));
    const worker = new Worker<Payload, void, string, IQueueBackend, number, unknown>(
      NAME,
      (job, token = '') => running.process(job, token),
      {
        ...backend.forWorker,
        autorun: false,
        concurrency,
        lockDuration: lockMs,
        lockRenewTime: Math.max(Math.floor(lockMs / 4), 1),
        stalledInterval: Math.max(Math.floor(lockMs / 4), 1),
        maxStalledCount: WITHOUT_END,
        drainDelay: 5,
        runRetryDelay: 250,
        settings: { backoffStrategy: (attempts) => this.#retryPause(attempts) },
      },
      backend.factory,
    );
    worker.on('error', (error) => this.#report.tell('The job queue has trouble; it goes on trying', error));
    worker.on('lockRenewalFailed', (ids) => running.lose(ids));
    this.#worker = worker;
    this.#running = running;
    try {
      await this.#within(worker.waitUntilReady(), 'starting to work');
    } catch (error) {
      this.#worker = null;
      void worker.close(true).catch(() => undefined);
      throw error;
    }
    worker.run().catch((error: unknown) => this.#report.tell('The worker has ended', error));
  }

  /** Ends the connections, too: nothing can be added afterwards. */
  stop(graceMs: number): Promise<void> {
    return (this.#stopped ??= this.#stop(graceMs));
  }

  async ping(): Promise<void> {
    const queue = await this.inner();
    await this.#within(queue.isPaused(), 'answering');
  }

  /** BullMQ's own queue, for operators' tools: to look at, not to change. */
  async inner(): Promise<BullQueue> {
    if (this.#stopped && !this.#queue) throw new Error('The job queue has been stopped');
    return await (this.#queue ??= this.#open());
  }

  async #open(): Promise<BullQueue> {
    const { backend } = this.#options;
    const queue = new Queue<Payload, void, string, Payload, void, string, IQueueBackend, unknown>(
      NAME,
      {
        ...backend.forQueue,
        defaultJobOptions: {
          attempts: WITHOUT_END,
          backoff: { type: 'growing' },
          // By count, Postgres would run into deadlocks.
          removeOnComplete: true,
          removeOnFail: true,
          stackTraceLimit: 1,
        },
        streams: { events: { maxLen: KEPT_EVENTS } },
      },
      backend.factory,
    );
    queue.on('error', (error) => this.#report.tell('The job queue has trouble; it goes on trying', error));
    // Only Redis says so, and only Redis may come back empty: on Postgres the jobs lie where the outbox lies.
    queue.on('ioredis:close', () => void this.#awaitReturn(queue));
    try {
      await this.#within(queue.waitUntilReady(), 'opening');
      return queue;
    } catch (error) {
      // BullMQ remembers a failed beginning for ever: the next call begins anew.
      this.#queue = null;
      void queue.close().catch(() => undefined);
      throw error;
    }
  }

  async #awaitReturn(queue: BullQueue): Promise<void> {
    if (this.#returning) return;
    this.#returning = true;
    for (let back = false; !back && !this.#stopped;) {
      await pause(LOOK_AGAIN_MS, undefined, { ref: false });
      back = await queue.isPaused().then(
        () => true,
        () => false,
      );
    }
    this.#returning = false;
    if (!this.#stopped) for (const listener of this.#onReturn) listener();
  }

  async #stop(graceMs: number): Promise<void> {
    if (this.#worker && this.#running) await this.#finish(this.#worker, this.#running, graceMs);
    const queue = await this.#queue?.catch(() => null);
    this.#queue = null;
    await settled(queue?.close(), CLOSE_MS);
    await settled(this.#options.backend.close(), CLOSE_MS);
  }

  async #finish(worker: BullWorker, running: RunningJobs, graceMs: number): Promise<void> {
    running.stop();
    const closed = worker.close();
    if (await settled(closed, graceMs)) return;
    running.abort();
    if (await settled(closed, this.#options.abortWaitMs ?? 1_000)) return;
    running.giveUp();
    await settled(closed, CLOSE_MS);
  }

  /** Spread a little, so that jobs that failed together do not come back together. */
  #retryPause(attempts: number): number {
    const longest = this.#options.retryMaxMs ?? 30_000;
    return Math.round(Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20), longest) * (0.75 + Math.random() / 4));
  }

  async #within<Result>(answer: Promise<Result>, doing: string): Promise<Result> {
    if (await settled(answer, this.#timeoutMs)) return await answer;
    throw new Error(`The job queue (${this.#options.backend.name}) did not get through with ${doing} within ${this.#timeoutMs} ms`);
  }
}
