/**
 * The application connects as a separate role, which may read and call the functions that write, but cannot change what was recorded. The migrations
 * grant these rights; this file creates the role and sets its password.
 */
import { createHmac } from 'node:crypto';
import pg, { type Client } from 'pg';
import { editDatabaseUrl, hostUrls } from '../config/database-url.js';
import { connect, type SetupOptions, withConnection } from './connect.js';
import { takeSetupLock } from './connection/setup-lock.js';
import { DatabaseError, errorCode, errorText } from './database-error.js';

export const APP_ROLE = 'verbatim_app';

const INSUFFICIENT_PRIVILEGE = '42501';
const CONCURRENTLY_UPDATED = 'XX000'; // "tuple concurrently updated"
const ATTEMPTS = 5;

type Wait = SetupOptions;

/**
 * Creates the role, or sets its password, unless it can already log in; resolves to its URL. The owner needs CREATEROLE only the first time and after its
 * own password has changed. Throws a DatabaseError.
 */
export async function ensureAppRole(ownerUrl: string, waitMs = 0, wait: Wait = {}): Promise<string> {
  const { appUrl, password } = appLogin(ownerUrl);
  if (await canLogIn(appUrl, waitMs, wait)) return appUrl;
  await underServerLock(ownerUrl, wait, async (client) => {
    if (await canLogIn(appUrl, 0, wait)) return; // a concurrent process has written the role
    for (let attempt = 1; !(await writeRole(client, password, attempt)); attempt += 1);
  });
  if (await canLogIn(appUrl, 0, wait)) return appUrl;
  throw new DatabaseError(
    'app_role_refused',
    `The server rejects the login of ${APP_ROLE}, although the role exists. Allow it in pg_hba.conf, or create a role yourself and set DATABASE_APP_URL.`,
  );
}

/**
 * The role's login. Its password is derived from the owner's, so every process of a deployment computes the same one and none is stored. An owner without
 * a password (trust authentication) gives a role without one.
 */
export function appLogin(ownerUrl: string): { readonly appUrl: string; readonly password: string | undefined } {
  const owner = new URL(hostUrls(ownerUrl)[0]!);
  const ownerPassword = owner.searchParams.get('password') ?? decodeURIComponent(owner.password);
  const password = ownerPassword ? createHmac('sha256', ownerPassword).update(APP_ROLE).digest('base64url') : undefined;
  const appUrl = editDatabaseUrl(ownerUrl, (url) => {
    url.searchParams.delete('password');
    url.password = password ?? '';
    if (url.host === '' || url.searchParams.has('user')) {
      // A URL without a host (a local socket) has its login in the parameters.
      url.searchParams.set('user', APP_ROLE);
      if (password) url.searchParams.set('password', password);
    } else {
      url.username = APP_ROLE;
    }
  });
  return { appUrl, password };
}

/** With DATABASE_APP_URL set no role is created: rejects when the role that the migrations grant rights to does not exist. */
export async function requireAppRole(ownerUrl: string, waitMs: number, wait: Wait): Promise<void> {
  const found = await withConnection(ownerUrl, waitMs, (client) => client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [APP_ROLE]), wait);
  if (found.rowCount) return;
  throw new DatabaseError(
    'app_role_missing',
    `DATABASE_APP_URL is set, so no role is created, but the migrations grant rights to ${APP_ROLE}, which does not exist. ` +
      `Run CREATE ROLE ${APP_ROLE}, and GRANT ${APP_ROLE} TO the role of DATABASE_APP_URL (or log in as ${APP_ROLE} itself).`,
  );
}

/** Rejects a login that the policies do not apply to: it would see the rows of all tenants. `client`: of that login, with the schema in place. */
export async function requireRowSecurity(client: Client): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    `SELECT current_user AS role FROM pg_class c WHERE c.oid = to_regclass('public.event') AND NOT row_security_active(c.oid)`,
  );
  const [exempt] = rows;
  if (!exempt) return;
  throw new DatabaseError(
    'app_role_exempt',
    `The application logs in as ${exempt.role}, to which row level security does not apply: a superuser, a role with BYPASSRLS, or the owner of the tables. ` +
      `Set DATABASE_APP_URL to the login of ${APP_ROLE}, or of another role that is a member of it.`,
  );
}

async function canLogIn(appUrl: string, waitMs: number, wait: Wait = {}): Promise<boolean> {
  try {
    await (await connect(appUrl, waitMs, wait)).end();
    return true;
  } catch (error) {
    if (errorCode(error) === 'database_refused') return false;
    throw error;
  }
}

/** Roles are global to the server, so the lock is taken in a database that all deployments on the server share. */
async function underServerLock(ownerUrl: string, wait: Wait, use: (client: Client) => Promise<void>): Promise<void> {
  const shared = editDatabaseUrl(ownerUrl, (url) => {
    url.pathname = '/postgres';
  });
  const client = await connect(shared, 0, wait).catch(() => connect(ownerUrl, 0, wait)); // missing or closed to this role: `writeRole` also tolerates a race
  try {
    await takeSetupLock(client, 'pg_try_advisory_lock(hashtext($1))', APP_ROLE);
    await use(client);
  } finally {
    await client.end();
  }
}

/** Returns false when a concurrent process changed the role and the caller should retry. */
async function writeRole(client: Client, password: string | undefined, attempt: number): Promise<boolean> {
  try {
    const { rows } = await client.query<{ manager: string | null; own: string }>(
      `SELECT shobj_description(oid, 'pg_authid') AS manager, 'managed by ' || current_user AS own FROM pg_roles WHERE rolname = $1`,
      [APP_ROLE],
    );
    const [role] = rows;
    if (role?.manager?.startsWith('managed by ') && role.manager !== role.own) {
      throw new DatabaseError(
        'app_role_taken',
        `The role ${APP_ROLE} on this server is ${role.manager}, the owner of another deployment. Create a role for this one and set DATABASE_APP_URL.`,
      );
    }
    await client.query(`${role ? 'ALTER' : 'CREATE'} ROLE ${APP_ROLE} LOGIN ${password ? `PASSWORD ${pg.escapeLiteral(password)}` : ''}`);
    await client.query(`DO $$ BEGIN EXECUTE format('COMMENT ON ROLE ${APP_ROLE} IS %L', 'managed by ' || current_user); END $$`);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof DatabaseError) throw error;
    if ((code === CONCURRENTLY_UPDATED || code === '42710') && attempt < ATTEMPTS) return false; // 42710: a concurrent process has created it
    if (code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new DatabaseError(
      'app_role_not_permitted',
      `The owner in DATABASE_URL is not permitted to create or change the role ${APP_ROLE} (${errorText(error)}). ` +
        `Give the owner CREATEROLE, or run CREATE ROLE ${APP_ROLE} LOGIN PASSWORD '…' as an administrator and set DATABASE_APP_URL.`,
      { cause: error },
    );
  }
}
