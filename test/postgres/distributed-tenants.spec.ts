import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client as Owner } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { tenantIdOf } from '../../src/features/people/identities.js';
import { TENANT_TABLES } from '../../src/platform/tenant-unit/tables.js';
import { Client, expectStatus } from '../support/client.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { keysOf, textOf } from '../support/encryption.js';
import { expectNothingLost } from '../support/ledger.js';
import { ALL, answersOf, audited, type Ended, expectErasedAtOnce, fillTenant, verbatim } from '../support/moved-tenant.js';
import { CITUS, describeWith } from '../support/needs.js';
import { CREDENTIALS, S3Server, storeAt } from '../support/s3-server.js';
import { type Environment, startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const WAIT_MS = 60_000;

interface NamedTenant {
  readonly name: string;
  readonly client: Client;
}

/** The commands of one tenant on a distributed database, and tenants that move into it and out of it: docs/decisions/0490. Each deployment has object storage and a key of its own. */
describeWith(CITUS)('tenants of a distributed database', () => {
  let folder: string;
  let s3: S3Server;
  let postgres: DistributedPostgres;
  let owner: Owner;
  let single: TestServer;
  let distributed: TestServer;

  const settingsOf = (name: string, ...keys: readonly string[]): Environment => ({
    ...CREDENTIALS,
    BLOB_STORE: storeAt(s3.url, `/${name}`),
    ENCRYPTION: 'on',
    ENCRYPTION_KEYS: textOf(keysOf(...keys)),
    TLOG_ORIGIN: `${name}.example.com`,
  });
  const settings = (on: TestServer): Environment => (on === single ? settingsOf('single', 'one', 'two') : settingsOf('distributed', 'two', 'one'));
  const runOn = (on: TestServer, args: readonly string[], more: { output?: string; killedAfter?: number } = {}): Promise<Ended> =>
    verbatim({ DATABASE_URL: on.database.ownerUrl, ...settings(on) }, args, more);
  const done = async (on: TestServer, args: readonly string[], more: { output?: string } = {}): Promise<string> => {
    const { status, said } = await runOn(on, args, more);
    expect({ status, said }).toEqual({ status: 0, said });
    return said;
  };
  const exported = async (on: TestServer, name: string): Promise<{ readonly file: string; readonly key: string }> => {
    const file = path.join(folder, `${name}.jsonl`);
    await done(on, ['freeze-tenant', name]);
    await done(on, ['export-tenant', name], { output: file });
    return { file, key: (await on.client.get('/v1/log/key')).body.trim() };
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-tenants-'));
    [s3, postgres] = await Promise.all([S3Server.start(), DistributedPostgres.start()]);
    const ownerUrl = postgres.url(postgres.coordinator);
    owner = await connect(ownerUrl, WAIT_MS);
    const shared = { TLOG_INTERVAL_MS: '10', TOOLS: 'Agent', ERASURE_INTERVAL_MS: '100' };
    single = await startTestServer({ ...shared, ...settingsOf('single', 'one', 'two') });
    const database = { ownerUrl, appUrl: appLogin(ownerUrl).appUrl, drop: async () => undefined };
    distributed = await startTestServer({ ...shared, ...settingsOf('distributed', 'two', 'one') }, database);
  });
  afterAll(async () => {
    await owner?.end();
    await Promise.all([single?.stop(), distributed?.stop()]);
    await postgres?.stop();
    await s3?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const idOf = async (client: Client): Promise<string> => (await client.get('/v1/me')).body.tenantId;

  const rowsOf = async (tenantId: string): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = {};
    for (const table of Object.keys(TENANT_TABLES)) {
      const { rows } = await owner.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE tenant_id = $1`, [tenantId]);
      if (rows[0]!.n > 0) counts[table] = rows[0]!.n;
    }
    return counts;
  };

  async function placeOf(tenant: string): Promise<{ readonly shard: string; readonly port: number }> {
    const { rows } = await owner.query<{ shard: string; port: number }>(
      `SELECT shardid::text AS shard, nodeport AS port FROM citus_shards WHERE table_name = 'event'::regclass AND shardid = get_shard_id_for_distribution_column('event', $1::uuid)`,
      [tenant],
    );
    return rows[0]!;
  }

  it('a tenant of one server moves into it, and answers there as before', async () => {
    const { name, client, ids } = await fillTenant(single, 'moves in', ALL);
    const tenantId = await idOf(client);
    const { file, key } = await exported(single, name);
    const before = await answersOf(client, ids);
    const logged = await Promise.all(postgres.nodes.map((node) => postgres.log(node)));

    expect(await done(distributed, ['restore-tenant', file, '--key', key])).toContain(`The tenant ${name} is here`);
    const there = new Client(distributed.running.url, client.token);
    expect(await answersOf(there, ids)).toEqual(before);
    await audited(there, ids);

    // On the one node that the tenant is on, and in one phase: in two, the transparency log could pass events by.
    const { port } = await placeOf(tenantId);
    for (const [index, node] of postgres.nodes.entries()) {
      const added = (await postgres.log(node)).slice(logged[index]!.length).split('\n');
      const writers = new Set(added.filter((line) => /INSERT INTO public\.event_\d/.test(line) && line.includes(tenantId)).map(processOf));
      expect(writers.size > 0).toBe(node === postgres.nodeAt(port));
      const restores = added.filter((line) => writers.has(processOf(line)));
      expect(restores.filter((line) => line.includes('PREPARE TRANSACTION'))).toEqual([]);
    }

    expect(await done(distributed, ['move-blobs'])).toMatch(/^[1-9]\d* files/m);
    expect((await owner.query('SELECT FROM blob WHERE tenant_id = $1 AND object IS NULL', [tenantId])).rowCount).toBe(0);
    expect(await answersOf(there, ids)).toEqual(before);
    expect((await there.ask(ids[1]!, 'continues')).status).toBe('completed');
    await audited(there, ids);
    expect(await runOn(distributed, ['restore-tenant', file, '--key', key])).toMatchObject({ status: 1, said: expect.stringContaining('(tenant_exists)') });
  });

  it('is restored as a whole or not at all: after a truncated file, and a kill at any moment', async () => {
    const { name, client, ids } = await fillTenant(single, 'is restored at last', [['image', 'fork'], ['erased message']]);
    const tenantId = await idOf(client);
    const { file, key } = await exported(single, name);
    const truncated = path.join(folder, 'truncated.jsonl');
    await writeFile(
      truncated,
      (await readFile(file, 'utf8'))
        .trimEnd()
        .split('\n')
        .slice(0, -1)
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(await runOn(distributed, ['restore-tenant', truncated, '--key', key])).toMatchObject({ status: 1, said: expect.stringContaining('(bad_line)') });
    expect(await rowsOf(tenantId)).toEqual({});
    for (let killedAfter = 1_500; ; killedAfter = Math.round(killedAfter * 1.4)) {
      const { status } = await runOn(distributed, ['restore-tenant', file, '--key', key], { killedAfter });
      if (status === 0) break;
      expect(status).toBe(null);
      if (Object.keys(await rowsOf(tenantId)).length > 0) break; // killed after its commit
    }
    await audited(new Client(distributed.running.url, client.token), ids);
  });

  it('moves out of it to one server: nothing that was acknowledged is left, and its node can change meanwhile', async () => {
    const { name, client, ids } = await fillTenant(distributed, 'moves out', ALL);
    const tenantId = await idOf(client);
    const id = await client.session();
    const acknowledged: string[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const { status, body } = await client.prompt(id, `number ${n}`);
        if (status === 202) acknowledged.push(body.promptId as string);
      }
    })();
    await until('prompts are acknowledged', async () => acknowledged.length > 5);
    await done(distributed, ['freeze-tenant', name]);
    isOver = true;
    await writing;

    const rejected = async (): Promise<void> => {
      for (const [method, route, body] of [
        ['POST', `/v1/sessions/${id}/prompts`, { input: 'not here' }],
        ['POST', '/v1/tokens', { userName: 'x', role: 'member', name: 'x' }],
        ['PATCH', '/v1/settings', { retentionDays: 7 }],
      ] as const) {
        const answer = await client.call(method, route, body);
        expect([answer.status, answer.body.code]).toEqual([503, 'tenant_moving']);
      }
    };
    await rejected();
    const { shard, port } = await placeOf(tenantId);
    const other = postgres.ports.find((each) => each !== port)!;
    await owner.query(`SELECT citus_move_shard_placement($1::bigint, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`, [shard, port, other]);
    expect((await placeOf(tenantId)).port).toBe(other);
    await rejected();
    expectStatus(await distributed.client.post('/v1/sessions', {}), 201);

    const { file, key } = await exported(distributed, name); // frozen again: it stays as it is
    // Answers about the tenant as a whole have the turns in them that continue there.
    const ofSessions = async (of: Client) => Object.entries(await answersOf(of, ids)).filter(([route]) => route.includes(' /v1/sessions/{id}'));
    const before = await ofSessions(client);
    await done(single, ['restore-tenant', file, '--key', key]);
    const there = new Client(single.running.url, client.token);
    expect(await ofSessions(there)).toEqual(before);
    await until('every turn is over', async () => (await there.get('/v1/sessions?status=running')).body.data.length === 0);
    await expectNothingLost(there, id, acknowledged);
    await audited(there, [...ids, id]);
  });

  it('is thawed, frozen again, and erased without a moment in which it accepts anything', async () => {
    const tenant = await fillTenant(distributed, 'is erased', [['image'], ['memory']]);
    const { name } = tenant;
    await expectErasedAtOnce({ run: (words) => runOn(distributed, words), done: (words) => done(distributed, words) }, tenant);
    const tenantId = (await owner.query<{ id: string }>('SELECT tenant_id::text AS id FROM tenant WHERE name = $1', [name])).rows[0]!.id;
    expect((await owner.query(`SELECT FROM event WHERE tenant_id = $1 AND data::text LIKE '%thawed%'`, [tenantId])).rowCount).toBe(0);
    expect((await owner.query(`SELECT FROM pg_trigger WHERE tgname LIKE 'aa_frozen_' || $1 || '%'`, [tenantId])).rowCount).toBe(0);
  });

  it('is separated from the tenants of its shard beside their turns, and moves to the other node alone', async () => {
    const large = await distributed.tenant('large');
    const { shard, port } = await placeOf(await idOf(large));
    const [neighbour, frozen] = await inShard(shard);
    const frozenSession = await frozen.client.session();
    await done(distributed, ['freeze-tenant', frozen.name]);
    let isOver = false;
    const turns = [large, neighbour.client].map(async (client) => {
      const id = await client.session();
      const prompts: string[] = [];
      while (!isOver) {
        const { promptId, turnId } = expectStatus(await client.prompt(id, `number ${prompts.length}`), 202).body;
        prompts.push(promptId as string);
        await client.settled(id, turnId as string);
      }
      return { client, id, prompts };
    });
    await owner.query(`SELECT isolate_tenant_to_new_shard('event', $1::uuid, 'CASCADE', shard_transfer_mode := 'block_writes')`, [await idOf(large)]);
    const alone = await placeOf(await idOf(large));
    expect(alone.port).toBe(port);
    expect((await placeOf(await idOf(neighbour.client))).shard).not.toBe(alone.shard);
    const other = postgres.ports.find((each) => each !== port)!;
    await owner.query(`SELECT citus_move_shard_placement($1::bigint, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`, [alone.shard, port, other]);
    isOver = true;
    const made = await Promise.all(turns);
    expect([(await placeOf(await idOf(large))).port, (await placeOf(await idOf(neighbour.client))).port]).toEqual([other, port]);
    for (const { client, id, prompts } of made) {
      expect(prompts.length).toBeGreaterThan(2);
      await expectNothingLost(client, id, prompts);
      await audited(client, [id]);
    }
    // What keeps a tenant of that shard frozen is in the new shards, too.
    const refused = await frozen.client.prompt(frozenSession, 'not now');
    expect([refused.status, refused.body.code]).toEqual([503, 'tenant_moving']);
    await done(distributed, ['thaw-tenant', frozen.name]);
    expect((await frozen.client.ask(frozenSession, 'thawed')).status).toBe('completed');
  });

  /** Two new tenants whose rows are in the shard. */
  async function inShard(shard: string): Promise<readonly [NamedTenant, NamedTenant]> {
    const found: NamedTenant[] = [];
    for (let number = 1; found.length < 2; number += 1) {
      const name = `candidate ${number}`;
      if ((await placeOf(tenantIdOf(name))).shard === shard) found.push({ name, client: await distributed.tenant(name) });
    }
    return found as [NamedTenant, NamedTenant];
  }
});

/** The number in a line of the server's log. */
const processOf = (line: string): string => /\[(\d+)\]/.exec(line)?.[1] ?? '';
