import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { prepareDatabase } from '../../src/platform/postgres/prepare-database.js';
import { migrateQueue } from '../../src/platform/queue/migrate-queue.js';

/** Compiled, this file lies in dist/test/support. */
export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

/** Everything that each test database starts with. */
export async function prepareTemplate(ownerUrl: string): Promise<void> {
  await prepareDatabase({ ownerUrl, migrations: MIGRATIONS, waitMs: 60_000, statementTimeoutMs: 60_000, setupTimeoutMs: 120_000 });
  await migrateQueue(ownerUrl);
  const { TEST_TEMPLATE_SQL: changes } = process.env; // a file: the mutant of a function, see test/mutants
  if (changes) await run(ownerUrl, await readFile(changes, 'utf8'));
}

async function run(ownerUrl: string, sql: string): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(sql).finally(() => owner.end());
}
