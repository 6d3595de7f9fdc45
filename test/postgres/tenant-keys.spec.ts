import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

/*
 * A tenant is a unit: its rows can be kept, moved or dropped without those of others, on one server or on several, which only works while no key reaches across tenants.
 * Read from the catalogue of the database, so that every table counts.
 */

/** Indexes that do not begin with the tenant, and why. */
const ACROSS_TENANTS: Readonly<Record<string, string>> = {
  erased_session_open: 'unfinished_erasures looks for what is due, of all tenants',
  event_feed: 'pending_leaves reads the events of all tenants in the order of their transactions',
  outbox_lease_end: 'lease_jobs and next_lease_end look for leases that end, of all tenants',
  receipt_by_age: 'prune_receipts deletes the oldest receipts, of all tenants',
  search_by_words: 'GIN: the words contain the tenant, see project_session',
  session_by_metadata: 'GIN: the metadata contain the tenant',
  session_open_helper: 'open_helpers looks for what is due, of all tenants',
  session_orphaned: 'expired_sessions looks for what is due, of all tenants',
  session_retention_by_end: 'expired_sessions looks for what is due, of all tenants',
  session_schedule_by_time: 'due_schedules and next_schedule_run look for what is due, of all tenants',
  session_running: 'requeue_orphaned_turns looks for what is due, of all tenants',
  session_waiting: 'expired_waits looks for what is due, of all tenants',
  tlog_run_pkey: 'the place of a leaf in the one tree, which is of all tenants',
};

/** The public tables with rows of tenants. */
const TABLES = `SELECT c.oid, c.relname, a.attnum FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`;

const INDEXES = `SELECT i.indexrelid::regclass::text AS name FROM (${TABLES}) t JOIN pg_index i ON i.indrelid = t.oid WHERE i.indkey[0] <> t.attnum ORDER BY 1`;

const WITHOUT_PRIMARY_KEY = `SELECT t.relname AS name FROM (${TABLES}) t WHERE NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = t.oid AND i.indisprimary) ORDER BY 1`;

/** Of a tenants' table, or to one, without the tenant of both sides. */
const FOREIGN_KEYS = `SELECT k.conrelid::regclass || '.' || k.conname AS name FROM pg_constraint k
  LEFT JOIN (${TABLES}) t ON t.oid = k.conrelid LEFT JOIN (${TABLES}) r ON r.oid = k.confrelid
  WHERE k.contype = 'f' AND (t.oid IS NOT NULL OR r.oid IS NOT NULL)
    AND NOT EXISTS (SELECT FROM unnest(k.conkey, k.confkey) AS pair(own, other) WHERE pair.own = t.attnum AND pair.other = r.attnum) ORDER BY 1`;

const GENERATED = `SELECT t.relname || '.' || a.attname AS name FROM (${TABLES}) t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attgenerated <> '' ORDER BY 1`;

/** Functions that see the rows of all tenants and do not take one. */
const FUNCTIONS = `SELECT p.proname AS name FROM pg_proc p
  WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace AND NOT coalesce(p.proargnames && ARRAY['p_tenant', 'p_tenants'], false) ORDER BY 1`;

let database: TestDatabase;
let owner: Client;
beforeAll(async () => {
  database = await freshDatabase();
  owner = await connect(database.ownerUrl, 60_000);
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

const names = async (sql: string): Promise<readonly string[]> => (await owner.query<{ name: string }>(sql)).rows.map(({ name }) => name);

/** What `sql` finds while the changes are made. */
async function afterChanges(changes: string, sql: string): Promise<readonly string[]> {
  await owner.query(`BEGIN; ${changes}`);
  return names(sql).finally(() => owner.query('ROLLBACK'));
}

describe('a table with rows of tenants', () => {
  it('has the tenant first in its primary key and in every index, but for those with a reason', async () => {
    const known = Object.keys(ACROSS_TENANTS).sort();
    expect(await names(INDEXES)).toEqual(known);
    expect(await names(WITHOUT_PRIMARY_KEY)).toEqual([]);
    const stray =
      'CREATE TABLE stray (id uuid PRIMARY KEY, tenant_id uuid, n int UNIQUE); CREATE TABLE keyless (tenant_id uuid); CREATE INDEX on_time ON usage (day, tenant_id)';
    expect(await afterChanges(stray, INDEXES)).toEqual([...known, 'on_time', 'stray_n_key', 'stray_pkey'].sort());
    expect(await afterChanges(stray, WITHOUT_PRIMARY_KEY)).toEqual(['keyless']);
  });

  it('has the tenant in every foreign key', async () => {
    expect(await names(FOREIGN_KEYS)).toEqual([]);
    const stray = `CREATE TABLE parent (tenant_id uuid, id uuid UNIQUE, PRIMARY KEY (tenant_id, id));
      CREATE TABLE child (tenant_id uuid, parent uuid REFERENCES parent (id), other uuid, PRIMARY KEY (tenant_id, parent), FOREIGN KEY (tenant_id, other) REFERENCES parent);
      CREATE TABLE of_none (parent uuid REFERENCES parent (id))`;
    expect(await afterChanges(stray, FOREIGN_KEYS)).toEqual(['child.child_parent_fkey', 'of_none.of_none_parent_fkey']);
  });

  it('has no generated column', async () => {
    expect(await names(GENERATED)).toEqual([]);
    expect(await afterChanges('ALTER TABLE usage ADD COLUMN twice int GENERATED ALWAYS AS (prompts * 2) STORED', GENERATED)).toEqual(['usage.twice']);
  });
});

it('functions with the rights of the owner take the tenant, or are in the table of those that read all tenants', async () => {
  const readme = await readFile('prisma/functions/README.md', 'utf8');
  const listed = [...readme.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!).sort();
  expect(await names(FUNCTIONS)).toEqual(listed);
});
