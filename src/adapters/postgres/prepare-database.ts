import type { Client } from 'pg';
import { ensureAppRole, requireAppRole } from './app-role.js';
import { connect } from './connect.js';
import { applyMigrations } from './migrate.js';

export interface PrepareOptions {
  /** Runs the migrations and, unless `appUrl` is given, keeps the role of the product. */
  readonly ownerUrl: string;
  /** The operator's own login for the product; then no role is touched. */
  readonly appUrl?: string | undefined;
  /** The folder with one folder per migration. */
  readonly migrations: string;
  /** How long to try while the server does not answer. */
  readonly waitMs: number;
  /** Runs as the owner, after the migrations and under their lock; must bear being repeated. */
  readonly afterwards?: (client: Client) => Promise<void>;
}

export interface PreparedDatabase {
  /** What the product connects with. */
  readonly appUrl: string;
  /** The migrations that were applied now. */
  readonly applied: readonly string[];
}

/** All that must be done to a database before the product uses it; any number of processes may do it at once. Throws a DatabaseError. */
export async function prepareDatabase(options: PrepareOptions): Promise<PreparedDatabase> {
  const { ownerUrl, migrations, waitMs, afterwards } = options;
  if (options.appUrl === undefined) {
    const appUrl = await ensureAppRole(ownerUrl, waitMs); // first: the migrations grant rights to it
    return { appUrl, applied: await applyMigrations(ownerUrl, migrations, afterwards, { waitMs }) };
  }
  await requireAppRole(ownerUrl, waitMs);
  const applied = await applyMigrations(ownerUrl, migrations, afterwards, { waitMs });
  await (await connect(options.appUrl, waitMs)).end(); // a wrong login shows here, not in the first request
  return { appUrl: options.appUrl, applied };
}
