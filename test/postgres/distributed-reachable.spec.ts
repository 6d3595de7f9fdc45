import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { CITUS, describeWith } from '../support/needs.js';
import { fill, reachableTests, TENANTS as tenants } from '../support/reachable-functions.js';

const WAIT_MS = 60_000;

describeWith(CITUS)('what is found while a node is away', () => {
  let distributed: DistributedPostgres;
  let owner: Client;

  beforeAll(async () => {
    distributed = await DistributedPostgres.start({ settings: [] });
    owner = await connect(distributed.url(distributed.coordinator), WAIT_MS);
    await fill(owner);
  });
  afterAll(async () => {
    await owner?.end();
    await distributed?.stop();
  });

  reachableTests(() => owner);

  it('and which tenants are on nodes that answer', async () => {
    const reachable = async (): Promise<readonly string[]> =>
      (await owner.query<{ id: string }>('SELECT id FROM reachable_tenants(2000, $1::uuid[]) AS id', [tenants])).rows.map(({ id }) => id).toSorted();
    expect(await reachable()).toEqual(tenants.toSorted());
    const { rows } = await owner.query<{ id: string }>(
      `SELECT t.id FROM unnest($1::uuid[]) AS t(id) JOIN citus_shards s ON s.table_name = 'tenant'::regclass AND s.shardid = get_shard_id_for_distribution_column('tenant', t.id) AND s.nodeport = $2`,
      [tenants, distributed.ports[0]],
    );
    await distributed.nodes[1]!.stop();
    expect(await reachable()).toEqual(rows.map(({ id }) => id).toSorted());
    const { rows: due } = await owner.query<{ tenant_id: string }>('SELECT tenant_id FROM reachable_due_schedules(2000, 100, NULL, NULL)');
    expect(due.map(({ tenant_id: id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
  });
});
