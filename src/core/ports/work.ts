import type { Job } from './store.js';

export interface ClaimedJob extends Job {
  readonly claim: string;
}

/** Jobs committed with their events and not yet handed to the queue. */
export abstract class Outbox {
  /** Takes up to `limit` jobs for `leaseMs`; whoever does not confirm in time leaves them to the next taker. */
  abstract claim(limit: number, leaseMs: number): Promise<readonly ClaimedJob[]>;
  abstract confirm(claims: readonly string[]): Promise<void>;
}

export interface JobContext {
  /** Aborted when the process is about to stop or the job was taken away. */
  readonly signal: AbortSignal;
}

/** At-least-once delivery of jobs to workers. */
export abstract class JobQueue {
  abstract add(jobs: readonly Job[]): Promise<void>;
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
