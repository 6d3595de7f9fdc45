import { tenantIdOf } from './adapters/store/identities.js';
import { eraseTenant } from './adapters/store/tenant-erasure.js';
import { readSettings } from './config/env.js';
import { withDatabase } from './with-database.js';

/**
 * `npm run -s erase-tenant -- TENANT [REASON]`, or in an image `node dist/src/erase-tenant.js TENANT [REASON]`: ends the access of every user of a tenant at once, and has the workers erase all that they own. Repeated, it
 * says how far they are. Ends with 1 when there is no such tenant.
 */
const [tenant, reason = null] = process.argv.slice(2);
if (!tenant) {
  process.stderr.write('Usage: npm run -s erase-tenant -- "name of the tenant" "reason, for the logs of its sessions"\n');
  process.exit(2);
}
await withDatabase(readSettings(process.env), 'erase-tenant', async (connection) => {
  const progress = await eraseTenant(connection, tenantIdOf(tenant), reason);
  if (progress) process.stdout.write(`${JSON.stringify(progress)}\n`);
  else {
    process.stderr.write('There is no tenant with this name.\n');
    process.exitCode = 1;
  }
});
