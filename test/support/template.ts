import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { SCHEMA_FOLDERS } from '../../src/schema-folders.js';
import { RECORD_DEFINITIONS } from '../../src/platform/postgres/migrations/functions.js';
import { prepareDatabase } from '../../src/platform/postgres/prepare-database.js';
import { migrateQueue } from '../../src/platform/queue/migrate-queue.js';

export const MIGRATIONS = SCHEMA_FOLDERS.migrations;

/** Everything that each test database starts with. */
export async function prepareTemplate(ownerUrl: string): Promise<void> {
  await prepareDatabase({ ownerUrl, ...SCHEMA_FOLDERS, waitMs: 60_000, statementTimeoutMs: 60_000, setupTimeoutMs: 120_000 });
  await migrateQueue(ownerUrl);
  const { TEST_TEMPLATE_SQL: changes } = process.env; // a file: the mutant of a function, see test/mutants
  if (changes) await run(ownerUrl, `${await readFile(changes, 'utf8')};\n${RECORD_DEFINITIONS}`); // a start leaves it
}

async function run(ownerUrl: string, sql: string): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(sql).finally(() => owner.end());
}
