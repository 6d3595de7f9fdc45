import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { connect, withConnection } from '../../src/platform/postgres/connect.js';
import { tenantTables } from '../../src/platform/postgres/distributed.js';
import { DistributedPostgres, FOREIGN_KEYS } from '../support/distributed-postgres.js';
import { CITUS, describeWith } from '../support/needs.js';

/* The schema on a distributed database: docs/decisions/0490. Functions of all tenants that a change of the schema takes away from it are noticed here. */

const WAIT_MS = 60_000;
const NIL = '00000000-0000-0000-0000-000000000000';

/** Calls of functions of all tenants, and what each of them says about a database with the rows of `beforeAll`. */
const ANSWERED: Readonly<Record<string, unknown>> = {
  'SELECT count(*)::int AS is FROM sessions_after($1, $1, 10)': 4,
  'SELECT count(*)::int AS is FROM find_plain_sessions($1, $1, 10)': 4,
  "SELECT length(leaves) / 72 AS is FROM pending_leaves('0', 0, 10) WHERE $1 IS NOT NULL": 4,
  "SELECT count(*)::int AS is FROM keys_to_rewrap('key', $1, $1, 10)": 0,
  "SELECT count(*)::int AS is FROM blobs_in_database($1, '', 10)": 0,
  'SELECT count(*)::int AS is FROM open_helpers(10, NULL, NULL, NULL) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM open_erasures(10) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM unfinished_erasures(1, 10, 1) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM expired_waits(1, 10) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM due_schedules(10, NULL, NULL) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM leased_turns(10) WHERE $1 IS NOT NULL': 2,
  'SELECT jobs AS is FROM read_backlog() WHERE $1 IS NOT NULL': 0,
  'SELECT next_lease_end() > 0 AS is WHERE $1 IS NOT NULL': true,
  'SELECT ended AS is FROM end_abandoned_leases(3600000, 0) WHERE $1 IS NOT NULL': 2,
  'SELECT count(redeliver_jobs())::int AS is WHERE $1 IS NOT NULL': 1,
  'SELECT prune_receipts(1, 10) AS is WHERE $1 IS NOT NULL': 0,
  'SELECT requeue_orphaned_turns(3600000, 10) AS is WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM lease_jobs(10, 3, 1000) WHERE $1 IS NOT NULL': 2,
  "SELECT count(*)::int AS is FROM renew_turns($1, ARRAY[$1], ARRAY['job'], 1000)": 0,
  'SELECT count(*)::int AS is FROM claim_removals(10, 1000) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM erased_since(ARRAY[$1], ARRAY[$1], ARRAY[0]::bigint[])': 0,
  'SELECT count(*)::int AS is FROM expired_sessions(10, NULL) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM cold_sessions(0, 10, NULL, NULL, NULL, NULL) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM archived_logs($1, $1, 10)': 0,
  'SELECT logs::int AS is FROM read_archives() WHERE $1 IS NOT NULL': 0,
  'SELECT sum(shards)::int AS is FROM read_nodes(10000) WHERE is_up AND $1 IS NOT NULL': 4,
  'SELECT jobs AS is FROM read_reachable_backlog(10000) WHERE $1 IS NOT NULL': 0,
  'SELECT count(*)::int AS is FROM lease_reachable_jobs(10000, 10, 3, 1000) WHERE $1 IS NOT NULL': 0,
};

