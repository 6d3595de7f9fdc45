import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { startToolServer, type ToolServer } from '../support/tool-server.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TOOLS = [{ name: 'lookup', input_schema: { type: 'object' } }];

const ahead = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

/** Looks for due schedules when it starts, and then not again. */
describe('the first time of a schedule', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ OUTBOX_POLL_MS: '2000000000' });
  });
  afterAll(() => server.stop());

  const make = (id: string, firstRunAt: string) => server.client.post(`/v1/sessions/${id}/schedules`, { input: 'hello', everySeconds: 3_600, firstRunAt });

  it('is rejected when its run would be missed, or is more than ten years ahead', async () => {
    const { client } = server;
    const id = await client.session();
    const wrong = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '9999-12-31T23:59:59Z'];
    for (const firstRunAt of [...wrong, ahead(-DAY_MS - MINUTE_MS), ahead(3_654 * DAY_MS)]) {
      const { status, body } = await make(id, firstRunAt);
      expect([firstRunAt, status, body.code, body.errors?.[0]?.pointer]).toEqual([firstRunAt, 400, 'invalid_input', '/firstRunAt']);
    }
    for (const firstRunAt of [ahead(-DAY_MS + 30 * MINUTE_MS), ahead(3_652 * DAY_MS)]) {
      expect(expectStatus(await make(id, firstRunAt), 201).body.schedule.nextRunAt).toBe(firstRunAt);
    }
  });

  it('is missed when no process has run for too long, and is due again after it', async () => {
    const { client } = server;
    const id = await client.session();
    const { id: scheduleId, nextRunAt: dueAt } = expectStatus(await make(id, ahead(-30 * MINUTE_MS)), 201).body.schedule;
    const late = await startTestServer({ OUTBOX_POLL_MS: '50', SCHEDULE_LATEST_MS: String(20 * MINUTE_MS) }, server.database, client.token);
    try {
      const events = async (type: string): Promise<readonly UnknownObject[]> => (await client.events(id)).filter((event) => event.type === type);
      await until('the run is recorded', async () => (await events('schedule.ran')).length > 0);
      expect((await events('schedule.ran'))[0].data).toMatchObject({ scheduleId, dueAt, outcome: 'missed', nextRunAt: expect.any(String) });
      expect(await events('prompt.submitted')).toEqual([]);
    } finally {
      await late.stop();
    }
  });
});

