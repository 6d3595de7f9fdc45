/**
 * Applies prisma/migrations at start-up with the bookkeeping of `prisma migrate deploy` (its table, checksums and advisory lock), but without the engine
 * binary that Prisma's command line downloads. Both may be used on the same database.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, QueryConfig } from 'pg';
import { NO_LIMIT_MS, type SetupOptions, withConnection } from './connect.js';
import { DatabaseError, errorCode, errorText } from './database-error.js';
import { takeSetupLock } from './connection/setup-lock.js';

/** The advisory lock key of Prisma's schema engine; advisory locks are per database. */
const PRISMA_LOCK = 72707369;

const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id"                  VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum"            VARCHAR(64) NOT NULL,
  "finished_at"         TIMESTAMPTZ,
  "migration_name"      VARCHAR(255) NOT NULL,
  "logs"                TEXT,
  "rolled_back_at"      TIMESTAMPTZ,
  "started_at"          TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/** Appends wait behind a migration that waits for its locks: it gives up after this time, and tries again a while later. */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** The first line of a migration that builds without it can run on: the newest migration that such a build must have. */
const RUNS_WITH = /^-- runs with: (\S+)\s*$/m;

interface AppliedMigration {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
  /** The newest migration that a build must have to run on the database after this one; null: this one itself. */
  readonly logs: string | null;
}

interface Migration {
  readonly name: string;
  readonly script: string;
  readonly checksum: string;
  readonly runsWith: string;
}

export interface MigrationOptions extends SetupOptions {
  /** Milliseconds to retry while the server does not answer. Default 0: one attempt. */
  readonly waitMs?: number;
}

/**
 * Brings the database at `url` up to date; several processes may do so concurrently. Resolves to the names of the migrations applied by this call.
 * `afterMigrations` runs on the same connection, under the same lock, at every call. Throws a DatabaseError; a failed migration is rolled back.
 */
export async function applyMigrations(
  url: string,
  directory: string,
  afterMigrations: (client: Client) => Promise<void> = async () => undefined,
  { waitMs = 0, ...wait }: MigrationOptions = {},
): Promise<readonly string[]> {
  const migrations = await readMigrations(directory);
  return withConnection(
    url,
    waitMs,
    async (client) => {
      await takeSetupLock(client, 'pg_try_advisory_lock($1)', PRISMA_LOCK);
      await client.query('SET client_min_messages = warning'); // hides the notice "already exists, skipping"
      await client.query(BOOKKEEPING);
      const { rows } = await client.query<AppliedMigration>(
        'SELECT migration_name, checksum, finished_at, logs FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
      );
      const pending = compare(migrations, rows);
      for (const migration of pending) await applyWithin(client, migration, Date.now() + Math.max(waitMs, 5 * LOCK_TIMEOUT_MS));
      await afterMigrations(client);
      return pending.map(({ name }) => name);
    },
    wait,
  );
}

async function readMigrations(directory: string): Promise<readonly Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(path.join(directory, name, 'migration.sql'));
      const script = bytes.toString('utf8');
      return { name, script, checksum: createHash('sha256').update(bytes).digest('hex'), runsWith: RUNS_WITH.exec(script)?.[1] ?? name };
    }),
  );
}

/** The migrations still to apply; throws when the database does not match this build. */
function compare(migrations: readonly Migration[], applied: readonly AppliedMigration[]): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const newest = migrations.at(-1)?.name ?? '';
  for (const { migration_name: name, checksum, finished_at: finishedAt, logs: runsWith } of applied) {
    const migration = known.get(name);
    if (finishedAt === null) {
      throw new DatabaseError(
        'migration_unfinished',
        `Migration ${name} was started by another tool and did not finish. Repair the database, then mark it with "prisma migrate resolve".`,
      );
    }
    if (migration === undefined) {
      if ((runsWith || name) <= newest) continue; // the migration says that builds like this one run on the database after it
      throw new DatabaseError(
        'database_newer_than_build',
        `The database has migration ${name}, which this build does not have, and which it cannot run with. Deploy a newer build, or restore a backup from before that migration.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new DatabaseError(
        'migration_edited',
        `Migration ${name} was edited after it had been applied. Restore the original file and put the change into a new migration.`,
      );
    }
  }
  const done = new Set(applied.map(({ migration_name: name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
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

async function apply(client: Client, { name, script, checksum, runsWith }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query({ text: script, query_timeout: NO_LIMIT_MS } as QueryConfig);
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count, logs)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1, $4)`,
      [randomUUID(), checksum, name, runsWith],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // the connection itself may have failed
    throw new DatabaseError('migration_failed', `Migration ${name} failed and was rolled back: ${errorText(error)}`, { cause: error });
  }
}
