import { openDatabase } from './adapters/postgres/open-database.js';
import { PostgresAccounts } from './adapters/store/postgres-accounts.js';
import { Database } from './adapters/store/prisma.js';
import { readSettings } from './config/env.js';
import { fileURLToPath } from 'node:url';

/** `npm run -s tenant -- TENANT USER`: creates a tenant with a first user, and prints that user's admin token once. */
const [tenant, user] = process.argv.slice(2);
if (!tenant || !user) {
  process.stderr.write('Usage: npm run -s tenant -- "name of the tenant" "name of its first user"\n');
  process.exit(2);
}
const settings = readSettings(process.env);
const database = await openDatabase({
  url: settings.DATABASE_URL,
  appUrl: settings.DATABASE_APP_URL,
  dataDir: settings.DATA_DIR,
  migrations: fileURLToPath(new URL('../../prisma/migrations', import.meta.url)),
  waitMs: settings.DATABASE_TIMEOUT_MS,
  statementTimeoutMs: settings.DATABASE_TIMEOUT_MS,
  log: () => undefined,
});
const connection = new Database({ url: database.appUrl, poolSize: 1, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName: 'verbatim tenant' });
try {
  const { token } = await new PostgresAccounts(connection).createTenant(tenant, user);
  process.stdout.write(`${token}\n`);
} finally {
  await connection.close();
  await database.close();
}
