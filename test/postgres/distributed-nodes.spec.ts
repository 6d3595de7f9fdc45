import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client as Owner } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { PostgresOutbox } from '../../src/engine/store/postgres-outbox.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import { type Client, expectStatus } from '../support/client.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { expectNothingLost } from '../support/ledger.js';
import { CITUS, describeWith } from '../support/needs.js';
import type { InstalledPostgres } from '../support/postgres-programs.js';
import { type Environment, startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const WAIT_MS = 60_000;
const OPERATOR_TOKEN = 'an operator token of 32 characters';
const PROGRAM = path.resolve('bin/verbatim');

interface Tenant {
  readonly client: Client;
  readonly name: string;
  readonly id: string;
  readonly port: number;
}

/** What operators see of the nodes of a distributed database, and what is done while one is away: docs/decisions/0490. */
describeWith(CITUS)('the nodes of a distributed database', () => {
  let distributed: DistributedPostgres;
  let owner: Owner;
  let api: TestServer;
  /** One on each node. */
  const tenants: Tenant[] = [];
  let one: Tenant;
  let other: Tenant;

  /** With ROLE=api in one process and ROLE=worker in another, each turn is taken from the queue. */
  const server = (environment: Environment): Promise<TestServer> => {
    const ownerUrl = distributed.url(distributed.coordinator);
    const database = { ownerUrl, appUrl: appLogin(ownerUrl).appUrl, drop: async () => undefined };
    return startTestServer({ OPERATOR_TOKEN, OUTBOX_POLL_MS: '500', DATABASE_TIMEOUT_MS: '10000', ...environment }, database, 'of the tests');
  };

  beforeAll(async () => {
    distributed = await DistributedPostgres.start();
    owner = await connect(distributed.url(distributed.coordinator), WAIT_MS);
    api = await server({ ROLE: 'api' });
    for (let number = 1; tenants.length < 2; number += 1) {
      const name = `tenant ${number}`;
      const client = await api.tenant(name);
      const id = (await client.get('/v1/me')).body.tenantId as string;
      const { rows } = await owner.query<{ port: number }>(
        `SELECT nodeport AS port FROM citus_shards WHERE table_name = 'event'::regclass AND shardid = get_shard_id_for_distribution_column('event', $1::uuid)`,
        [id],
      );
      const { port } = rows[0]!;
      if (tenants.every((tenant) => tenant.port !== port)) tenants.push({ client, name, id, port });
    }
    [one, other] = tenants as [Tenant, Tenant];
  });
  afterAll(async () => {
    await api?.stop();
    await owner?.end();
    await distributed?.stop();
  });

  const nodeOf = ({ port }: Tenant): InstalledPostgres => distributed.nodeAt(port);
  const nameOf = ({ port }: Tenant): string => `127.0.0.1:${port}`;

  /** Of the node of a tenant; undefined: there is no such series. */
  async function figure(name: string, of: Tenant): Promise<number | undefined> {
    const { body } = expectStatus(await api.client.as(OPERATOR_TOKEN).get<string>('/metrics'), 200);
    const line = body.split('\n').find((text) => text.startsWith(`verbatim_${name}{node="${nameOf(of)}"} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  }
  const becomes = (isUp: 0 | 1, of: Tenant): Promise<void> => until(`node_up is ${isUp}`, async () => (await figure('node_up', of)) === isUp, 30);

  async function onAnyPostgres(name: string): Promise<string | undefined> {
    const { body } = expectStatus(await api.client.as(OPERATOR_TOKEN).get<string>('/metrics'), 200);
    return body
      .split('\n')
      .find((text) => text.startsWith(`verbatim_${name} `))
      ?.split(' ')[1];
  }

  const readiness = async () => (await api.client.get('/health/ready')).body;

  function command(...words: readonly string[]): { readonly status: number | null; readonly text: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'distribute', ...words], {
      env: { ...process.env, DATABASE_URL: distributed.url(distributed.coordinator), DATABASE_TIMEOUT_MS: '10000' },
      encoding: 'utf8',
    });
    return { status, text: stdout + stderr };
  }

  it('are in the metrics, in the readiness and in the answer of the command, with what each has', async () => {
    const { rows } = await owner.query<{ tenants: number }>('SELECT count(*)::int AS tenants FROM tenant');
    const counted = await Promise.all(tenants.map((tenant) => figure('node_tenants', tenant)));
    expect(counted[0]! + counted[1]!).toBe(rows[0]!.tenants);
    for (const tenant of tenants) {
      expect([await figure('node_up', tenant), await figure('node_away_seconds', tenant), await figure('node_shards', tenant)]).toEqual([1, 0, 2]);
      expect(await figure('node_bytes', tenant)).toBeGreaterThan(1_000_000);
      expect(command('status', tenant.name)).toMatchObject({ status: 0, text: expect.stringContaining(nameOf(tenant)) });
    }
    expect(await readiness()).toMatchObject({ status: 'ok', checks: { database: 'up', nodes: 'up' } });
    const status = command('status');
    expect(status.status).toBe(0);
    for (const tenant of tenants) expect(status.text).toMatch(new RegExp(`${nameOf(tenant)}  up    2 shards, \\d+ tenants, \\d+ MiB`));
    expect(command('status', 'a tenant that is not there')).toMatchObject({ status: 1, text: expect.stringContaining('no such tenant') });
  });

  it('are said to be away when they stop, and metrics and readiness are answered as before', async () => {
    const before = await figure('node_tenants', other);
    await nodeOf(other).stop();
    try {
      await becomes(0, other);
      expect(await figure('node_up', one)).toBe(1);
      expect([await figure('node_tenants', other), await figure('node_shards', other)]).toEqual([before, 2]);
      await until('it is away for a while', async () => (await figure('node_away_seconds', other))! > 0.1);
      expect(await figure('node_away_seconds', one)).toBe(0);
      expect(Number(await onAnyPostgres('outbox_jobs'))).not.toBeNaN();
      expect(await readiness()).toMatchObject({ status: 'ok', checks: { database: 'up', nodes: 'some_away' } });
      const { status, text } = command('status');
      expect([status, text]).toEqual([1, expect.stringContaining(`${nameOf(other)}  away  2 shards`)]);
      expect(command('status', other.name)).toMatchObject({ status: 1, text: expect.stringContaining(`${nameOf(other)}  away`) });
      expect(command('status', one.name)).toMatchObject({ status: 0 });
    } finally {
      await nodeOf(other).startAgain();
    }
    await becomes(1, other);
    expect(await figure('node_away_seconds', other)).toBe(0);
  });

  it('are said to be away when they are silent, and nothing waits for them', async () => {
    await distributed.signal(nodeOf(other), 'SIGSTOP');
    try {
      await becomes(0, other);
      const start = performance.now();
      expect(await figure('node_up', one)).toBe(1);
      expect(performance.now() - start).toBeLessThan(5_000);
    } finally {
      await distributed.signal(nodeOf(other), 'SIGCONT');
    }
    await becomes(1, other);
  });

  it('that are up keep the leases of their running turns while another is away', async () => {
    const database = new Database({
      url: appLogin(distributed.url(distributed.coordinator)).appUrl,
      isDistributed: true,
      poolSize: 3,
      timeoutMs: 10_000,
      applicationName: 'verbatim test',
    });
    const outbox = new PostgresOutbox(database);
    const holder = randomUUID();
    const jobs = tenants.map(({ id }) => ({
      queue: 'turns' as const,
      id: randomUUID(),
      payload: { tenantId: id, sessionId: randomUUID(), turnId: randomUUID() },
    }));
    for (const { id, payload } of jobs)
      await owner.query(
        `INSERT INTO outbox (queue, job_id, payload, tenant_id, turn_id, leased, place, not_before, holder) VALUES ('turns', $1, $2, $3, $4, true, 1, now() + interval '2 minutes', $5)`,
        [id, payload, payload.tenantId, payload.turnId, holder],
      );
    const leaseEnd = async ({ id, payload }: (typeof jobs)[0]): Promise<number> =>
      (
        await owner.query<{ at: Date }>('SELECT not_before AS at FROM outbox WHERE tenant_id = $1 AND job_id = $2', [payload.tenantId, id])
      ).rows[0]!.at.getTime();
    const [mine, others] = jobs as [(typeof jobs)[0], (typeof jobs)[0]];
    const ends = [await leaseEnd(mine), await leaseEnd(others)] as const;
    await nodeOf(other).stop();
    try {
      expect([...(await outbox.renew(holder, jobs, 3_600_000))].toSorted()).toEqual([mine.id, others.id].toSorted());
      expect(await leaseEnd(mine)).toBeGreaterThan(ends[0] + 60_000);
      await outbox.release(holder, jobs);
      expect(await outbox.lease(10, 3, 60_000)).toMatchObject({ jobs: [mine], runMs: null });
      const next = await outbox.lease(10, 3, 60_000);
      expect(next.jobs).toEqual([]);
      expect(next.nextMs).toBeGreaterThan(30_000);
      expect(next.nextMs).toBeLessThanOrEqual(60_000); // that of the other node ends later
      await owner.query(`UPDATE outbox SET not_before = now() - interval '1 second' WHERE tenant_id = $1`, [one.id]);
      expect(await outbox.lease(10, 3, 60_000)).toMatchObject({ jobs: [mine] }); // the lease has ended
    } finally {
      await nodeOf(other).startAgain();
    }
    await until('the node is seen again', async () => (await database.nodes.away()).length === 0, 30);
    expect(await leaseEnd(others)).toBe(ends[1]);
    for (const { id } of tenants) await owner.query('DELETE FROM outbox WHERE tenant_id = $1', [id]);
    await database.close();
  });

  it('that are up have their queued turns answered while one is away; those of the other wait, and are answered once when it is back', async () => {
    const [here, there] = [await one.client.session(), await other.client.session()];
    const waiting = (await other.client.prompt(there, 'waits')).body;
    await nodeOf(other).stop();
    let worker: TestServer | null = null;
    const prompts: string[] = [];
    try {
      worker = await server({ ROLE: 'worker' }); // which starts without the node
      for (const text of ['first', 'second', 'third']) {
        const { promptId, turnId } = (await one.client.prompt(here, text)).body;
        prompts.push(promptId as string);
        expect(await one.client.settled(here, turnId as string)).toMatchObject({ status: 'completed' });
      }
      expect(await onAnyPostgres('outbox_jobs')).toBe('0');
      await nodeOf(other).startAgain();
      await until(
        'the turn of the other tenant is answered',
        async () => (await other.client.get(`/v1/sessions/${there}/turns/${waiting.turnId}`)).body.status === 'completed',
        60,
      );
      expect((await other.client.messages(there)).map(({ type }) => type)).toEqual(['user', 'assistant']);
      await expectNothingLost(one.client, here, prompts);
      await expectNothingLost(other.client, there, [waiting.promptId as string]);
      // Each proof needs all leaves of the session: the log has passed none by.
      for (const [{ client }, id] of [
        [one, here],
        [other, there],
      ] as const)
        expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    } finally {
      await worker?.stop();
    }
  });
});
