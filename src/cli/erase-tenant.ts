import { tenantIdOf } from '../features/people/identities.js';
import { eraseTenant } from '../features/erasure/tenant-erasure.js';
import { readSettings } from '../platform/config/env.js';
import { UsageError } from './usage-error.js';
import { withDatabase } from './with-database.js';

/** `verbatim erase-tenant`: the workers erase; repeated, it says how far they are. */
export async function run([tenant, reason]: readonly string[]): Promise<number> {
  if (!tenant) throw new UsageError('No tenant is named.');
  return withDatabase(readSettings(process.env), 'erase-tenant', async (connection) => {
    const progress = await eraseTenant(connection, tenantIdOf(tenant), reason ?? null);
    if (progress) process.stdout.write(`${JSON.stringify(progress)}\n`);
    else process.stderr.write('There is no tenant with this name.\n');
    return progress ? 0 : 1;
  });
}