describeWith(CITUS)('the schema on a distributed database', () => {
  let distributed: DistributedPostgres;
  let owner: Client;
  const tenants: string[] = [];

  beforeAll(async () => {
    distributed = await DistributedPostgres.start();
    owner = await connect(distributed.url(distributed.coordinator), WAIT_MS);
    for (const node of distributed.nodes) tenants.push(await tenantOn(new URL(node.url).port));
    for (const tenant of tenants) for (const withTurn of [true, false]) expect(await append(tenant, withTurn)).toBe('appended');
  });
  afterAll(async () => {
    await owner?.end();
    await distributed?.stop();
  });

  async function tenantOn(port: string): Promise<string> {
    for (;;) {
      const tenant = randomUUID();
      if ((await placeOf('event', tenant)).port === Number(port)) return tenant;
    }
  }

  async function placeOf(table: string, tenant: string): Promise<{ readonly shard: string; readonly port: number }> {
    const { rows } = await owner.query<{ shard: string; port: number }>(
      `SELECT table_name || '_' || shardid AS shard, nodeport AS port FROM citus_shards WHERE table_name = $1::regclass AND shardid = get_shard_id_for_distribution_column($1::regclass, $2::uuid)`,
      [table, tenant],
    );
    return rows[0]!;
  }

  /** A new session, with `withTurn` one whose turn the caller holds. */
  async function append(tenant: string, withTurn: boolean): Promise<string> {
    const turn = randomUUID();
    const jobs = withTurn ? JSON.stringify([{ queue: 'turns', id: turn, payload: { turnId: turn } }]) : '[]';
    const { rows } = await owner.query<{ outcome: string }>(
      `SELECT outcome FROM append_events($1::uuid, $2::uuid, 0, $3::uuid, '\\x00', '{}', ARRAY[$4::uuid], ARRAY['session.created'], ARRAY[1], ARRAY['{}'], $5::jsonb, '{}', NULL, NULL,
         $4::uuid, 'title', 'model', 'idle', 0, NULL, $6::uuid, 3, 60000)`,
      [tenant, randomUUID(), randomUUID(), randomUUID(), jobs, turn],
    );
    return rows[0]!.outcome;
  }

  it('every table of tenants is distributed by its tenant, with all others of the same tenant, and keeps its foreign keys', async () => {
    const { rows: expected } = await owner.query<{ name: string }>(`${tenantTables()} ORDER BY 2`);
    const { rows } = await owner.query(
      `SELECT table_name::text AS name, distribution_column AS by, count(*) OVER (PARTITION BY colocation_id)::int AS together FROM citus_tables WHERE citus_table_type = 'distributed' ORDER BY 1`,
    );
    expect(rows).toEqual(expected.map(({ name }) => ({ name, by: 'tenant_id', together: expected.length })));
    expect((await owner.query(FOREIGN_KEYS)).rows).toEqual(distributed.foreignKeys);
  });

  it('what was recorded cannot be changed on the node that has it either', async () => {
    for (const tenant of tenants) {
      const { shard, port } = await placeOf('event', tenant);
      await withConnection(distributed.url(distributed.nodeAt(port)), WAIT_MS, async (node) => {
        await node.query('SET citus.enable_manual_changes_to_shards = on');
        for (const change of [`UPDATE ${shard} SET type = 'other'`, `DELETE FROM ${shard}`, `TRUNCATE ${shard}`])
          await expect(node.query(change)).rejects.toMatchObject({ code: 'VB001' });
      });
    }
  });

  it('row level security holds on the nodes: a transaction sees the rows of the tenant that it has set, and without one none', async () => {
    const [one, other] = tenants as [string, string];
    await withConnection(appLogin(distributed.url(distributed.coordinator)).appUrl, WAIT_MS, async (app) => {
      const seen = async (tenant: string): Promise<number> =>
        (await app.query<{ events: number }>('SELECT count(*)::int AS events FROM event WHERE tenant_id = $1', [tenant])).rows[0]!.events;
      await app.query('BEGIN');
      await app.query(`SET LOCAL verbatim.tenant = '${one}'`);
      expect([await seen(one), await seen(other)]).toEqual([2, 0]);
      await app.query('COMMIT');
      expect([await seen(one), await seen(other)]).toEqual([0, 0]);
    });
  });

  it('functions of all tenants answer for the tenants of all nodes', async () => {
    const answers: Record<string, unknown> = {};
    for (const call of Object.keys(ANSWERED)) answers[call] = (await owner.query<{ is: unknown }>(call.replaceAll('$1', `'${NIL}'::uuid`))).rows[0]?.is;
    expect(answers).toEqual(ANSWERED);
  });

  it('without one node, the tenants of the other one are served', async () => {
    const [one, other] = tenants as [string, string];
    const { port } = await placeOf('event', other);
    await distributed.nodeAt(port).stop();
    await expect(append(other, false)).rejects.toThrow(/connect/);
    expect(await append(one, false)).toBe('appended');
  });
});
