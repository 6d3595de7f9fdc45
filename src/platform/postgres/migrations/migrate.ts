/**
 * Applies prisma/migrations at start-up with the bookkeeping of `prisma migrate deploy` (its table, checksums and advisory lock), but without the engine
 * binary that Prisma's command line downloads. Both may be used on the same database.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, QueryConfig } from 'pg';
import { NO_LIMIT_MS, type SetupOptions, withConnection } from '../connect.js';
import { takeSetupLock } from '../connection/setup-lock.js';
import { DatabaseError, errorCode, errorText } from '../database-error.js';
import { applyFunctions, readFunctions } from './functions.js';
import { mendGuards } from './guards.js';
import { type Migration, readMigrations } from './migration-files.js';
import { pendingOf, readRecords, recordApplied } from './migration-records.js';
import { finishOnline, LOCK_NOT_AVAILABLE, LOCK_PAUSE_MS, LOCK_TIMEOUT_MS, ONLINE_LOCK } from './online-migration.js';

/** The advisory lock key of Prisma's schema engine; advisory locks are per database. */
const PRISMA_LOCK = 72707369;

export interface MigrationOptions extends SetupOptions {
  /** Milliseconds to retry while the server does not answer. Default 0: one attempt. */
  readonly waitMs?: number;
  /** The folder of functions, which are applied when they have changed. Absent: none. */
  readonly functions?: string | undefined;
}

/**
 * Brings the database at `url` up to date; several processes may do so concurrently. Online migrations at the end of the list are left to OnlineMigrations, except in a new database.
 * Resolves to the names of the migrations applied by this call.
 * `afterMigrations` runs on the same connection, under the same lock, at every call. Throws a DatabaseError; a failed migration is rolled back.
 */
export async function applyMigrations(
  url: string,
  directory: string,
  afterMigrations: (client: Client) => Promise<void> = async () => undefined,
  { waitMs = 0, functions: folder, ...wait }: MigrationOptions = {},
): Promise<readonly string[]> {
  const migrations = await readMigrations(directory);
  const functions = folder === undefined ? [] : await readFunctions(folder);
  return withConnection(
    url,
    waitMs,
    async (client) => {
      await takeSetupLock(client, 'pg_try_advisory_lock($1)', PRISMA_LOCK);
      const records = await readRecords(client);
      const pending = pendingOf(migrations, records);
      const due = records.length === 0 ? pending : pending.slice(0, pending.findLastIndex(({ online }) => online === null) + 1);
      // One that is finished here precedes a migration that may need what it makes.
      if (due.some(({ online }) => online !== null)) await takeSetupLock(client, 'pg_try_advisory_lock($1)', ONLINE_LOCK);
      for (const migration of due) {
        if (migration.online !== null) await finishOnline(client, migration, wait.signal);
        else await applyWithin(client, migration, Date.now() + Math.max(waitMs, 5 * LOCK_TIMEOUT_MS));
      }
      await applyFunctions(client, functions, migrations.at(-1)?.name ?? '');
      await mendGuards(client, wait.report ?? (() => undefined));
      await afterMigrations(client);
      return due.map(({ name }) => name);
    },
    wait,
  );
}

/** Tries again while the locks of the migration are held by others, until `deadline` (milliseconds since the epoch). */
async function applyWithin(client: Client, migration: Migration, deadline: number): Promise<void> {
  for (;;) {
    try {
      return await apply(client, migration);
    } catch (error) {
      if (errorCode((error as DatabaseError).cause) !== LOCK_NOT_AVAILABLE || Date.now() > deadline) throw error;
      await pause(LOCK_PAUSE_MS);
    }
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query({ text: migration.script, query_timeout: NO_LIMIT_MS } as QueryConfig);
    await recordApplied(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the connection itself may have failed
    throw new DatabaseError('migration_failed', `Migration ${migration.name} failed and was rolled back: ${errorText(error)}`, { cause: error });
  }
}
