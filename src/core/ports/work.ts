import type { Job } from './store.js';

/** Work that was committed with its events and is not done yet. */
export abstract class Outbox {
  /**
   * Lets up to `limit` jobs out, to be handed to the queue: never more than `perTenant` of a tenant at a time, and the tenant with the fewest out comes
   * first. A job that is not reported as done within `leaseMs` is let out again, in case it was lost on the way.
   */
  abstract lease(limit: number, perTenant: number, leaseMs: number): Promise<readonly Job[]>;
  /** These jobs are done. True when work of the same tenants waits. */
  abstract finish(ids: readonly string[]): Promise<boolean>;
  /** The queue may have lost what it held: every job that is out is let out again. */
  abstract redeliver(): Promise<void>;
  /** Makes jobs for running turns that have none and have made no step since `before` (milliseconds since the epoch). How many. */
  abstract requeueOrphaned(before: number, limit: number): Promise<number>;
}

export interface JobContext {
  /** Aborted when the process is about to stop or the job was taken away. */
  readonly signal: AbortSignal;
}

/** At-least-once delivery of jobs to workers. */
export abstract class JobQueue {
  /** Hands over in order. A job that the queue still holds is left as it is. */
  abstract add(jobs: readonly Job[]): Promise<void>;
  /** Calls back whenever the queue is reached again after it was away, and may have lost what it held. */
  abstract onReturn(listener: () => void): void;
  /** Starts to take jobs, `concurrency` at a time. One handler per process. */
  abstract work(concurrency: number, handle: (job: Job, context: JobContext) => Promise<void>): Promise<void>;
  /** Takes no further jobs, waits up to `graceMs` for the running ones, then aborts their signals and leaves them to another worker. */
  abstract stop(graceMs: number): Promise<void>;
  /** Rejects when the queue cannot be reached. */
  abstract ping(): Promise<void>;
}

/** What waits for a worker, in all processes together. */
export abstract class Backlog {
  abstract read(): Promise<{
    /** Jobs that no queue has taken yet, and how long the oldest has waited for that. */
    readonly jobs: number;
    readonly oldestJobSeconds: number;
    /** Prompts behind a turn that runs. */
    readonly prompts: number;
  }>;
}
