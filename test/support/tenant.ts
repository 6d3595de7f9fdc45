import { PostgresAccounts } from '../../src/adapters/store/postgres-accounts.js';
import { createPrisma } from '../../src/adapters/store/prisma.js';

/** The admin token of a new tenant, made past the server. */
export async function makeTenant(appUrl: string, name: string): Promise<string> {
  const prisma = createPrisma({ url: appUrl, poolSize: 1, timeoutMs: 10_000, applicationName: 'test' });
  try {
    return (await new PostgresAccounts(prisma).createTenant(name, 'admin')).token;
  } finally {
    await prisma.$disconnect();
  }
}
