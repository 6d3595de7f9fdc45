import { freezeTenant } from '../platform/tenant-unit/freeze.js';
import { withTenant } from './with-tenant.js';

/** `verbatim freeze-tenant` */
export async function run([tenant]: readonly string[]): Promise<number> {
  return withTenant(tenant, 'freeze-tenant', async (owner, tenantId) => {
    await freezeTenant(owner, tenantId);
    process.stdout.write('The tenant is frozen: reads are answered, changes get 503 until verbatim thaw-tenant.\n');
  });
}
