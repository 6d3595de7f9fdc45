import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import { SettingsError } from './config/env.js';
import type { Accounts } from './core/ports.js';

const FILE = 'dev-token';

/**
 * On the embedded database the first start makes a tenant, a user and a token, so that there is something to try at once. Returns the token when it was made
 * just now. Refuses to serve more than this machine while that token still works: it lies in a file that nobody thought about.
 */
export async function bootstrap(accounts: Accounts, dataDir: string, host: string): Promise<string | null> {
  const file = path.join(dataDir, FILE);
  const known = existsSync(file) ? (await readFile(file, 'utf8')).trim() : null;
  if (!isLoopback(host) && (known === null || (await accounts.principal(known)) !== null)) {
    throw new SettingsError(
      `HOST=${host} would open this server to others while the token of the first start is in use.\n` +
        `  Make a token of your own (POST /v1/tokens), revoke the first one (DELETE /v1/tokens/<its id>; GET /v1/me with it tells), then start again.`,
    );
  }
  if ((await accounts.tenants()) > 0) return null;
  const { token } = await accounts.createTenant('first tenant', 'first user');
  await writeFile(file, `${token}\n`, { mode: 0o600 });
  return token;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
