import type { Job } from './store.js';

/** Jobs that were committed with their events and are not done yet. */
export abstract class Outbox {
  /**
   * Leases up to `limit` jobs for the queue: at most `perTenant` leased per tenant, tenants with the fewest leased jobs first. A job that is not finished within
   * `leaseMs` is leased again.
   */
  abstract lease(limit: number, perTenant: number, leaseMs: number): Promise<readonly Job[]>;
  /** Removes finished jobs. True when more jobs of the same tenants wait. */
  abstract finish(ids: readonly string[]): Promise<boolean>;
  /** Releases all leases, because the queue may have lost its jobs. */
  abstract redeliver(): Promise<void>;
  /** Creates jobs for running turns without one and without an event since `before` (milliseconds since the epoch). Returns their number. */
  abstract requeueOrphaned(before: number, limit: number): Promise<number>;
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
  /** Stops taking jobs, waits up to `graceMs` for running ones, then aborts their signals and leaves them to another worker. */
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
