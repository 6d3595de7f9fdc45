import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg, { type Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { PostgresOutbox } from '../../src/engine/store/postgres-outbox.js';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { connect, withConnection } from '../../src/platform/postgres/connect.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { CITUS, describeWith } from '../support/needs.js';
import { portOf } from '../support/tenants-on-nodes.js';
import { until } from '../support/until.js';
import { fill, reachableTests, TENANTS as tenants } from '../support/reachable-functions.js';

const WAIT_MS = 60_000;

/** Of a statement. */
const TIMEOUT_MS = 4_000;

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

  it('what work of all tenants has written on a node is free again while another one, which became silent in the middle of it, still is', async () => {
    // The session of the node that is asked first is the first that the coordinator tries to cancel: it comes to no other.
    const ids = tenants.toSorted();
    const low = ids[0]!;
    const silent = await portOf(owner, low);
    const ports: number[] = [];
    for (const id of ids) ports.push(await portOf(owner, id));
    const high = ids.find((_, index) => ports[index] !== silent)!;
    await owner.query('DELETE FROM outbox');
    for (const tenant of [high, low]) {
      const job = `INSERT INTO outbox (tenant_id, turn_id, queue, job_id, payload, not_before) VALUES ($1, gen_random_uuid(), 'turns', $2, '{}', now())`;
      await owner.query(job, [tenant, randomUUID()]);
    }
    const url = appLogin(distributed.url(distributed.coordinator)).appUrl;
    const database = new Database({ url, isDistributed: true, timeoutMs: TIMEOUT_MS, poolSize: 4, applicationName: 'verbatim test' });
    const outbox = new PostgresOutbox(database);
    const node = distributed.nodeAt(silent);
    try {
      await outbox.renew(randomUUID(), [], 1); // the coordinator has a session on each node
      const locks = new pg.Client(distributed.url(distributed.coordinator));
      await locks.connect();
      await locks.query('BEGIN');
      await locks.query('SELECT FROM outbox WHERE tenant_id = $1 FOR UPDATE', [low]);
      const leased = outbox.lease(10, 3, 60_000);
      await withConnection(distributed.url(node), WAIT_MS, (client) =>
        until('it waits for the row', async () => (await client.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rowCount! > 0),
      );
      const written = owner.query('SELECT FROM outbox WHERE tenant_id = $1 FOR UPDATE NOWAIT', [high]);
      await expect(written).rejects.toMatchObject({ code: '55P03' });
      await distributed.signal(node, 'SIGSTOP');
      try {
        expect((await leased).jobs).toHaveLength(1);
      } finally {
        await distributed.signal(node, 'SIGCONT');
      }
      await locks.end();
      // A statement without an answer ends the idle connections of its process to that server.
      owner = await connect(distributed.url(distributed.coordinator), WAIT_MS);
      const { rows } = await owner.query('SELECT tenant_id AS tenant, leased FROM outbox WHERE leased');
      expect(rows).toEqual([{ tenant: high, leased: true }]);
      await until('the other is leased', async () => (await outbox.lease(10, 3, 60_000)).jobs.length === 1);
    } finally {
      await database.close();
    }
  });

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
