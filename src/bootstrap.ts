import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import { SettingsError } from './platform/config/env.js';
import type { Accounts } from './ports/index.js';
import type { Principal } from '../packages/protocol/access/principal.js';

const FILE = 'dev-token';

/**
 * On the embedded database, the first start creates a tenant, a user and a token. Returns the token if it was created now. Throws when HOST is not a
 * loopback address while that token is valid: it is stored in plain text in the data directory.
 */
export async function bootstrap(accounts: Accounts, dataDir: string, host: string): Promise<string | null> {
  const file = path.join(dataDir, FILE);
  const known = await storedToken(dataDir);
  if (!isLoopback(host) && (known === null || (await accounts.principal(known)) !== null)) {
    throw new SettingsError(
      `HOST=${host} exposes this server to the network while the token of the first start is valid.\n` +
        `  Create another token (POST /v1/tokens), revoke the first one (DELETE /v1/tokens/<id>; GET /v1/me returns its id), then restart.`,
    );
  }
  if ((await accounts.tenants()) > 0) return null;
  const { token } = await accounts.createTenant('first tenant', 'first user');
  await writeFile(file, `${token}\n`, { mode: 0o600 });
  return token;
}

/** The user of the stored token; null when there is none, or it is no longer valid. */
export async function firstUserOf(accounts: Accounts, dataDir: string): Promise<Principal | null> {
  const token = await storedToken(dataDir);
  return token === null ? null : accounts.principal(token);
}

async function storedToken(dataDir: string): Promise<string | null> {
  const file = path.join(dataDir, FILE);
  return existsSync(file) ? (await readFile(file, 'utf8')).trim() : null;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
