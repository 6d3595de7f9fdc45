import { fileURLToPath } from 'node:url';
import { prepareDatabase } from '../../src/adapters/postgres/prepare-database.js';
import { migrateQueue } from '../../src/adapters/queue/migrate-queue.js';

/** Compiled, this file lies in dist/test/support. */
export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

/** Everything that each test database starts with. */
export async function prepareTemplate(ownerUrl: string): Promise<void> {
  await prepareDatabase({ ownerUrl, migrations: MIGRATIONS, waitMs: 60_000, statementTimeoutMs: 60_000, setupTimeoutMs: 120_000 });
  await migrateQueue(ownerUrl);
}
