import { thawTenant } from '../platform/tenant-unit/freeze.js';
import { withTenant } from './with-tenant.js';

/** `verbatim thaw-tenant` */
export async function run([tenant]: readonly string[]): Promise<number> {
  return withTenant(tenant, 'thaw-tenant', async (owner, tenantId) => {
    await thawTenant(owner, tenantId);
    process.stdout.write('The tenant is not frozen any more.\n');
  });
}
