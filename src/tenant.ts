import { PostgresAccounts } from './adapters/store/postgres-accounts.js';
import { readSettings } from './config/env.js';
import { withDatabase } from './with-database.js';

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
await withDatabase(settings, 'tenant', async (connection) => {
  const accounts = new PostgresAccounts(connection);
  if (ifNone && (await accounts.tenants()) > 0) process.stderr.write('The database has a tenant already; its token was printed when it was created.\n');
  else process.stdout.write(`${(await accounts.createTenant(tenant, user)).token}\n`);
});
