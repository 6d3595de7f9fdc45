import { CredentialCache } from '../platform/postgres/store/credential-cache.js';
import { tenantIdOf, userIdOf } from '../features/people/identities.js';
import { PostgresAccounts } from '../features/people/postgres-accounts.js';
import { PostgresSignIns } from '../features/sign-in/postgres-sign-ins.js';
import { firstUserOf } from '../bootstrap.js';
import { readSettings } from '../platform/config/env.js';
import { signInLinkOf } from '../sign-in-link-address.js';
import { UsageError } from './usage-error.js';
import { withDatabase } from './with-database.js';

/** `verbatim sign-in-link` */
export async function run([tenant, user]: readonly string[]): Promise<number> {
  const settings = readSettings(process.env);
  return withDatabase(settings, 'sign-in link', async (connection, database) => {
    const cache = new CredentialCache();
    const named = tenant && user ? { tenantId: tenantIdOf(tenant), userId: userIdOf(tenantIdOf(tenant), user) } : null;
    const whom = named ?? (database.embedded && !tenant ? await firstUserOf(new PostgresAccounts(connection, cache), settings.DATA_DIR) : null);
    const code = whom === null ? null : await new PostgresSignIns(connection, cache).issueCode(whom, settings.SIGN_IN_LINK_SECONDS * 1_000);
    if (code === null && named === null) throw new UsageError('Whom the link is for is not said: the name of the tenant, and that of the user.');
    if (code === null) {
      process.stderr.write('The tenant has no user with this name, or the user is disabled.\n');
      return 2;
    }
    const host = ['0.0.0.0', '::'].includes(settings.HOST) ? 'localhost' : settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST;
    process.stdout.write(`${signInLinkOf(settings.PUBLIC_URL ?? `http://${host}:${settings.PORT}`, code)}\n`);
    return 0;
  });
}
