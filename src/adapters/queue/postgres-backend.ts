import { createPostgresBackend, type BackendFactory, type IQueueBackend } from 'bullmq';
import pg from 'pg';
import { DEFAULT_TIMEOUT_MS, type PostgresQueueOptions, type QueueBackend } from './backend.js';
import { QUEUE_SCHEMA } from './migrate-queue.js';

const CONNECT_AGAIN_AFTER_MS = 200;

/** A connection lost under BullMQ must not end the process, and one refused must not be asked for again at once. */
class PatientClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined); // the query that it breaks is rejected, and the pool tells of idle ones
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    if (!callback) return super.connect();
    super.connect((error: Error) => {
      if (error) setTimeout(callback, CONNECT_AGAIN_AFTER_MS, error);
      else callback(error);
    });
  }
}

/**
 * BullMQ's own Postgres backend. Its commits do not wait for the disk. That loses nothing: the log of a server is written in
 * order, so whenever the outbox's deletion of a job survives a crash, the earlier insertion into the queue does too; a
 * lost completion only runs the job once more.
 */
export function postgresBackend(options: PostgresQueueOptions): QueueBackend {
  const { url, poolSize = 10, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'verbatim queue',
    max: poolSize,
    min: Math.min(2, poolSize),
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: timeoutMs,
    Client: PatientClient,
    // Settings in the URL would be lost or doubled if these were start-up options; the pool waits for the promise.
    onConnect: (client) => client.query(`SET search_path TO ${QUEUE_SCHEMA}; SET synchronous_commit TO off`) as unknown as void,
  });
  return {
    name: 'postgres',
    factory: createPostgresBackend as BackendFactory<IQueueBackend, unknown>,
    forQueue: { connection: pool },
    forWorker: { connection: pool },
    close: () => pool.end(),
  };
}
