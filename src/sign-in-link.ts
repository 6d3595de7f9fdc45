import { CredentialCache } from './adapters/store/credential-cache.js';
import { tenantIdOf, userIdOf } from './adapters/store/identities.js';
import { PostgresAccounts } from './adapters/store/postgres-accounts.js';
import { PostgresSignIns } from './adapters/store/postgres-sign-ins.js';
import { firstUserOf } from './bootstrap.js';
import { readSettings } from './config/env.js';
import { withDatabase } from './with-database.js';
import { signInLinkOf } from './sign-in-link-address.js';

/**
 * `npm run -s sign-in-link -- TENANT USER`, or in an image `node dist/src/sign-in-link.js TENANT USER`: prints a link that signs a browser in once as that user. On
 * the embedded database without arguments: as the user of the first token.
 */
const [tenant, user] = process.argv.slice(2);
const settings = readSettings(process.env);
await withDatabase(settings, 'sign-in link', async (connection, database) => {
  const cache = new CredentialCache();
  const named = tenant && user ? { tenantId: tenantIdOf(tenant), userId: userIdOf(tenantIdOf(tenant), user) } : null;
  const whom = named ?? (database.embedded && !tenant ? await firstUserOf(new PostgresAccounts(connection, cache), settings.DATA_DIR) : null);
  const code = whom === null ? null : await new PostgresSignIns(connection, cache).issueCode(whom, settings.SIGN_IN_LINK_SECONDS * 1_000);
  if (code === null) {
    process.stderr.write(
      named === null
        ? 'Usage: npm run -s sign-in-link -- "name of the tenant" "name of the user"\n'
        : 'The tenant has no user with this name, or the user is disabled.\n',
    );
    process.exitCode = 2;
  } else {
    const host = ['0.0.0.0', '::'].includes(settings.HOST) ? 'localhost' : settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST;
    process.stdout.write(`${signInLinkOf(settings.PUBLIC_URL ?? `http://${host}:${settings.PORT}`, code)}\n`);
  }
});
