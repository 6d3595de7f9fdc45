import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Client as Owner } from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { Client, expectStatus } from '../support/client.js';
import { DistributedPostgres } from '../support/distributed-postgres.js';
import { expectNothingLost } from '../support/ledger.js';
import { CITUS, describeWith } from '../support/needs.js';
import { ServerProcess } from '../support/process.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { portOf } from '../support/tenants-on-nodes.js';
import { until } from '../support/until.js';

const WAIT_MS = 60_000;
const OPERATOR_TOKEN = 'an operator token of 32 characters';
const DAY_MS = 86_400_000;

/** Of a statement: so long a process waits for a node that is frozen, until it knows. */
const TIMEOUT_MS = 4_000;

/** Of a turn: a process that has died is noticed long before its end. */
const LEASE_MS = 40_000;

interface Tenant {
  readonly client: Client;
  readonly token: string;
  readonly id: string;
  readonly port: number;
}

/** What is due of a tenant while a node is away. */
interface Due {
  readonly tenant: Tenant;
  readonly scheduled: string;
  readonly expiring: string;
  readonly running: { readonly id: string; readonly promptId: string; readonly turnId: string };
}

/** What no request waits for, while one node is away: docs/decisions/0490. */
describeWith(CITUS)('work in the background while a node is away', () => {
  let distributed: DistributedPostgres;
  let owner: Owner;
  let server: TestServer;
  /** One on each node. */
  const tenants: Tenant[] = [];
  let one: Tenant;
  let other: Tenant;
  const dying: ServerProcess[] = [];
  /** Sessions that an audit has found changed. */
  const alerted = new Set<string>();
  let receiver: Server;

  const settings = (): Record<string, string> => ({
    DATABASE_URL: distributed.url(distributed.coordinator),
    DATABASE_TIMEOUT_MS: String(TIMEOUT_MS),
    JOB_LOCK_MS: String(LEASE_MS),
    OUTBOX_POLL_MS: '500',
    ERASURE_INTERVAL_MS: '500',
    TURN_DISPATCH: 'direct',
    TLOG_LEASE_MS: '3000',
    AUDIT_INTERVAL_MS: '1000',
    AUDIT_ALERT_URLS: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    OPERATOR_TOKEN,
  });

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      void json(request).then((body) => {
        for (const { sessionId } of (body as { readonly sessions?: readonly { readonly sessionId: string }[] }).sessions ?? []) alerted.add(sessionId);
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    distributed = await DistributedPostgres.start();
    const ownerUrl = distributed.url(distributed.coordinator);
    owner = await connect(ownerUrl, WAIT_MS);
    server = await startTestServer(settings(), { ownerUrl, appUrl: appLogin(ownerUrl).appUrl, drop: async () => undefined });
    for (let number = 1; tenants.length < 2; number += 1) {
      const { token } = await server.running.accounts.createTenant(`tenant ${number}`, 'admin');
      const client = new Client(server.running.url, token);
      const id = (await client.get('/v1/me')).body.tenantId as string;
      const port = await portOf(owner, id);
      if (tenants.every((tenant) => tenant.port !== port)) tenants.push({ client, token, id, port });
    }
    [one, other] = tenants as [Tenant, Tenant];
  });
  afterEach(() => Promise.all(dying.splice(0).map((process) => process.kill())));
  afterAll(async () => {
    await server?.stop();
    await owner?.end();
    await distributed?.stop();
    receiver.close();
  });

  const AWAY = {
    stopped: { goes: () => distributed.nodeAt(other.port).stop(), returns: () => distributed.nodeAt(other.port).startAgain() },
    frozen: {
      goes: () => distributed.signal(distributed.nodeAt(other.port), 'SIGSTOP'),
      returns: () => distributed.signal(distributed.nodeAt(other.port), 'SIGCONT'),
    },
  } as const;

  /** A schedule and the end of a retention at `at`, and a turn that the process `runs`. */
  async function prepared(tenant: Tenant, at: number, runs: ServerProcess): Promise<Due> {
    const { client, id: tenantId } = tenant;
    const [scheduled, expiring, running] = [await client.session(), await client.session({ retentionDays: 1 }), await client.session()];
    const schedule = { input: 'on time', everySeconds: 3_600, firstRunAt: new Date(at).toISOString() };
    expectStatus(await client.post(`/v1/sessions/${scheduled}/schedules`, schedule), 201);
    await client.ask(expiring, 'old');
    const [changed, ends] = [new Date(at - DAY_MS), new Date(at)];
    await owner.query(`UPDATE session SET updated_at = $3 WHERE tenant_id = $1 AND session_id = $2`, [tenantId, expiring, changed]);
    await owner.query(`UPDATE session_retention SET not_before = $3 WHERE tenant_id = $1 AND session_id = $2`, [tenantId, expiring, ends]);
    const its = runs.client(tenant.token);
    const stream = await its.stream(running);
    const { promptId, turnId } = (await its.prompt(running, '{{slow 20}}{{long 3000}}')).body as { promptId: string; turnId: string };
    await stream.untilType('message.delta');
    stream.close();
    return { tenant, scheduled, expiring, running: { id: running, promptId, turnId } };
  }

  const recorded = async ({ id }: Tenant, session: string, type: string): Promise<readonly number[]> =>
    (
      await owner.query<{ at: number }>(
        'SELECT (extract(epoch FROM recorded_at) * 1000)::float8 AS at FROM event WHERE tenant_id = $1 AND session_id = $2 AND type = $3 ORDER BY seq',
        [id, session, type],
      )
    ).rows.map(({ at }) => at);
  const leaseEnd = async ({ id }: Tenant): Promise<number> =>
    (
      await owner.query<{ at: number }>(
        'SELECT max(extract(epoch FROM not_before) * 1000)::float8 AS at FROM outbox WHERE tenant_id = $1 AND leased AND holder IS NOT NULL',
        [id],
      )
    ).rows[0]!.at;

  async function endsTurn({ tenant: { client }, running }: Due): Promise<void> {
    const turn = async () => (await client.get(`/v1/sessions/${running.id}/turns/${running.turnId}`)).body;
    expect((await client.post(`/v1/sessions/${running.id}/interrupt`)).status).toBeLessThan(300);
    await until('the turn has ended', async () => (await turn()).endedAt !== null);
  }

  const audited = async ({ client }: Tenant, id: string): Promise<void> => {
    await until('every event is in the log', async () => (await client.get(`/v1/sessions/${id}/audit`)).body.valid === true, 60);
  };

  async function gauge(name: string): Promise<number> {
    const { body } = expectStatus(await one.client.as(OPERATOR_TOKEN).get<string>('/metrics'), 200);
    return Number(new RegExp(String.raw`^verbatim_${name} (\S+)$`, 'm').exec(body)![1]);
  }
  const logLate = (): Promise<number> => gauge('tlog_late_seconds');

  /** Requests of the other tenant take no connection from those of the first, however many they are. */
  async function expectRefused(): Promise<void> {
    const sessions = async (): Promise<number> => (await owner.query<{ count: number }>('SELECT count(*)::int FROM pg_stat_activity')).rows[0]!.count;
    const before = await sessions();
    const start = performance.now();
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => other.client.post('/v1/sessions', {})));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
      expect((await one.client.post('/v1/sessions', {})).status).toBe(201);
    }
    expect(performance.now() - start).toBeLessThan(2 * TIMEOUT_MS);
    expect((await sessions()) - before).toBeLessThan(20);
  }

  it.each(['stopped', 'frozen'] as const)('is done in time for the tenants of the others, and once for its own when it is back (%s)', async (kind) => {
    const process = await ServerProcess.start({ ...settings(), LOG_LEVEL: 'warn' });
    dying.push(process);
    const at = Date.now() + 14_000;
    const [here, there] = [await prepared(one, at, process), await prepared(other, at, process)];
    const heldUntil = await leaseEnd(one);
    await AWAY[kind].goes();
    try {
      expect(Date.now()).toBeLessThan(at);
      await process.kill();
      await until('the turn of the dead process is taken over', async () => (await recorded(one, here.running.id, 'request.sent')).length > 1, 60);
      expect((await recorded(one, here.running.id, 'request.sent'))[1]).toBeLessThan(heldUntil);
      await endsTurn(here);
      await until('the schedule runs', async () => (await recorded(one, here.scheduled, 'schedule.ran')).length > 0, 60);
      const [ran] = await recorded(one, here.scheduled, 'schedule.ran');
      expect(ran! - at).toBeLessThan(4_000);
      await until('the retention erases', async () => (await recorded(one, here.expiring, 'content.erased')).length > 0, 60);
      expect(Date.now() - at).toBeGreaterThan(0);
      await expectRefused();
      await until('the log is said to be late', async () => (await logLate()) > 0, 30);
    } finally {
      await AWAY[kind].returns();
    }
    await until('the log continues', async () => (await logLate()) === 0, 60);
    await until('the schedule of the other runs', async () => (await recorded(other, there.scheduled, 'schedule.ran')).length > 0, 60);
    await until('the retention of the other erases', async () => (await recorded(other, there.expiring, 'content.erased')).length > 0, 60);
    await until('the turn of the other is taken over', async () => (await recorded(other, there.running.id, 'request.sent')).length > 1, 60);
    await endsTurn(there);
    for (const { tenant, scheduled, expiring, running } of [here, there]) {
      await expectNothingLost(tenant.client, running.id, [running.promptId]);
      for (const id of [scheduled, expiring, running.id]) await audited(tenant, id);
      expect(await recorded(tenant, scheduled, 'schedule.ran')).toHaveLength(1);
      expect(await recorded(tenant, scheduled, 'turn.started')).toHaveLength(1);
      expect((await tenant.client.get(`/v1/sessions/${expiring}/erasures`)).body.data).toHaveLength(1);
      expect(await recorded(tenant, running.id, 'request.sent')).toHaveLength(2);
    }
  });

  /** A session in which an event was changed after it was recorded. */
  async function changedSession({ client, id: tenantId }: Tenant): Promise<string> {
    const id = await client.session();
    await client.ask(id, 'to be changed');
    await owner.query(`SELECT run_command_on_shards('event', 'ALTER TABLE %s DISABLE TRIGGER ALL')`);
    const change = `UPDATE event SET recorded_at = '2020-01-01T00:00:00Z' WHERE tenant_id = $1 AND session_id = $2 AND seq = 2`;
    await owner.query(change, [tenantId, id]);
    return id;
  }

  interface AuditProgress {
    readonly changed: number;
    readonly left: { readonly changed: number; readonly nodes: readonly string[] } | null;
  }
  const auditProgress = async (): Promise<AuditProgress | undefined> =>
    (await owner.query<{ progress: AuditProgress }>(`SELECT progress FROM task_lease WHERE task = 'audit' AND progress IS NOT NULL`)).rows[0]?.progress;

  it.each(['stopped', 'frozen'] as const)('an audit leaves out the sessions of that node, says so, and comes back to them (%s)', async (kind) => {
    // No process audits until the node is away.
    await until('there is a first audit', async () => (await auditProgress()) !== undefined, 30);
    await owner.query(`UPDATE task_lease SET holder = $1, fence = fence + 1, ends_at = now() + interval '1 hour' WHERE task = 'audit'`, [randomUUID()]);
    const [there, here] = [await changedSession(other), await changedSession(one)];
    const count = async (sql: string): Promise<number> => (await owner.query<{ count: number }>(sql)).rows[0]!.count;
    const size = (): Promise<number> => count('SELECT coalesce(max(size), 0)::int AS count FROM tlog_checkpoint');
    await until('the log has all events', async () => (await size()) === (await count('SELECT count(*)::int AS count FROM event')), 30);
    await AWAY[kind].goes();
    try {
      await owner.query(`UPDATE task_lease SET ends_at = now() WHERE task = 'audit'`);
      await until('the changed session of the first is found', async () => alerted.has(here), 60);
      await until('the audit has come to the end of the log', async () => (await auditProgress())!.changed === (await size()), 60);
      expect(alerted.has(there)).toBe(false);
      const { left } = (await auditProgress())!;
      expect(left).toMatchObject({ nodes: [`127.0.0.1:${other.port}`] });
      await until('its lag says so', async () => (await gauge('audit_lag_leaves')) === (await size()) - left!.changed);
      expect(await gauge('audit_lag_leaves')).toBeGreaterThan(0);
    } finally {
      await AWAY[kind].returns();
    }
    await until('the changed session of the other is found', async () => alerted.has(there), 60);
    await until('nothing is left out', async () => (await gauge('audit_lag_leaves')) === 0 && (await auditProgress())!.left === null, 60);
  });
});
