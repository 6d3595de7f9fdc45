/**
 * The product runs as a role of its own that may read, and append through functions, but change no history. The
 * migrations grant it those rights; here it gets its existence and its password.
 */
import { createHmac } from 'node:crypto';
import pg, { type Client } from 'pg';
import { connect, withConnection } from './connect.js';
import { DatabaseError, errorCode, errorText } from './database-error.js';

export const APP_ROLE = 'verbatim_app';

const INSUFFICIENT_PRIVILEGE = '42501';
const CONCURRENTLY_UPDATED = 'XX000'; // "tuple concurrently updated"
const ATTEMPTS = 5;

/**
 * Makes sure that the role exists and can log in, and resolves to its URL. Touches nothing when it can already.
 * The owner needs CREATEROLE only the first time and when its own password has changed. Throws a DatabaseError.
 */
export async function ensureAppRole(ownerUrl: string, waitMs = 0): Promise<string> {
  const { appUrl, password } = appLogin(ownerUrl);
  if (await mayLogIn(appUrl, waitMs)) return appUrl;
  await underServerLock(ownerUrl, async (client) => {
    if (await mayLogIn(appUrl, 0)) return; // another process was faster
    for (let attempt = 1; !(await writeRole(client, password, attempt)); attempt += 1);
  });
  if (await mayLogIn(appUrl, 0)) return appUrl;
  throw new DatabaseError(
    'app_role_refused',
    `The server does not let ${APP_ROLE} in, although the role exists. Allow it in pg_hba.conf, or create a role yourself and set DATABASE_APP_URL.`,
  );
}

/**
 * The password comes from the owner's, so every process of a deployment computes the same one and none has to keep
 * it. An owner without a password (trusted connections) gives a role without one.
 */
export function appLogin(ownerUrl: string): { readonly appUrl: string; readonly password: string | undefined } {
  const url = new URL(ownerUrl);
  const ownerPassword = url.searchParams.get('password') ?? decodeURIComponent(url.password);
  const password = ownerPassword ? createHmac('sha256', ownerPassword).update(APP_ROLE).digest('base64url') : undefined;
  url.searchParams.delete('password');
  url.password = password ?? '';
  if (url.host === '' || url.searchParams.has('user')) {
    // A URL without a host (a local socket) carries its login as parameters.
    url.searchParams.set('user', APP_ROLE);
    if (password) url.searchParams.set('password', password);
  } else {
    url.username = APP_ROLE;
  }
  return { appUrl: url.href, password };
}

/** For a server on which we were told to touch no roles: says what to do when the migrations could not grant rights. */
export async function requireAppRole(ownerUrl: string, waitMs: number): Promise<void> {
  const found = await withConnection(ownerUrl, waitMs, (client) => client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [APP_ROLE]));
  if (found.rowCount) return;
  throw new DatabaseError(
    'app_role_missing',
    `DATABASE_APP_URL is set, so no role is created, but the migrations grant their rights to ${APP_ROLE}, which does not exist. ` +
      `Run CREATE ROLE ${APP_ROLE}, and GRANT ${APP_ROLE} TO the role of DATABASE_APP_URL (or log in as ${APP_ROLE} itself).`,
  );
}

async function mayLogIn(appUrl: string, waitMs: number): Promise<boolean> {
  try {
    await (await connect(appUrl, waitMs)).end();
    return true;
  } catch (error) {
    if (errorCode(error) === 'database_refused') return false;
    throw error;
  }
}

/** Roles belong to the whole server, so the lock is taken in a database that every deployment on it shares. */
async function underServerLock(ownerUrl: string, use: (client: Client) => Promise<void>): Promise<void> {
  const shared = new URL(ownerUrl);
  shared.pathname = '/postgres';
  const client = await connect(shared.href, 0).catch(() => connect(ownerUrl, 0)); // not there, or not for us: `writeRole` bears a race
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [APP_ROLE]); // released with the connection
    await use(client);
  } finally {
    await client.end();
  }
}

/** false when another process changed the role at the same moment and it is worth another attempt. */
async function writeRole(client: Client, password: string | undefined, attempt: number): Promise<boolean> {
  try {
    const { rows } = await client.query<{ keeper: string | null; me: string }>(
      `SELECT shobj_description(oid, 'pg_authid') AS keeper, 'kept by ' || current_user AS me FROM pg_roles WHERE rolname = $1`,
      [APP_ROLE],
    );
    const [role] = rows;
    if (role?.keeper?.startsWith('kept by ') && role.keeper !== role.me) {
      throw new DatabaseError(
        'app_role_taken',
        `The role ${APP_ROLE} on this server is ${role.keeper}, for another deployment. Create a role for this one and set DATABASE_APP_URL.`,
      );
    }
    await client.query(`${role ? 'ALTER' : 'CREATE'} ROLE ${APP_ROLE} LOGIN ${password ? `PASSWORD ${pg.escapeLiteral(password)}` : ''}`);
    await client.query(`DO $$ BEGIN EXECUTE format('COMMENT ON ROLE ${APP_ROLE} IS %L', 'kept by ' || current_user); END $$`);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof DatabaseError) throw error;
    if ((code === CONCURRENTLY_UPDATED || code === '42710') && attempt < ATTEMPTS) return false; // 42710: it exists by now
    if (code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new DatabaseError(
      'app_role_not_permitted',
      `The owner in DATABASE_URL may not create or change the role ${APP_ROLE} (${errorText(error)}). ` +
        `Give the owner CREATEROLE, or run CREATE ROLE ${APP_ROLE} LOGIN PASSWORD '…' as an administrator and set DATABASE_APP_URL.`,
      { cause: error },
    );
  }
}
