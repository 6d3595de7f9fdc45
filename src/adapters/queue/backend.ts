import type { BackendFactory, IQueueBackend, QueueOptions, WorkerOptions } from 'bullmq';

/** What BullMQ runs on, and how to connect to it. */
export interface QueueBackend {
  readonly name: 'postgres' | 'redis';
  readonly factory: BackendFactory<IQueueBackend, unknown>;
  /** For handing jobs over and for looking: answers or fails within the time limit. */
  readonly forQueue: Pick<QueueOptions<unknown>, 'connection' | 'prefix'>;
  /** For taking jobs: waits and reconnects for as long as it takes. */
  readonly forWorker: Pick<WorkerOptions<unknown>, 'connection' | 'prefix'>;
  /** Ends what the queue and the worker have used together; both are closed by then. */
  close(): Promise<void>;
}

export interface PostgresQueueOptions {
  /** The application's role; `migrateQueue` has run with the owner's. Not through a pooler: one connection listens. */
  readonly url: string;
  /** Connections in all, the listening one among them. */
  readonly poolSize?: number;
  /** How long a connection or an answer may take. */
  readonly timeoutMs?: number;
}

export interface RedisQueueOptions {
  readonly url: string;
  /** How long a connection or an answer may take. */
  readonly timeoutMs?: number;
  /** Keeps several deployments on one Redis apart. */
  readonly prefix?: string;
}

export const DEFAULT_TIMEOUT_MS = 10_000;
