import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const HOURLY = 3_600;

/** A time that has passed, also where the clock is set back a little. */
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

describe('schedules', () => {
  let server: TestServer;
  let owner: Connection;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer({ OUTBOX_POLL_MS: '50', SCHEDULES_PER_SESSION: '3', SCHEDULE_MAX_FAILURES: '1', QUOTA_REFRESH_MS: '1' });
    owner = await connect(server.database.ownerUrl, 60_000);
    ({ client } = server);
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
  });

  const at = (id: string, scheduleId?: string): string => `/v1/sessions/${id}/schedules${scheduleId === undefined ? '' : `/${scheduleId}`}`;
  const make = (id: string, body: object, by: Client = client, headers?: Record<string, string>) => by.post(at(id), { input: 'hello', ...body }, headers);
  const made = async (id: string, body: object, by: Client = client): Promise<UnknownObject> => expectStatus(await make(id, body, by), 201).body.schedule;
  const change = (id: string, scheduleId: string, body: object, by: Client = client) => by.call('PATCH', at(id, scheduleId), body);
  const list = async (id: string): Promise<readonly UnknownObject[]> => expectStatus(await client.get(at(id)), 200).body.data;
  const ofType = async (id: string, type: string): Promise<readonly UnknownObject[]> => (await client.events(id)).filter((event) => event.type === type);
  /** Waits for the run and returns its data. */
  async function ran(id: string): Promise<UnknownObject> {
    await until('the schedule has run', async () => (await ofType(id, 'schedule.ran')).length > 0);
    return (await ofType(id, 'schedule.ran'))[0].data;
  }
  const due = (more: object = {}) => ({ everySeconds: HOURLY, firstRunAt: ago(MINUTE_MS), ...more });
  const rows = async (id: string): Promise<number> => (await owner.query('SELECT FROM session_schedule WHERE session_id = $1', [id])).rowCount ?? 0;

  /** No process finds out that a schedule is due while `work` is done: the look at the outbox waits for its lock, see lease_jobs. */
  async function beforeTheNextLook(work: () => Promise<void>): Promise<void> {
    await until('no schedule is due', async () => (await owner.query('SELECT FROM session_schedule WHERE next_run_at <= now()')).rowCount === 0);
    await owner.query('SELECT pg_advisory_lock(8150313)');
    try {
      await work();
    } finally {
      await owner.query('SELECT pg_advisory_unlock(8150313)');
    }
  }

  it('are created, listed, changed, paused, resumed and deleted, each by an event', async () => {
    const id = await client.session();
    const key = freshKey();
    const body = { cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin', whenBusy: 'queue' };
    const first = expectStatus(await make(id, body, client, key), 201);
    expect(first.headers.get('location')).toBe(at(id));
    const { userId } = (await client.get('/v1/me')).body;
    expect(first.body.schedule).toEqual({
      ...{
        id: expect.any(String),
        input: 'hello',
        isMeta: false,
        cron: '0 9 * * 1-5',
        timeZone: 'Europe/Berlin',
        everySeconds: null,
        whenBusy: 'queue',
        paused: false,
      },
      ...{ nextRunAt: expect.stringMatching(/T0[78]:00:00\.000Z$/), lastRun: null, by: userId, createdAt: expect.any(String), changedAt: expect.any(String) },
    });
    // A repeat has the same result.
    expect(expectStatus(await make(id, body, client, key), 201).body.schedule.id).toBe(first.body.schedule.id);
    const { id: scheduleId, nextRunAt } = first.body.schedule;
    expect(await list(id)).toEqual([first.body.schedule]);
    expect(await rows(id)).toBe(1);

    const renamed = expectStatus(await change(id, scheduleId, { input: 'another text', isMeta: true }), 200).body.schedule;
    expect(renamed).toMatchObject({ input: 'another text', isMeta: true, nextRunAt, whenBusy: 'queue' });
    expect(expectStatus(await change(id, scheduleId, { paused: true }), 200).body.schedule).toMatchObject({ paused: true, nextRunAt: null });
    expect(await rows(id)).toBe(0);
    expect(expectStatus(await change(id, scheduleId, { paused: false }), 200).body.schedule).toMatchObject({ paused: false, nextRunAt });
    const slower = expectStatus(await change(id, scheduleId, { everySeconds: 600, isMeta: false }), 200).body.schedule;
    expect(slower).toMatchObject({ cron: null, timeZone: null, everySeconds: 600, isMeta: false, nextRunAt: expect.any(String) });

    expectStatus(await client.call('DELETE', at(id, scheduleId)), 200);
    expect([await list(id), await rows(id)]).toEqual([[], 0]);
    expect((await client.events(id)).map(({ type }) => type).filter((type) => type.startsWith('schedule.'))).toEqual([
      ...Array.from({ length: 5 }, () => 'schedule.set'),
      'schedule.deleted',
    ]);
    expect(await client.call('DELETE', at(id, scheduleId))).toMatchObject({ status: 404, body: { code: 'schedule_not_found' } });
    expect(await change(id, scheduleId, { paused: true })).toMatchObject({ status: 404, body: { code: 'schedule_not_found' } });
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
  });

  it('are rejected with the member that is wrong', async () => {
    const id = await client.session();
    for (const [body, pointer] of [
      [{}, '/cron'],
      [{ cron: '0 9 * * *', everySeconds: 600 }, '/everySeconds'],
      [{ everySeconds: 600, timeZone: 'Europe/Berlin' }, '/timeZone'],
      [{ cron: '0 9 * * *', timeZone: 'Europe/Atlantis' }, '/timeZone'],
      [{ cron: '0 0 31 2 *' }, '/cron'],
      [{ cron: '* * * * * *' }, '/cron'],
      [{ everySeconds: 59 }, '/everySeconds'],
      [{ everySeconds: 600, firstRunAt: 'soon' }, '/firstRunAt'],
      [{ everySeconds: 600, firstRunAt: ago(0), paused: true }, '/firstRunAt'],
      [{ everySeconds: 600, whenBusy: 'interrupt' }, '/whenBusy'],
    ] as const) {
      const { status, body: problem } = await make(id, body);
      expect([body, status, problem.code, problem.errors?.[0]?.pointer]).toEqual([body, 400, 'invalid_input', pointer]);
    }
    expect(await make(id, { everySeconds: 600, input: ' ' })).toMatchObject({ status: 422, body: { code: 'empty_input' } });
    for (let count = 0; count < 3; count += 1) await made(id, { everySeconds: 600 });
    expect(await make(id, { everySeconds: 600 })).toMatchObject({ status: 429, body: { code: 'limit_reached' } });
  });

  it('submit their prompt once when they are due, with origin cron, and are due again after the interval', async () => {
    const id = await client.session();
    const schedule = await made(id, due({ input: '{{say on time}}' }));
    const { dueAt, outcome, promptId, nextRunAt } = await ran(id);
    expect([dueAt, outcome]).toEqual([schedule.nextRunAt, 'started']);
    expect(Date.parse(nextRunAt) - Date.parse(dueAt)).toBe(HOURLY * 1_000);
    const [submitted] = await ofType(id, 'prompt.submitted');
    const { submission } = submitted.data;
    expect(submission).toMatchObject({ promptId, origin: { kind: 'cron', scheduleId: schedule.id, dueAt }, workload: 'cron' });
    expect(submitted.actor).toEqual({ kind: 'user', id: schedule.by });
    await client.settled(id, submission.turnId);
    const messages = await client.messages(id, 'view=transcript');
    expect(messages[0]).toMatchObject({ type: 'user', content: '{{say on time}}', origin: { kind: 'cron' }, by: { kind: 'user', id: schedule.by } });
    expect(JSON.stringify(messages.at(-1).message.content)).toContain('on time');
    expect(await list(id)).toMatchObject([{ nextRunAt, lastRun: { dueAt, outcome: 'started', promptId, error: null } }]);
    // What the model was sent says nothing of the schedule.
    const [request] = (await client.get(`/v1/sessions/${id}/requests`)).body.data;
    const sent = (await client.get(`/v1/sessions/${id}/requests/${request.requestId}`)).body;
    expect(JSON.stringify(sent.payload)).not.toContain(schedule.id);
    expect(await ofType(id, 'schedule.ran')).toHaveLength(1);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
  });

  it('make one run of all that were missed', async () => {
    const late = await client.session();
    const { nextRunAt: first } = await made(late, { everySeconds: 60, firstRunAt: ago(10.5 * MINUTE_MS) });
    expect(await ran(late)).toMatchObject({ outcome: 'started', dueAt: first });
    const { nextRunAt } = (await ofType(late, 'schedule.ran'))[0].data;
    expect((Date.parse(nextRunAt) - Date.parse(first)) % MINUTE_MS).toBe(0);
    expect(Date.parse(nextRunAt) - Date.parse(first)).toBeGreaterThanOrEqual(11 * MINUTE_MS);
  });

  it('have no second run at the time of an earlier one', async () => {
    const id = await client.session();
    const { id: scheduleId } = await made(id, due());
    const { dueAt } = await ran(id);
    const { status, body } = await change(id, scheduleId, { firstRunAt: dueAt });
    expect([status, body.errors]).toMatchObject([400, [{ pointer: '/firstRunAt' }]]);
  });

  it('skip a run or queue its prompt while a turn runs', async () => {
    const tools = [{ name: 'lookup', input_schema: { type: 'object' } }];
    const [skipping, queueing] = [await client.session({ tools }), await client.session({ tools })];
    for (const id of [skipping, queueing]) expect((await client.ask(id, '{{tool lookup {"key":"x"}}}')).status).toBe('waiting');
    await made(skipping, due({ whenBusy: 'skip' }));
    expect(await ran(skipping)).toMatchObject({ outcome: 'skipped', nextRunAt: expect.any(String) });
    expect(await ofType(skipping, 'prompt.submitted')).toHaveLength(1);

    await made(queueing, due({ whenBusy: 'queue', input: 'after it' }));
    const { outcome, promptId } = await ran(queueing);
    expect(outcome).toBe('queued');
    expect((await client.get(`/v1/sessions/${queueing}/queue`)).body.data).toMatchObject([{ promptId, input: 'after it' }]);
  });

  it('are hidden from the transcript when they are for the model only, and run slash commands', async () => {
    const [hidden, slash] = [await client.session(), await client.session()];
    await made(hidden, due({ isMeta: true }));
    await ran(hidden);
    const { turnId } = (await ofType(hidden, 'prompt.submitted'))[0].data.submission;
    await client.settled(hidden, turnId);
    expect((await client.messages(hidden, 'view=transcript')).map(({ type }) => type)).toEqual(['assistant']);
    await made(slash, due({ input: '/status' }));
    expect(await ran(slash)).toMatchObject({ outcome: 'answered' });
  });

  it('are those of who may prompt; another tenant sees no session', async () => {
    const id = await client.session();
    const other = await server.tenant('other');
    expect(await make(id, due(), other)).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
    expect((await other.get(at(id))).status).toBe(404);
    const viewer = client.as((await client.post('/v1/tokens', { userName: 'viewer' })).body.token);
    const { userId } = (await viewer.get('/v1/me')).body;
    expectStatus(await client.call('PUT', `/v1/sessions/${id}/grants/user:${userId}`, { role: 'viewer' }), 200);
    expect(await make(id, due(), viewer)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const { id: scheduleId } = await made(id, { everySeconds: HOURLY });
    expect((await viewer.get(at(id))).body.data).toMatchObject([{ id: scheduleId }]);
    expect(await change(id, scheduleId, { paused: true }, viewer)).toMatchObject({ status: 403 });
    expect((await change(id, randomUUID(), { paused: true }, other)).body.code).toBe('session_not_found');
  });

  it('run with the rights that the user who made or last changed them has when they are due', async () => {
    const id = await client.session();
    const editor = client.as((await client.post('/v1/tokens', { userName: 'editor' })).body.token);
    const { userId } = (await editor.get('/v1/me')).body;
    const grant = `/v1/sessions/${id}/grants/user:${userId}`;
    expectStatus(await client.call('PUT', grant, { role: 'editor' }), 200);
    const { id: scheduleId } = await made(id, { everySeconds: HOURLY });
    await beforeTheNextLook(async () => {
      const changed = expectStatus(await change(id, scheduleId, { input: 'of the editor', firstRunAt: ago(MINUTE_MS) }, editor), 200);
      expect(changed.body.schedule.by).toBe(userId);
      expectStatus(await client.call('DELETE', grant), 200);
    });
    expect(await ran(id)).toMatchObject({ outcome: 'failed', error: { code: 'session_not_found' } });
    expect(await ofType(id, 'prompt.submitted')).toEqual([]);
    // The owner changes it: from then on it is theirs.
    const mine = expectStatus(await change(id, scheduleId, { paused: false, firstRunAt: ago(MINUTE_MS / 2) }), 200).body.schedule;
    expect(mine.by).not.toBe(userId);
    await until('it has run again', async () => (await ofType(id, 'schedule.ran')).length === 2);
    expect((await ofType(id, 'schedule.ran'))[1].data).toMatchObject({ outcome: 'started' });
  });

  it('record a rejected prompt as a failed run, and are paused after too many of them', async () => {
    const admin = await server.tenant('frugal');
    const id = await admin.session();
    expectStatus(await admin.call('PATCH', '/v1/settings', { quotas: { tenant: { promptsPerDay: 1 } } }), 200);
    await admin.ask(id, 'the only one');
    await made(id, due(), admin);
    const runs = async () => (await admin.events(id)).filter(({ type }) => type === 'schedule.ran');
    await until('it has run', async () => (await runs()).length === 1);
    expect((await runs())[0].data).toMatchObject({ outcome: 'failed', error: { code: 'quota_exceeded' }, nextRunAt: null });
    const [schedule] = (await admin.get(at(id))).body.data;
    expect(schedule).toMatchObject({
      paused: true,
      nextRunAt: null,
      lastRun: { outcome: 'failed', error: { code: 'quota_exceeded', message: expect.any(String) } },
    });
    expect(await rows(id)).toBe(0);
  });

  it('of a user who is disabled are paused by their next run', async () => {
    const id = await client.session();
    const leaver = client.as((await client.post('/v1/tokens', { userName: 'leaver' })).body.token);
    const { userId } = (await leaver.get('/v1/me')).body;
    expectStatus(await client.call('PUT', `/v1/sessions/${id}/grants/user:${userId}`, { role: 'editor' }), 200);
    await beforeTheNextLook(async () => {
      await made(id, due(), leaver);
      expectStatus(await client.call('PATCH', `/v1/users/${userId}`, { disabled: true }), 200);
    });
    expect(await ran(id)).toMatchObject({ outcome: 'failed', error: { code: 'forbidden' }, nextRunAt: null });
    expect(await list(id)).toMatchObject([{ paused: true, nextRunAt: null }]);
    expect(await ofType(id, 'prompt.submitted')).toEqual([]);
  });

  it('are not in a fork, are paused in an import, and are gone with the content of the session', async () => {
    const id = await client.session();
    await client.ask(id, 'hello');
    const schedule = await made(id, { cron: '0 9 * * *', timeZone: 'Asia/Tokyo', isMeta: true, whenBusy: 'queue' });
    await made(id, { everySeconds: 600, input: 'every ten minutes' });
    const { id: fork } = expectStatus(await client.post(`/v1/sessions/${id}/forks`), 201).body;
    expect(await list(fork)).toEqual([]);

    const file = (await client.get<string>(`/v1/sessions/${id}/export`)).body;
    const imported = expectStatus(await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' }), 201).body;
    expect(imported.skipped).toEqual([]);
    expect(await list(imported.id)).toMatchObject([
      { id: schedule.id, cron: '0 9 * * *', timeZone: 'Asia/Tokyo', isMeta: true, whenBusy: 'queue', paused: true, nextRunAt: null },
      { everySeconds: 600, input: 'every ten minutes', paused: true },
    ]);
    expect(await rows(imported.id)).toBe(0);
    expect(expectStatus(await change(imported.id, schedule.id, { paused: false }), 200).body.schedule.nextRunAt).toEqual(expect.any(String));

    expect(await rows(id)).toBe(2);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}?includeForks=true`), 202);
    await until('its content is erased', async () => (await client.get(`/v1/sessions/${id}/erasures`)).body.data[0]?.endedAt);
    expect([await list(id), await rows(id)]).toEqual([[], 0]);
    expect(JSON.stringify(await client.events(id))).not.toContain('every ten minutes');
    expect(await make(id, due())).toMatchObject({ status: 409, body: { code: 'session_erased' } });
  });

  it('are run once by several processes that find them at the same time', async () => {
    const other = await startTestServer({ OUTBOX_POLL_MS: '50' }, server.database, client.token);
    try {
      const ids = await Promise.all(Array.from({ length: 12 }, () => client.session()));
      await Promise.all(ids.map((id) => made(id, due())));
      for (const id of ids) {
        expect(await ran(id)).toMatchObject({ outcome: 'started' });
        expect([(await ofType(id, 'schedule.ran')).length, (await ofType(id, 'prompt.submitted')).length]).toEqual([1, 1]);
      }
    } finally {
      await other.stop();
    }
  });
});
