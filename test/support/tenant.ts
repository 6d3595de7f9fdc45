import { PostgresAccounts } from '../../src/features/people/postgres-accounts.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';

/** The admin token of a new tenant, made past the server. */
export async function makeTenant(appUrl: string, name: string): Promise<string> {
  const database = new Database({ url: appUrl, poolSize: 1, timeoutMs: 60_000, applicationName: 'verbatim test' });
  try {
    return (await new PostgresAccounts(database).createTenant(name, 'admin')).token;
  } finally {
    await database.close();
  }
}
