import { runMigrations } from 'bullmq';
import pg from 'pg';
import type { Job } from '../../core/ports.js';

/** Where BullMQ keeps its tables and functions. */
export const QUEUE_SCHEMA = 'bullmq';

/** The queues there are. BullMQ makes a sequence for each when it is first used, which the application may not. */
const QUEUES: readonly Job['queue'][] = ['turns'];

/** Any number, but the same in every process: whoever holds the lock may change the grants. */
const GRANT_LOCK = 8_150_312;

/**
 * Brings BullMQ's own tables up to date and lets the application's role use them, never change them. Needs the
 * schema's owner; several processes may call it at once, and calling it again is harmless.
 */
export async function migrateQueue(ownerUrl: string, appRole = 'verbatim_app'): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'verbatim setup' });
  client.on('error', () => undefined); // also rejects the query that it interrupts
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
    await prepare(client, pg.escapeIdentifier(appRole));
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function prepare(client: pg.Client, role: string): Promise<void> {
  await client.query('BEGIN');
  try {
    // Two grants on the same object at the same time fail ("tuple concurrently updated").
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
