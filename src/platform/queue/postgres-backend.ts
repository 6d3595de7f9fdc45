import { createPostgresBackend, type BackendFactory, type IQueueBackend } from 'bullmq';
import pg from 'pg';
import { BoundedClient, clientOptions } from '../postgres/connection/client-options.js';
import { DEFAULT_TIMEOUT_MS, type PostgresQueueOptions, type QueueBackend } from './backend.js';
import { clampFutureTimes, DatabaseTimePool, endAbandonedLocks } from './database-time-pool.js';

const RECONNECT_DELAY_MS = 200;

/** The one that listens, and one while the queue or the worker looks at the schema at its start. */
const LISTENING = 2;

/** BullMQ retries a failed connection at once; this client delays the failure. */
class DelayedFailureClient extends BoundedClient {
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    if (!callback) return super.connect();
    super.connect((error: Error) => {
      if (error) setTimeout(callback, RECONNECT_DELAY_MS, error);
      else callback(error);
    });
  }
}

/**
 * BullMQ's Postgres backend. Its commits are asynchronous, which loses no job: the write-ahead log is flushed in order, so if the deletion of a job from the
 * outbox survives a crash, its earlier insertion into the queue does too; and a lost completion only runs the job once more.
 */
export function postgresBackend({ url, listenUrl = url, presence, poolSize = 6, timeoutMs = DEFAULT_TIMEOUT_MS }: PostgresQueueOptions): QueueBackend {
  const options = (address: string): pg.PoolConfig => ({
    ...clientOptions({ url: address, applicationName: 'verbatim queue', timeoutMs }),
    idleTimeoutMillis: 60_000,
    Client: DelayedFailureClient,
  });
  const listening = new pg.Pool({ ...options(listenUrl), max: LISTENING });
  const pool = new DatabaseTimePool({ ...options(url), max: poolSize, min: Math.min(2, poolSize) }, listening);
  return {
    name: 'postgres',
    factory: createPostgresBackend as BackendFactory<IQueueBackend, unknown>,
    forQueue: () => ({ connection: pool }),
    forWorker: () => ({ connection: pool }),
    // Three transactions. A connection that has died without a word ends by the kernel's keepalive in about a minute, and BullMQ asks when it listens again.
    askMs: 120_000,
    addsInBulk: false,
    repairTimes: (_, { lockMs }) => clampFutureTimes(pool, lockMs),
    present: (workerId) => presence?.hold(workerId),
    endAbandoned: async (lockMs) => {
      const overdueMs = presence?.overdueMs(lockMs) ?? null;
      if (overdueMs !== null) await endAbandonedLocks(pool, lockMs - overdueMs);
    },
    onLost: () => undefined,
    ping: (queue) => queue.isPaused().then(() => undefined),
    close: async () => {
      await Promise.all([pool.end(), listening.end()]);
    },
  };
}
