import type { Job } from './store.js';

export interface Leased {
  /** In the order of delivery. */
  readonly jobs: readonly Job[];
  /** Milliseconds until the next of the leases that existed before ends; null: there was none. */
  readonly nextMs: number | null;
  /** Milliseconds until the next schedule of prompts is due, of all tenants; not above zero: one is due. Null: there is none. */
  readonly runMs: number | null;
}

export interface HeldLeases {
  /** Leases that this call has ended. */
  readonly ended: number;
  /** Whether processes hold leases. */
  readonly held: boolean;
  /** Whether jobs are leased for the queue. */
  readonly queued: boolean;
}

/** Committed jobs. A turn has a job exactly while it runs or is due: appends add and remove them. */
export abstract class Outbox {
  /**
   * Leases up to `limit` jobs for `leaseMs`, to be delivered to the queue: expired leases first, then the tenants with the fewest leased jobs. A tenant never
   * holds more than `perTenant` leases.
   */
  abstract lease(limit: number, perTenant: number, leaseMs: number): Promise<Leased>;
  /** Claims the turn of a job for a worker; earlier claims can append nothing any more. Returns the fencing token; null: the turn is over or waits. */
  abstract claim(job: Job): Promise<number | null>;
  /** Extends the leases of turns that an append handed over to `holder`. Returns the ids of the jobs that it still holds. */
  abstract renew(holder: string, jobs: readonly Job[], leaseMs: number): Promise<readonly string[]>;
  /** Makes the jobs that `holder` still holds pending, to be delivered to the queue. */
  abstract release(holder: string, jobs: readonly Job[]): Promise<void>;
  /** Expires the leases of all jobs that were delivered to the queue, so that they are redelivered: it may have lost its contents. */
  abstract redeliver(): Promise<void>;
  /** This process leases turns as `holder` from now on. Where the store can tell, it notices when the process has died, see `endAbandoned`. */
  present(_holder: string): void {}
  /**
   * Ends leases of `leaseMs` whose holder has died: it is no longer present, and a renewal is overdue. The lease of a process that is slow, frozen or cut off ends by itself, unless the
   * store takes it for dead; its reports are then rejected by its fencing token like those of any lease that has ended.
   */
  abstract endAbandoned(leaseMs: number): Promise<HeldLeases>;
  /** Adds a job for each running turn that has none and belongs to a session that has not changed for `idleMs` by the store's own clock. Returns their number. */
  abstract requeueOrphaned(idleMs: number, limit: number): Promise<number>;
}

export interface JobContext {
  /** Aborts when the process shuts down or the job's lock is lost. */
  readonly signal: AbortSignal;
}

/** At-least-once delivery of jobs to workers. */
export abstract class JobQueue {
  /** Adds jobs in order. A job that is still in the queue is unchanged. */
  abstract add(jobs: readonly Job[]): Promise<void>;
  /** Called after a reconnect, when the queue may have lost jobs. */
  abstract onReturn(listener: () => void): void;
  /** Starts processing jobs, `concurrency` at a time. One handler per process. */
  abstract work(concurrency: number, handle: (job: Job, context: JobContext) => Promise<void>): Promise<void>;
  /** Changes how many jobs are processed at a time, at least 1; running ones continue. */
  abstract limit(concurrency: number): void;
  /** Returns the jobs of workers that have died to the queue: those with expired locks, and, where the queue can tell, those of processes that have ended. Once now; the caller repeats it while jobs are in the queue. Ends when `finish` begins, at the latest. */
  recover(): Promise<void> {
    return Promise.resolve();
  }
  /** Takes no more jobs, waits up to `graceMs` for running ones, then aborts their signals and leaves them to another worker. Jobs can still be added. */
  abstract finish(graceMs: number): Promise<void>;
  /** The same, and closes the queue. */
  abstract stop(graceMs: number): Promise<void>;
  /** Rejects when the queue cannot be reached. */
  abstract ping(): Promise<void>;
}

/** Waiting work of all processes. */
export abstract class Backlog {
  abstract read(): Promise<{
    /** Jobs not yet in the queue, and the age of the oldest in seconds. */
    readonly jobs: number;
    readonly oldestJobSeconds: number;
    /** Prompts that wait for a running turn. */
    readonly prompts: number;
  }>;
}
