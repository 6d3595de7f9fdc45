import { runMigrations } from 'bullmq';
import pg from 'pg';
import type { Job } from '../../ports/index.js';
import { BoundedClient, clientOptions } from '../postgres/connection/client-options.js';
import { endWhenIdle } from '../postgres/connection/setup-lock.js';
import { DEFAULT_TIMEOUT_MS } from './backend.js';

/** The schema of BullMQ's tables and functions. */
export const QUEUE_SCHEMA = 'bullmq';

/** All queues. BullMQ creates a sequence for each on first use, which the application's role is not permitted to do. */
const QUEUES: readonly Job['queue'][] = ['turns'];

/** The advisory lock key under which grants are changed; any number that is the same in every process. */
const GRANT_LOCK = 8_150_312;

/**
 * Migrates BullMQ's schema and grants the application's role the use of its tables and functions. Runs as the owner; idempotent, and safe for concurrent
 * processes. `timeoutMs`: for one statement, which may wait for another process that migrates. `isDistributed`: the nodes of the database are not told, which have nothing of the queue; so it does not matter whether
 * they are there.
 */
export async function migrateQueue(ownerUrl: string, timeoutMs = 60_000, appRole = 'verbatim_app', isDistributed = false): Promise<void> {
  const options = clientOptions({ url: ownerUrl, applicationName: 'verbatim setup', timeoutMs: DEFAULT_TIMEOUT_MS });
  const client = new BoundedClient({ ...options, query_timeout: timeoutMs });
  await client.connect();
  try {
    await endWhenIdle(client);
    if (isDistributed) await client.query('SET citus.enable_ddl_propagation = off');
    await runMigrations(client, QUEUE_SCHEMA);
    await grantUse(client, pg.escapeIdentifier(appRole));
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function grantUse(client: pg.Client, role: string): Promise<void> {
  await client.query('BEGIN');
  try {
    // Concurrent grants on the same object fail with "tuple concurrently updated".
    await client.query('SELECT pg_advisory_xact_lock($1)', [GRANT_LOCK]);
    for (const queue of QUEUES) await client.query(`SET LOCAL search_path TO ${QUEUE_SCHEMA}; ${await sequenceOf(client, queue)}`);
    await client.query(`
      GRANT USAGE ON SCHEMA ${QUEUE_SCHEMA} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${QUEUE_SCHEMA} TO ${role};
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${QUEUE_SCHEMA} TO ${role};
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${QUEUE_SCHEMA} TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${QUEUE_SCHEMA} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${QUEUE_SCHEMA} GRANT USAGE, SELECT ON SEQUENCES TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${QUEUE_SCHEMA} GRANT EXECUTE ON FUNCTIONS TO ${role};
      REVOKE INSERT, UPDATE, DELETE ON ${QUEUE_SCHEMA}.migration FROM ${role};
    `);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function sequenceOf(client: pg.Client, queue: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(`SELECT ${QUEUE_SCHEMA}.job_id_seq_name($1) AS name`, [queue]);
  return `CREATE SEQUENCE IF NOT EXISTS ${pg.escapeIdentifier(rows[0]!.name)}`;
}
