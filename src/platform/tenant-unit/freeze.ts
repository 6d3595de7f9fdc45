import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../postgres/database-error.js';
import { TENANT_TABLES } from './tables.js';
import { UnitError } from './unit-error.js';

/** A lock of a table that is not free holds up its writers, so it is waited for in short turns. */
const LOCK_MS = 1_000;
const PAUSE_MS = 500;
const ATTEMPTS = 60;
const LOCK_TIMEOUT = '55P03';
const DEADLOCK = '40P01';

/** For how long a process may accept a credential that has ended: see `remembered` in src/http/access. Milliseconds. */
const CREDENTIALS_END_MS = 3_000;

/** The name of a trigger, which sorts before all others. */
const nameOf = (tenantId: string, on: 'new' | 'old'): string => `aa_frozen_${tenantId}_${on}`;

/** The tables that keep a frozen tenant as it is. */
const KEPT = Object.entries(TENANT_TABLES).filter(([, { frozen }]) => frozen !== 'allowed');

/**
 * From its end on no change of the tenant's rows is committed: a trigger on each table rejects it, and a trigger is made only when no transaction is left that has written the table without it.
 * Other tenants pay nothing for one that is not frozen, and a comparison for each row while one is. Repeated, it completes what was interrupted.
 */
export async function freezeTenant(owner: pg.Client, tenantId: string): Promise<void> {
  const { rowCount } = await owner.query('SELECT FROM tenant WHERE tenant_id = $1', [tenantId]);
  if (rowCount === 0) throw new UnitError('tenant_missing', 'There is no tenant with this name.');
  for (const [table] of KEPT) await inTurns(owner, table, createOn(table, tenantId));
}

export async function thawTenant(owner: pg.Client, tenantId: string): Promise<void> {
  for (const [table] of KEPT) await inTurns(owner, table, dropOn(table, tenantId));
}

/** Names one freeze of the tenant, from its end to its thaw; null: it is not frozen, or not on every table. */
export async function freezeOf(owner: pg.Client, tenantId: string): Promise<string | null> {
  const { rows } = await owner.query<{ found: number; oids: string }>(
    `SELECT count(*)::int AS found, string_agg(oid::text, ' ' ORDER BY oid) AS oids FROM pg_trigger WHERE tgname = ANY ($1) AND tgenabled <> 'D'`,
    [[nameOf(tenantId, 'new'), nameOf(tenantId, 'old')]],
  );
  const [{ found, oids }] = rows as [{ found: number; oids: string }];
  return found === 2 * KEPT.length ? oids : null;
}

/** Whether anything keeps the tenant as it is: also what a freeze or a thaw has left that did not end. */
export async function isFrozenInPart(owner: pg.Client, tenantId: string): Promise<boolean> {
  const { rowCount } = await owner.query('SELECT FROM pg_trigger WHERE tgname = ANY ($1) LIMIT 1', [[nameOf(tenantId, 'new'), nameOf(tenantId, 'old')]]);
  return (rowCount ?? 0) > 0;
}

/** Thaws a tenant for its erasure: its users are disabled before, while nothing else can be changed, so that no request of theirs is accepted in between. */
export async function thawForErasure(owner: pg.Client, tenantId: string): Promise<void> {
  const disable = `UPDATE app_user SET disabled_at = now() WHERE tenant_id = ${pg.escapeLiteral(tenantId)} AND disabled_at IS NULL`;
  await inTurns(owner, 'app_user', [...dropOn('app_user', tenantId), disable, ...createOn('app_user', tenantId)]);
  await pause(CREDENTIALS_END_MS);
  await thawTenant(owner, tenantId);
}

/** In one transaction, which holds the lock of one table only. Each statement is sent alone: a distributed database sends the whole message to its nodes for each change of a table in it. */
async function inTurns(owner: pg.Client, table: string, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      for (const statement of ['BEGIN', `SET LOCAL lock_timeout = ${LOCK_MS}`, ...statements, 'COMMIT']) await owner.query(statement);
      return;
    } catch (error) {
      await owner.query('ROLLBACK');
      const isBusy = [LOCK_TIMEOUT, DEADLOCK].includes(errorCode(error) ?? '');
      if (!isBusy) throw error;
      if (attempt === ATTEMPTS)
        throw new UnitError(
          'tables_busy',
          `Another transaction has been writing the table ${table} for too long: look for it in pg_stat_activity, and repeat.`,
        );
      await pause(PAUSE_MS);
    }
  }
}

/** A condition cannot name the old and the new row of every kind of change, so there are two triggers. */
function createOn(table: string, tenantId: string): readonly string[] {
  const { frozen } = TENANT_TABLES[table]!;
  const make = (on: 'new' | 'old', changes: string, isSkipped: boolean): string =>
    `CREATE OR REPLACE TRIGGER ${pg.escapeIdentifier(nameOf(tenantId, on))} BEFORE ${changes} ON ${pg.escapeIdentifier(table)} FOR EACH ROW
      WHEN (${on}.tenant_id = ${pg.escapeLiteral(tenantId)}) EXECUTE FUNCTION keep_frozen('${isSkipped ? 'skip' : 'reject'}')`;
  return [make('new', 'INSERT', frozen === 'skipped'), make('old', 'UPDATE OR DELETE', frozen !== 'rejected')];
}

function dropOn(table: string, tenantId: string): readonly string[] {
  const drop = (on: 'new' | 'old'): string => `DROP TRIGGER IF EXISTS ${pg.escapeIdentifier(nameOf(tenantId, on))} ON ${pg.escapeIdentifier(table)}`;
  return [drop('new'), drop('old')];
}
