import { PostgresAccounts } from '../../src/features/people/postgres-accounts.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { isDistributed } from '../../src/platform/postgres/distributed.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';

const WAIT_MS = 60_000;

/** The admin token of a new tenant, made past the server. */
export async function makeTenant(appUrl: string, name: string): Promise<string> {
  const isOverNodes = await withConnection(appUrl, WAIT_MS, isDistributed);
  const database = new Database({ url: appUrl, isDistributed: isOverNodes, poolSize: 1, timeoutMs: WAIT_MS, applicationName: 'verbatim test' });
  try {
    return (await new PostgresAccounts(database).createTenant(name, 'admin')).token;
  } finally {
    await database.close();
  }
}
