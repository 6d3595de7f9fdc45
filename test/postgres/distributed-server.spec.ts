import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client as Owner } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { distribute } from '../../src/platform/postgres/distribute.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { expectNothingLost } from '../support/ledger.js';
import { CITUS, describeWith } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const WAIT_MS = 60_000;

interface Place {
  readonly shard: string;
  readonly port: number;
}

/** The server on a distributed database: docs/decisions/0490. */
describeWith(CITUS)('the server on a distributed database', () => {
  let distributed: DistributedPostgres;
  let owner: Owner;
  let server: TestServer;
  /** A tenant on each node. */
  const tenants: { readonly client: Client; readonly id: string; readonly port: number }[] = [];

  beforeAll(async () => {
    distributed = await DistributedPostgres.start();
    const ownerUrl = distributed.url(distributed.coordinator);
    owner = await connect(ownerUrl, WAIT_MS);
    const database = { ownerUrl, appUrl: appLogin(ownerUrl).appUrl, drop: async () => undefined };
    server = await startTestServer({ ERASURE_INTERVAL_MS: '500', DATABASE_TIMEOUT_MS: '20000' }, database);
    for (let number = 1; tenants.length < 2; number += 1) {
      const client = await server.tenant(`tenant ${number}`);
      const id = (await client.get('/v1/me')).body.tenantId as string;
      const { port } = await placeOf(id);
      if (tenants.every((tenant) => tenant.port !== port)) tenants.push({ client, id, port });
    }
  });
  afterAll(async () => {
    await server?.stop();
    await owner?.end();
    await distributed?.stop();
  });

  async function placeOf(tenant: string): Promise<Place> {
    const { rows } = await owner.query<Place>(
      `SELECT shardid::text AS shard, nodeport AS port FROM citus_shards WHERE table_name = 'event'::regclass AND shardid = get_shard_id_for_distribution_column('event', $1::uuid)`,
      [tenant],
    );
    return rows[0]!;
  }

  const audited = async (client: Client, id: string): Promise<void> => {
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  };

  it('is distributed already: the command has nothing left to do', async () => {
    expect(await distribute(owner)).toEqual([]);
  });

  it('shows each statement the rows of its tenant, also after an error', async () => {
    const connection = new Database({
      url: appLogin(distributed.url(distributed.coordinator)).appUrl,
      isDistributed: true,
      poolSize: 1,
      timeoutMs: WAIT_MS,
      applicationName: 'verbatim test',
    });
    const seen = (id: string) => connection.inTenant(id, (client) => client.$queryRaw<object[]>`SELECT tenant_id::text AS id FROM tenant`);
    try {
      for (const { id } of tenants) {
        expect(await seen(id)).toEqual([{ id }]);
        await expect(
          connection.inTenant(id, (client) => client.$queryRaw`SELECT 1 / (count(*) - count(*)) FROM tenant WHERE tenant_id = ${id}::uuid`),
        ).rejects.toThrow(/zero/);
      }
      expect(await connection.run((client) => client.$queryRaw<object[]>`SELECT tenant_id::text AS id FROM tenant`)).toEqual([]);
    } finally {
      await connection.close();
    }
  });

  it('makes turns, rewinds and restores them, lists and finds them, and proves them', async () => {
    for (const { client } of tenants) {
      const id = await client.session({ title: 'about birds', metadata: { kind: 'bird' } });
      expect(await client.ask(id, 'kingfisher')).toMatchObject({ status: 'completed' });
      expect(await client.ask(id, 'heron')).toMatchObject({ status: 'completed' });
      const before = await client.messages(id);
      const second = before.find((message) => message.type === 'user' && JSON.stringify(message.content).includes('heron'))!.uuid;
      const { id: rewind } = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: second }), 201).body;
      expect(await client.messages(id)).toHaveLength(before.length - 2);
      expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${rewind}/restore`), 201);
      expect(await client.messages(id)).toHaveLength(before.length);
      expect((await client.get('/v1/sessions')).body.data.map((session: UnknownObject) => session.id)).toEqual([id]);
      expect((await client.get(`/v1/sessions?metadata=${encodeURIComponent('{"kind":"bird"}')}`)).body.data).toHaveLength(1);
      expect((await client.get('/v1/search?q=kingfisher')).body.data.every((hit: UnknownObject) => hit.sessionId === id)).toBe(true);
      await audited(client, id);
    }
  });

  it('commits what a turn appends on one node, in one phase', async () => {
    const [one, other] = tenants as [(typeof tenants)[0], (typeof tenants)[0]];
    const id = await one.client.session();
    const before = await Promise.all(distributed.nodes.map((node) => distributed.log(node)));
    await one.client.ask(id, 'counted');
    await audited(one.client, id);
    const added = await Promise.all(distributed.nodes.map(async (node, index) => (await distributed.log(node)).slice(before[index]!.length)));
    const at = (port: number): string => added[distributed.nodes.indexOf(distributed.nodeAt(port))]!;
    const own = (text: string): readonly string[] => text.split('\n').filter((line) => line.includes(id));
    expect(own(at(one.port)).length).toBeGreaterThan(10);
    expect(own(at(other.port))).toEqual([]);
    const open = new Set<string>();
    for (const line of at(one.port).split('\n')) {
      const process = /\[(\d+)\]/.exec(line)?.[1] ?? '';
      if (line.includes('INSERT INTO public.event_')) open.add(process);
      if (line.includes('PREPARE TRANSACTION') && !line.includes('COMMIT PREPARED')) expect(open.has(process)).toBe(false);
      if (/(?:statement|execute .*): COMMIT/.test(line)) open.delete(process);
    }
  });

  it('commits appends of tenants that come at once, and the log passes none by', async () => {
    const ids = await Promise.all(tenants.flatMap(({ client }) => Array.from({ length: 6 }, async () => ({ client, id: await client.session() }))));
    await Promise.all(ids.map(async ({ client, id }) => expect(await client.ask(id, 'at once')).toMatchObject({ status: 'completed' })));
    for (const { client, id } of ids) await audited(client, id);
  });

  it('erases a session, and all that a user owns', async () => {
    for (const { client, id: tenantId } of tenants) {
      const id = await client.session();
      await client.ask(id, 'secret-4711');
      expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202);
      await audited(client, id);
      const { userId } = (await client.get('/v1/me')).body;
      expectStatus(await client.call('DELETE', `/v1/users/${userId}/content`), 202);
      await until(
        'the content of the user is erased',
        async () => (await owner.query('SELECT FROM user_erasure WHERE tenant_id = $1 AND ended_at IS NULL', [tenantId])).rows.length === 0,
        60,
      );
      const { rows } = await owner.query(`SELECT FROM event WHERE tenant_id = $1 AND data::text LIKE '%secret-4711%'`, [tenantId]);
      expect(rows).toEqual([]);
    }
  });

  it('sweeps what its retention has ended', async () => {
    for (const { client, id: tenantId } of tenants) {
      const id = await client.session({ retentionDays: 1 });
      await client.ask(id, 'old');
      await owner.query(`UPDATE session SET updated_at = '2001-01-01' WHERE tenant_id = $1 AND session_id = $2`, [tenantId, id]);
      await owner.query(`UPDATE session_retention SET not_before = '2001-01-02' WHERE tenant_id = $1 AND session_id = $2`, [tenantId, id]);
      await until('the session is erased', async () => (await client.get(`/v1/sessions/${id}/erasures`)).body.data.length > 0, 60);
      await audited(client, id);
    }
  });

  it('what was recorded cannot be changed on a node by who does not name the transaction of an erasure', async () => {
    const [{ id }] = tenants as [(typeof tenants)[0]];
    await expect(owner.query(`UPDATE event SET data = '{}', salt = NULL WHERE tenant_id = $1 AND seq = 1`, [id])).rejects.toMatchObject({ code: 'VB001' });
    await expect(owner.query(`DELETE FROM event WHERE tenant_id = $1`, [id])).rejects.toMatchObject({ code: 'VB001' });
  });

  it('moves the rows of a tenant to the other node beside its turns', async () => {
    const [one, other] = tenants as [(typeof tenants)[0], (typeof tenants)[0]];
    const id = await one.client.session();
    let isMoved = false;
    const prompts: string[] = [];
    const turns = (async () => {
      while (!isMoved || prompts.length < 3) {
        const { promptId, turnId } = (await one.client.prompt(id, `number ${prompts.length}`)).body;
        prompts.push(promptId as string);
        await one.client.settled(id, turnId as string);
      }
    })();
    const { shard } = await placeOf(one.id);
    await owner.query(`SELECT citus_move_shard_placement($1::bigint, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`, [shard, one.port, other.port]);
    isMoved = true;
    await turns;
    expect((await placeOf(one.id)).port).toBe(other.port);
    await expectNothingLost(one.client, id, prompts);
    await audited(one.client, id);
    await owner.query(`SELECT citus_move_shard_placement($1::bigint, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`, [shard, other.port, one.port]);
  });

  it('serves the tenants of one node while the other is away', async () => {
    const [one, other] = tenants as [(typeof tenants)[0], (typeof tenants)[0]];
    const id = await one.client.session();
    await one.client.ask(id, 'before');
    await distributed.nodeAt(other.port).stop();
    try {
      expect(await one.client.ask(id, 'meanwhile')).toMatchObject({ status: 'completed' });
      expect((await one.client.get('/v1/sessions')).body.data.length).toBeGreaterThan(0);
      expect((await other.client.post('/v1/sessions', {})).status).toBe(503);
    } finally {
      await distributed.nodeAt(other.port).startAgain();
    }
    await until('the other tenants are served again', async () => (await other.client.post('/v1/sessions', {})).status === 201, 60);
    await audited(one.client, id);
  });
});
