import { fileURLToPath } from 'node:url';
import { openDatabase } from './adapters/postgres/open-database.js';
import { CredentialCache } from './adapters/store/credential-cache.js';
import { tenantIdOf, userIdOf } from './adapters/store/identities.js';
import { PostgresAccounts } from './adapters/store/postgres-accounts.js';
import { PostgresSignIns } from './adapters/store/postgres-sign-ins.js';
import { Database } from './adapters/store/prisma.js';
import { firstUserOf } from './bootstrap.js';
import { readSettings } from './config/env.js';
import { signInLinkOf } from './sign-in-link-address.js';

/**
 * `npm run -s sign-in-link -- TENANT USER`, or in an image `node dist/src/sign-in-link.js TENANT USER`: prints a link that signs a browser in once as that user. On
 * the embedded database without arguments: as the user of the first token.
 */
const [tenant, user] = process.argv.slice(2);
const settings = readSettings(process.env);
const database = await openDatabase({
  url: settings.DATABASE_URL,
  appUrl: settings.DATABASE_APP_URL,
  dataDir: settings.DATA_DIR,
  migrations: fileURLToPath(new URL('../../prisma/migrations', import.meta.url)),
  waitMs: settings.DATABASE_TIMEOUT_MS,
  setupTimeoutMs: settings.DATABASE_SETUP_TIMEOUT_MS,
  statementTimeoutMs: settings.DATABASE_TIMEOUT_MS,
  log: () => undefined,
});
const connection = new Database({ url: database.appUrl, poolSize: 1, timeoutMs: settings.DATABASE_TIMEOUT_MS, applicationName: 'verbatim sign-in link' });
try {
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
} finally {
  await connection.close();
  await database.close();
}
