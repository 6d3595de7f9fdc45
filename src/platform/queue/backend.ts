import type { ProcessPresence } from '../postgres/connection/process-presence.js';
import type { RedisPlace } from '../redis/open-redis.js';
import type { BackendFactory, IQueueBackend, QueueOptions, WorkerOptions } from 'bullmq';

/** The database that BullMQ uses, and the connections to it. */
export interface QueueBackend {
  readonly name: 'postgres' | 'redis';
  readonly factory: BackendFactory<IQueueBackend, unknown>;
  /** For adding jobs and for queries: every call answers or fails within the time limit. */
  readonly forQueue: () => Pick<QueueOptions<unknown>, 'connection' | 'prefix'>;
  /** For workers: reconnects without a time limit. */
  readonly forWorker: () => Pick<WorkerOptions<unknown>, 'connection' | 'prefix'>;
  /** Interval at which an idle worker asks for jobs in case a notification was lost (milliseconds). */
  readonly askMs: number;
  /** Whether many jobs are added in one call. On Postgres that would need the right to create temporary tables. */
  readonly addsInBulk: boolean;
  /** Repairs stored times that lie further in the future than these durations allow: a clock was set back, or the clock of the process that wrote them was ahead. */
  readonly repairTimes: (queue: { readonly backend: IQueueBackend }, limits: { readonly lockMs: number; readonly retryMaxMs: number }) => Promise<void>;
  /** Shows that the worker with this id lives, until the process ends. */
  readonly present: (workerId: string) => void;
  /** Ends the locks, of `lockMs`, of jobs whose worker has died. */
  readonly endAbandoned: (lockMs: number) => Promise<void>;
  /** Calls the listener when jobs may have been lost with a part of the server, while BullMQ's connection stays open. */
  readonly onLost: (queue: { readonly backend: IQueueBackend }, listener: () => void) => void;
  /** Rejects unless the database does what the queue needs. */
  readonly ping: (queue: { readonly backend: IQueueBackend; isPaused(): Promise<boolean> }) => Promise<void>;
  /** Closes connections that the queue and the worker share; both are closed before. */
  close(): Promise<void>;
}

export interface PostgresQueueOptions {
  /** The application's login, also through a pooler. `migrateQueue` has run as the owner. */
  readonly url: string;
  /** The same login without a pooler in between, for the connection that uses LISTEN. Default: `url`. */
  readonly listenUrl?: string;
  /** Tells workers that have died. Default: they are found by the end of their locks. */
  readonly presence?: ProcessPresence;
  /** The number of connections, without the one that uses LISTEN. */
  readonly poolSize?: number;
  /** Milliseconds that a connection attempt or an answer may take. */
  readonly timeoutMs?: number;
}

export interface RedisQueueOptions extends RedisPlace {
  /** Milliseconds that a connection attempt or an answer may take. */
  readonly timeoutMs?: number;
  /** Separates several deployments on one Redis server. */
  readonly prefix?: string;
}

export const DEFAULT_TIMEOUT_MS = 10_000;
