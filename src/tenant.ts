import { openDatabase } from './adapters/postgres/open-database.js';
import { PostgresAccounts } from './adapters/store/postgres-accounts.js';
import { Database } from './adapters/store/prisma.js';
import { readSettings } from './config/env.js';
import { fileURLToPath } from 'node:url';

/**
 * `npm run -s tenant -- TENANT USER`, or in an image `node dist/src/tenant.js TENANT USER`: creates a tenant with a first user, and prints that user's admin token
 * once. With `--if-none` nothing is created, and nothing printed to standard output, when the database has a tenant.
 */
const args = process.argv.slice(2);
const ifNone = args.includes('--if-none');
const [tenant, user] = args.filter((arg) => arg !== '--if-none');
if (!tenant || !user) {
  process.stderr.write('Usage: npm run -s tenant -- [--if-none] "name of the tenant" "name of its first user"\n');
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
  setupTimeoutMs: settings.DATABASE_SETUP_TIMEOUT_MS,
  log: () => undefined,
});
const connection = new Database({ url: database.appUrl, poolSize: 1, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName: 'verbatim tenant' });
try {
  const accounts = new PostgresAccounts(connection);
  if (ifNone && (await accounts.tenants()) > 0) process.stderr.write('The database has a tenant already; its token was printed when it was created.\n');
  else process.stdout.write(`${(await accounts.createTenant(tenant, user)).token}\n`);
} finally {
  await connection.close();
  await database.close();
}
