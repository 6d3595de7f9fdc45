import { tenantIdOf } from '../features/people/identities.js';
import { eraseTenant } from '../features/erasure/tenant-erasure.js';
import { readSettings } from '../platform/config/env.js';
import { withConnection } from '../platform/postgres/connect.js';
import { isFrozenInPart, thawForErasure } from '../platform/tenant-unit/freeze.js';
import { UsageError } from './usage-error.js';
import { withDatabase } from './with-database.js';

/** `verbatim erase-tenant`: the workers erase; repeated, it says how far they are. */
export async function run([tenant, reason]: readonly string[]): Promise<number> {
  if (!tenant) throw new UsageError('No tenant is named.');
  const settings = readSettings(process.env);
  return withDatabase(settings, 'erase-tenant', async (connection, { ownerUrl }) => {
    const tenantId = tenantIdOf(tenant);
    await withConnection(ownerUrl, settings.DATABASE_TIMEOUT_MS, async (owner) => {
      if (await isFrozenInPart(owner, tenantId)) await thawForErasure(owner, tenantId);
    });
    const progress = await eraseTenant(connection, tenantId, reason ?? null);
    if (progress) process.stdout.write(`${JSON.stringify(progress)}\n`);
    else process.stderr.write('There is no tenant with this name.\n');
    return progress ? 0 : 1;
  });
}
