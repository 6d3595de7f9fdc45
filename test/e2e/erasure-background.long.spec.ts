import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

let server: TestServer;
let client: Client;
let owner: Connection;

beforeAll(async () => {
  server = await startTestServer({ ERASURE_INTERVAL_MS: '100' });
  client = server.client;
  owner = await connect(server.database.ownerUrl, 60_000);
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

const audit = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}/audit`), 200).body;
const erase = async (id: string): Promise<UnknownObject> => expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202).body;

describe('erasure in the background', () => {
  const age = async (id: string, days: number): Promise<void> => {
    await owner.query(`UPDATE session SET updated_at = updated_at - $2 * interval '1 day' WHERE session_id = $1`, [id, days]);
    await owner.query(`UPDATE session_retention SET not_before = not_before - $2 * interval '1 day' WHERE session_id = $1`, [id, days]);
  };
  const settings = (body: object): Promise<unknown> => client.call('PATCH', '/v1/settings', body).then((answer) => expectStatus(answer, 200));

  it('erases everything that a user owns, except what is held', async () => {
    const { token } = (await client.post('/v1/tokens', { userName: 'leaver' })).body;
    const leaver = client.as(token);
    const { userId } = (await leaver.get('/v1/me')).body;
    const ids: string[] = [];
    for (let n = 1; n <= 4; n += 1) {
      const id = await leaver.session({ title: `leaving-secret ${n}` });
      await leaver.ask(id, `leaving-secret ${n}`);
      ids.push(id);
    }
    const held = ids.pop()!;
    await client.post(`/v1/sessions/${held}/hold`, {});
    const adminId = (await client.get('/v1/me')).body.userId;
    expectStatus(await leaver.call('PUT', `/v1/sessions/${ids[0]}/grants/user:${adminId}`, { role: 'editor' }), 200);
    const fork = expectStatus(await client.post(`/v1/sessions/${ids[0]}/forks`, {}), 201).body.id; // of the admin
    expectStatus(await leaver.call('DELETE', `/v1/users/${userId}/content`), 403);
    expectStatus(await client.call('DELETE', `/v1/users/${randomUUID()}/content`), 404);
    const asked = expectStatus(await client.call('DELETE', `/v1/users/${userId}/content?reason=left`), 202).body;
    expect(asked).toMatchObject({ userId, reason: 'left', endedAt: null });
    const list = async (): Promise<UnknownObject> => (await client.get(`/v1/users/${userId}/erasures`)).body.data[0];
    await until('the erasure of the user has ended', async () => (await list()).endedAt !== null);
    expect(await list()).toMatchObject({ id: asked.id, sessions: 3, remaining: 0, held: 1 });
    for (const [id, by] of [...ids.map((each) => [each, leaver] as const), [fork, client] as const]) {
      expect((await by.get(`/v1/sessions/${id}`)).body.erased).toBe(true);
      expect((await by.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    }
    expect(JSON.stringify(await leaver.messages(held))).toContain('leaving-secret 4');
    expect((await leaver.get(`/v1/sessions/${ids[0]}/erasures`)).body.data[0]).toMatchObject({ reason: 'left' });
  });

  it('erases a session at the end of its own retention or that of its tenant, and no other', async () => {
    const make = async (body: object = {}): Promise<string> => {
      const id = await client.session(body);
      await client.ask(id, 'expiring-secret');
      return id;
    };
    const [own, young, held, tenants] = [await make({ retentionDays: 5 }), await make({ retentionDays: 9 }), await make({ retentionDays: 5 }), await make()];
    const parent = await make();
    const fork = (await client.post(`/v1/sessions/${parent}/forks`, {})).body.id;
    await client.call('PATCH', `/v1/sessions/${parent}`, { retentionDays: 5 });
    await client.post(`/v1/sessions/${held}/hold`, {});
    for (const id of [own, young, parent, held, tenants]) await age(id, 6);
    const isErased = async (id: string): Promise<boolean> => (await client.get(`/v1/sessions/${id}`)).body.erased;
    await until('its own retention has ended it', () => isErased(own));
    expect((await client.get(`/v1/sessions/${own}/erasures`)).body.data).toMatchObject([{ by: 'worker', reason: 'end of retention' }]);
    expect(await isErased(young)).toBe(false);
    await settings({ retentionDays: 4 });
    await until('the retention of its tenant has ended it', () => isErased(tenants));
    await settings({ retentionDays: null });
    expect(await Promise.all([parent, held, fork].map(isErased))).toEqual([false, false, false]);
    await erase(fork);
    await until('its fork is gone', () => isErased(parent));
    for (const id of [own, tenants, parent]) expect(await audit(id)).toMatchObject({ valid: true });
  });

  it('of a whole tenant, asked for by the operator, ends its access and leaves other tenants alone', async () => {
    const leaving = await server.tenant('leaving tenant');
    const { token } = (await leaving.post('/v1/tokens', { userName: 'member' })).body;
    const ids: string[] = [];
    for (const one of [leaving, leaving.as(token), leaving.as(token)]) {
      const id = await one.session({ title: 'tenant-secret' });
      await one.ask(id, 'tenant-secret');
      ids.push(id);
    }
    const [held, helper] = [await leaving.session(), await leaving.session()];
    await owner.query('UPDATE session SET parent_id = $1, parent_turn_id = $1 WHERE session_id = $2', [held, helper]);
    expectStatus(await leaving.post(`/v1/sessions/${held}/hold`, { reason: 'case 17' }), 200);
    const other = await client.session({ title: 'stays' });
    const command = async (...args: readonly string[]): Promise<UnknownObject> => {
      const env = { PATH: process.env['PATH'], DATABASE_URL: server.database.ownerUrl, DATABASE_TIMEOUT_MS: '60000' };
      const { stdout } = await promisify(execFile)(process.execPath, ['bin/verbatim', 'erase-tenant', ...args], { env });
      return JSON.parse(stdout);
    };
    await expect(command('no such tenant')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no tenant with this name') });
    expect((await command('leaving tenant', 'contract ended')).open).toBe(2);
    for (const one of [leaving, leaving.as(token)]) await until('nobody gets in', async () => (await one.get('/v1/me')).status === 401);
    await until('all is erased', async () => {
      const { open, remaining } = await command('leaving tenant');
      return open === 0 && remaining === 0;
    });
    expect(await command('leaving tenant')).toEqual({ open: 0, remaining: 0, held: 2 });
    const { rows } = await owner.query<{ found: number }>(
      `SELECT count(*)::int AS found FROM event WHERE session_id = ANY($1::uuid[]) AND data::text LIKE '%tenant-secret%'`,
      [ids],
    );
    expect(rows).toEqual([{ found: 0 }]);
    const { rows: reasons } = await owner.query(
      `SELECT DISTINCT data->>'reason' AS reason FROM event WHERE session_id = ANY($1::uuid[]) AND type = 'content.erased'`,
      [ids],
    );
    expect(reasons).toEqual([{ reason: 'contract ended' }]);
    expect((await client.get(`/v1/sessions/${other}`)).body).toMatchObject({ title: 'stays', erased: false });
  });

  it('puts the end of a retention off after a change, and then finds it', async () => {
    const id = await client.session({ retentionDays: 5 });
    await age(id, 6);
    await client.ask(id, 'still in use');
    const end = async (): Promise<Date> =>
      (await owner.query<{ not_before: Date }>('SELECT not_before FROM session_retention WHERE session_id = $1', [id])).rows[0]!.not_before;
    await until('the end is put off', async () => (await end()).getTime() > Date.now());
    expect((await client.get(`/v1/sessions/${id}`)).body.erased).toBe(false);
    await age(id, 6);
    await until('its retention has ended it', async () => (await client.get(`/v1/sessions/${id}`)).body.erased);
    expect((await owner.query('SELECT FROM session_retention WHERE session_id = $1', [id])).rowCount).toBe(0);
  });
});