describe('a schedule', () => {
  let server: ToolServer;
  let owner: Connection;

  beforeAll(async () => {
    server = await startToolServer({ OUTBOX_POLL_MS: '50', SCHEDULES_PER_SESSION: '2' });
    owner = await connect(server.database.ownerUrl, 60_000);
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
  });

  const ofType = async (id: string, type: string): Promise<readonly UnknownObject[]> => (await server.client.events(id)).filter((event) => event.type === type);
  const ranTimes = (id: string, times: number) => until('the schedule has run', async () => (await ofType(id, 'schedule.ran')).length === times);

  /** A session whose turn waits for a person, and a run that was skipped for it. */
  async function skipped(): Promise<{ readonly id: string; readonly turnId: string }> {
    const { client } = server;
    const id = await client.session({ tools: TOOLS });
    const { turnId, status } = await client.ask(id, '{{tool lookup {"key":"x"}}}');
    expect(status).toBe('waiting');
    expectStatus(await client.post(`/v1/sessions/${id}/schedules`, { input: 'hello', everySeconds: 3_600, firstRunAt: ahead(-MINUTE_MS) }), 201);
    await ranTimes(id, 1);
    expect((await ofType(id, 'schedule.ran'))[0].data.outcome).toBe('skipped');
    return { id, turnId };
  }

  it('whose run is skipped is no change of the session: a turn that waits expires as if there were none', async () => {
    const { client } = server;
    const { id, turnId } = await skipped();
    const [set] = await ofType(id, 'schedule.set');
    const view = (await client.get(`/v1/sessions/${id}`)).body;
    expect([view.updatedAt, view.version]).toEqual([set.time, (await client.events(id)).at(-1)!.seq]);
    const rows: readonly UnknownObject[] = (await client.get('/v1/sessions')).body.data;
    expect(rows.find((row) => row.id === id)!.updatedAt).toBe(set.time);
    await server.expiredWaits.expire(-MINUTE_MS);
    expect((await client.settled(id, turnId)).status).toBe('completed');
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
  });

  it('whose skipped runs an earlier build has counted as changes does not keep a turn waiting', async () => {
    const { id, turnId } = await skipped();
    await owner.query(`UPDATE session SET updated_at = updated_at + interval '1 minute' WHERE session_id = $1`, [id]);
    await server.expiredWaits.expire(-2 * MINUTE_MS);
    expect((await server.client.settled(id, turnId)).status).toBe('completed');
  });

  it('whose run submits a prompt changes the session', async () => {
    const { client } = server;
    const id = await client.session();
    expectStatus(await client.post(`/v1/sessions/${id}/schedules`, { input: 'hello', everySeconds: 3_600, firstRunAt: ahead(-MINUTE_MS) }), 201);
    await ranTimes(id, 1);
    await client.settled(id, (await ofType(id, 'prompt.submitted'))[0].data.submission.turnId);
    const last = (await client.events(id)).at(-1)!;
    expect((await client.get(`/v1/sessions/${id}`)).body.updatedAt).toBe(last.time);
  });

  it('is changed once by a request that is repeated after the run it has caused', async () => {
    const { client } = server;
    const id = await client.session();
    const path = `/v1/sessions/${id}/schedules`;
    const { id: scheduleId } = expectStatus(await client.post(path, { input: 'hello', everySeconds: 3_600 }), 201).body.schedule;
    const [key, body] = [freshKey(), { firstRunAt: ahead(-MINUTE_MS) }];
    expectStatus(await client.call('PATCH', `${path}/${scheduleId}`, body, key), 200);
    await ranTimes(id, 1);
    expectStatus(await client.call('PATCH', `${path}/${scheduleId}`, body, key), 200);
    expect(await ofType(id, 'schedule.set')).toHaveLength(2);
    expect(await client.call('PATCH', `${path}/${scheduleId}`, body)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  });

  it('of an import can be resumed up to the limit', async () => {
    const { client } = server;
    const id = await client.session();
    await client.ask(id, 'hello');
    expectStatus(await client.post(`/v1/sessions/${id}/schedules`, { input: 'hello', everySeconds: 3_600 }), 201);
    const lines = (await client.get<string>(`/v1/sessions/${id}/export`)).body.trimEnd().split('\n');
    const line: UnknownObject = lines.map((text) => JSON.parse(text)).find(({ type }) => type === 'schedule');
    const more = Array.from({ length: 3 }, () => JSON.stringify({ ...line, id: randomUUID() }));
    const file = [...lines, ...more].join('\n');
    const imported = expectStatus(await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' }), 201).body.id;
    const path = `/v1/sessions/${imported}/schedules`;
    const all: readonly UnknownObject[] = (await client.get(path)).body.data;
    expect(all.map(({ paused }) => paused)).toEqual([true, true, true, true]);
    const resume = (one: number) => client.call('PATCH', `${path}/${all[one]!.id}`, { paused: false });
    for (const one of [0, 1]) expectStatus(await resume(one), 200);
    expect(await resume(2)).toMatchObject({ status: 429, body: { code: 'limit_reached' } });
    expectStatus(await client.call('PATCH', `${path}/${all[2]!.id}`, { input: 'another text' }), 200);
    expectStatus(await resume(1), 200);
    expectStatus(await client.call('PATCH', `${path}/${all[0]!.id}`, { paused: true }), 200);
    expectStatus(await resume(2), 200);
    expect(await resume(3)).toMatchObject({ status: 429, body: { code: 'limit_reached' } });
  });
});
