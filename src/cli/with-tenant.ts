import type pg from 'pg';
import { tenantIdOf } from '../features/people/identities.js';
import { readSettings, type Settings } from '../platform/config/env.js';
import { withConnection } from '../platform/postgres/connect.js';
import type { OpenDatabase } from '../platform/postgres/open-database.js';
import { UsageError } from './usage-error.js';
import { withDatabase } from './with-database.js';

/** Runs a command of the operator on one tenant, with a connection of the database's owner. Ends with 0. */
export async function withTenant(
  tenant: string | undefined,
  command: string,
  use: (owner: pg.Client, tenantId: string, settings: Settings, database: OpenDatabase) => Promise<void>,
): Promise<number> {
  if (!tenant) throw new UsageError('No tenant is named.');
  const settings = readSettings(process.env);
  return withDatabase(settings, command, async (_, database) => {
    await withConnection(database.ownerUrl, settings.DATABASE_TIMEOUT_MS, (owner) => use(owner, tenantIdOf(tenant), settings, database));
    return 0;
  });
}
