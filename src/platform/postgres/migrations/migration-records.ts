import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { DatabaseError } from '../database-error.js';
import type { Migration } from './migration-files.js';

/** What the database has of a migration, in the table that `prisma migrate` keeps. */
export interface MigrationRecord {
  readonly name: string;
  readonly checksum: string;
  readonly isFinished: boolean;
  /** Null: recorded by Prisma itself, which does not know of it. */
  readonly minBuild: string | null;
  /** Of an online migration: how many of its statements were run. */
  readonly steps: number;
}

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

/** `logs` holds the name of the newest migration that a build must have to run on the database. */
export async function readRecords(client: Client): Promise<readonly MigrationRecord[]> {
  await client.query('SET client_min_messages = warning'); // hides the notice "already exists, skipping"
  await client.query(BOOKKEEPING);
  const { rows } = await client.query<MigrationRecord>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS "isFinished", nullif(logs, '') AS "minBuild", applied_steps_count AS steps
     FROM "_prisma_migrations" WHERE rolled_back_at IS NULL`,
  );
  return rows;
}

/** Records a migration that is applied by the transaction of this call. */
export async function recordApplied(client: Client, { checksum, name, minBuild }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count, logs)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1, $4)`,
    [randomUUID(), checksum, name, minBuild],
  );
}

/** Records that an online migration begins, unless it has. Returns the number of its statements that were run; null: all. */
export async function recordBegun(client: Client, { checksum, name, minBuild }: Migration): Promise<number | null> {
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, logs) SELECT $1, $2, $3::text, $4
     WHERE NOT EXISTS (SELECT FROM "_prisma_migrations" WHERE migration_name = $3::text AND rolled_back_at IS NULL)`,
    [randomUUID(), checksum, name, minBuild],
  );
  const record = (await readRecords(client)).find((known) => known.name === name)!;
  return record.isFinished ? null : record.steps;
}

export async function recordStep(client: Client, { name }: Migration, steps: number, isLast: boolean): Promise<void> {
  await client.query(
    `UPDATE "_prisma_migrations" SET applied_steps_count = $2, finished_at = CASE WHEN $3 THEN clock_timestamp() END
     WHERE migration_name = $1 AND rolled_back_at IS NULL`,
    [name, steps, isLast],
  );
}

/** The migrations that are not finished; throws when the database does not match this build. */
export function pendingOf(migrations: readonly Migration[], records: readonly MigrationRecord[]): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const newest = migrations.at(-1)?.name ?? '';
  for (const { name, checksum, isFinished, minBuild } of records) {
    const migration = known.get(name);
    if (migration === undefined) {
      if ((minBuild ?? name) <= newest) continue; // the database says that builds like this one run on it, finished or not
      throw new DatabaseError(
        'database_newer_than_build',
        `The database has migration ${name}, which this build does not have; it needs a build with ${minBuild ?? name} at least. Deploy a newer build, or restore a backup from before that migration.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new DatabaseError(
        'migration_edited',
        `Migration ${name} was edited after it had been applied. Restore the original file and put the change into a new migration.`,
      );
    }
    if (!isFinished && migration.online === null) {
      throw new DatabaseError(
        'migration_unfinished',
        `Migration ${name} was started by another tool and did not finish. Repair the database, then mark it with "prisma migrate resolve".`,
      );
    }
  }
  const finished = new Set(records.filter(({ isFinished }) => isFinished).map(({ name }) => name));
  return migrations.filter(({ name }) => !finished.has(name));
}
