import { createPostgresBackend, type BackendFactory, type IQueueBackend } from 'bullmq';
import type pg from 'pg';
import { BoundedClient, clientOptions } from '../postgres/connection/client-options.js';
import { DEFAULT_TIMEOUT_MS, type PostgresQueueOptions, type QueueBackend } from './backend.js';
import { clampFutureTimes, DatabaseTimePool } from './database-time-pool.js';
import { QUEUE_SCHEMA } from './migrate-queue.js';

const RECONNECT_DELAY_MS = 200;

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
export function postgresBackend(options: PostgresQueueOptions): QueueBackend {
  const { url, poolSize = 10, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const pool = new DatabaseTimePool({
    ...clientOptions({ url, applicationName: 'verbatim queue', timeoutMs }),
    max: poolSize,
    min: Math.min(2, poolSize),
    idleTimeoutMillis: 60_000,
    Client: DelayedFailureClient,
    // The pool waits for the promise. The role's settings are meant for the event store: BullMQ's own statements wait for locks.
    onConnect: (client) => client.query(`SET search_path TO ${QUEUE_SCHEMA}; SET synchronous_commit TO off; SET lock_timeout TO 0`) as unknown as void,
  });
  return {
    name: 'postgres',
    factory: createPostgresBackend as BackendFactory<IQueueBackend, unknown>,
    forQueue: { connection: pool },
    forWorker: { connection: pool },
    idle: { askMs: 20_000, locks: 1 }, // each is a transaction
    addsInBulk: false,
    repairTimes: (_, { lockMs }) => clampFutureTimes(pool, lockMs),
    close: () => pool.end(),
  };
}
