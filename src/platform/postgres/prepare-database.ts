import type { Client } from 'pg';
import { loginAt } from '../config/database-url.js';
import { ensureAppRole, requireAppRole, requireRowSecurity } from './app-role.js';
import { applyAppRoleSettings, revokePublicRights } from './app-role-settings.js';
import { withConnection } from './connect.js';
import { isDistributed, refusePooledNodes } from './distributed.js';
import type { WaitOptions } from './connection/wait-for-service.js';
import { applyMigrations } from './migrations/migrate.js';
import { requireOwnSessions } from './own-session.js';
import { retrySetup } from './retry-setup.js';

export interface PrepareOptions extends Omit<WaitOptions, 'timeoutMs'> {
  /** Runs the migrations and, without `appUrl`, creates and updates the application's role. A direct address, not a transaction pooler's. */
  readonly ownerUrl: string;
  /** The operator's own login for the application, directly or through a pooler; then no role is created or changed. */
  readonly appUrl?: string | undefined;
  /** The folder that contains one folder per migration. */
  readonly migrations: string;
  /** The folder that contains one file per function. Absent: none. */
  readonly functions?: string | undefined;
  /** Milliseconds in which what failed because the server was away, silent or busy is repeated. */
  readonly waitMs: number;
  /** Milliseconds that one statement of the application may take on the server. */
  readonly statementTimeoutMs: number;
  /** Milliseconds for the answer to one statement of the setup that is not a migration. */
  readonly setupTimeoutMs: number;
}

export interface PreparedDatabase {
  /** The application's login. */
  readonly appUrl: string;
  /** The same login without a pooler in between, for connections that LISTEN. */
  readonly directUrl: string;
  /** Over nodes: see distributed.ts. */
  readonly isDistributed: boolean;
  /** The names of the migrations applied by this call. */
  readonly applied: readonly string[];
}

/** Brings a database up to date for the application, within `waitMs`; several processes may do so concurrently. Throws a DatabaseError. */
export function prepareDatabase(options: PrepareOptions): Promise<PreparedDatabase> {
  return retrySetup(options, (waitMs) => prepareOnce({ ...options, waitMs }));
}

async function prepareOnce(options: PrepareOptions): Promise<PreparedDatabase> {
  const { ownerUrl, migrations, functions, waitMs, statementTimeoutMs, setupTimeoutMs, signal, report } = options;
  const wait = { signal, report, setupTimeoutMs };
  let appUrl = options.appUrl;
  let directUrl: string;
  await requireOwnSessions(ownerUrl, waitMs, wait);
  if (appUrl === undefined) {
    appUrl = directUrl = await ensureAppRole(ownerUrl, waitMs, wait); // before the migrations, which grant rights to it
  } else {
    await requireAppRole(ownerUrl, waitMs, wait);
    directUrl = loginAt(ownerUrl, appUrl);
  }
  const applied = await applyMigrations(ownerUrl, migrations, revokePublicRights, { ...wait, waitMs, functions });
  const finish = async (client: Client): Promise<boolean> => {
    await requireRowSecurity(client);
    await applyAppRoleSettings(client, statementTimeoutMs);
    const isOverNodes = await isDistributed(client);
    if (isOverNodes) await refusePooledNodes(client);
    return isOverNodes;
  };
  const distributed = await withConnection(directUrl, waitMs, finish, wait);
  if (appUrl !== directUrl) await withConnection(appUrl, waitMs, (client) => client.query('SELECT 1'), wait); // reports a wrong address at the start
  return { appUrl, directUrl, isDistributed: distributed, applied };
}
