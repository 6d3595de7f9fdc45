import { PostgresAccounts } from '../features/people/postgres-accounts.js';
import { readSettings } from '../platform/config/env.js';
import { UsageError } from './usage-error.js';
import { withDatabase } from './with-database.js';

/** `verbatim tenant` */
export async function run(args: readonly string[]): Promise<number> {
  const ifNone = args.includes('--if-none');
  const [tenant, user] = args.filter((arg) => arg !== '--if-none');
  if (!tenant || !user) throw new UsageError('The names of the tenant and of its first user are needed.');
  return withDatabase(readSettings(process.env), 'tenant', async (connection) => {
    const accounts = new PostgresAccounts(connection);
    if (ifNone && (await accounts.tenants()) > 0) process.stderr.write('The database has a tenant already; its token was printed when it was created.\n');
    else process.stdout.write(`${(await accounts.createTenant(tenant, user)).token}\n`);
    return 0;
  });
}
