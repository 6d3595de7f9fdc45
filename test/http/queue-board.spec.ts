import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/client.js';
import { describeWithRedis } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';

const SECRET = 'a secret that only operators know';
const BOARD = '/admin/queues';

const basic = (password: string, name = 'anybody'): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

describe('the queue board', () => board({}));
describeWithRedis('the queue board on Redis', (url) => board({ REDIS_URL: url }));

function board(environment: Record<string, string>): void {
  let server: TestServer;
  let anybody: Client;

  beforeAll(async () => {
    server = await startTestServer({ ...environment, TURN_DISPATCH: 'queue', OPERATOR_TOKEN: SECRET, AUTH_FAILURES_PER_MINUTE: '50' });
    anybody = server.client.as(null);
  });
  afterAll(() => server.stop());

  it('requires the secret on every path and with every method', async () => {
    const wrong: readonly Record<string, string>[] = [
      {},
      basic('wrong'),
      basic(''),
      basic(SECRET.slice(1)),
      { authorization: `Bearer ${server.client.token}` },
      { authorization: 'Basic %%%' },
    ];
    for (const headers of wrong) {
      for (const path of ['', '/', '/api/queues', '/static/css/main.css', '/queue/turns']) {
        const answer = await anybody.get(BOARD + path, headers);
        expect(answer.status).toBe(401);
        expect(answer.body.code).toBe('unauthenticated');
        expect(answer.headers.get('www-authenticate')).toContain('Basic');
      }
    }
    expect((await anybody.call('PUT', `${BOARD}/api/queues/turns/pause`)).status).toBe(401);
  });

  it('shows the page, its parts and the queue to a request with the token, as a password or as a bearer token', async () => {
    const id = await server.client.session();
    const stream = await server.client.stream(id);
    await server.client.prompt(id, '{{slow 20}}{{long 2000}}');
    await stream.untilType('message.delta');
    stream.close();
    const page = await anybody.get(`${BOARD}/`, basic(SECRET));
    expect(page.status).toBe(200);
    expect(page.body).toContain('<base href="/admin/queues/"');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    const parts = [...page.body.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, part]) => part);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect((await anybody.get(`${BOARD}/${part}`, basic(SECRET))).status).toBe(200);

    const { status, body } = await anybody.get(`${BOARD}/api/queues`, { authorization: `Bearer ${SECRET}` });
    expect(status).toBe(200);
    expect(body.queues).toEqual([
      expect.objectContaining({ name: 'turns', readOnlyMode: true, counts: expect.objectContaining({ active: 1 }) }),
      expect.objectContaining({ name: 'direct-turns', readOnlyMode: true, counts: expect.objectContaining({ active: 0 }) }),
    ]);
    await server.client.post(`/v1/sessions/${id}/interrupt`);
  });

  it('changes nothing, by any method', async () => {
    for (const [method, path] of [
      ['PUT', 'pause'],
      ['PUT', 'clean/active'],
      ['PUT', 'empty'],
      ['POST', 'add'],
      ['DELETE', 'x'],
    ] as const) {
      const answer = await anybody.call(method, `${BOARD}/api/queues/turns/${path}`, method === 'POST' ? {} : undefined, basic(SECRET));
      expect(answer.status).toBe(403);
    }
  });

  it('limits guesses of the secret', async () => {
    let status = 401;
    for (let guess = 0; guess < 120 && status === 401; guess += 1) ({ status } = await anybody.get(BOARD, basic(`guess ${guess}`)));
    expect(status).toBe(429);
    expect((await anybody.get(`${BOARD}/`, basic(SECRET))).status).toBe(200);
  });
}

describe('a turn that runs without the queue', () => {
  it('is on the board, with its process, and is counted as such when it has ended', async () => {
    const server = await startTestServer({ OPERATOR_TOKEN: SECRET });
    const { client } = server;
    const id = await client.session();
    const stream = await client.stream(id);
    const { turnId } = (await client.prompt(id, '{{slow 20}}{{long 2000}}')).body;
    await stream.untilType('message.delta');
    stream.close();
    const operator = client.as(null);
    const [queued, direct] = (await operator.get(`${BOARD}/api/queues?activeQueue=direct-turns&page=1`, basic(SECRET))).body.queues;
    expect(queued).toMatchObject({ name: 'turns', counts: { active: 0, waiting: 0 } });
    expect(direct).toMatchObject({ name: 'direct-turns', counts: { active: 1 }, jobs: [{ id: turnId, data: { sessionId: id, turnId } }] });
    expect(direct.jobs[0].data.process).toMatch(/^[0-9a-f-]{36}$/);
    const one = await operator.get(`${BOARD}/api/queues/direct-turns/${encodeURIComponent(direct.jobs[0].id)}`, basic(SECRET));
    expect([one.status, one.body.status]).toEqual([200, 'active']);
    await client.post(`/v1/sessions/${id}/interrupt`);
    await client.settled(id, turnId);
    const metrics = String((await operator.get('/metrics', { authorization: `Bearer ${SECRET}` })).body);
    expect(metrics).toContain('verbatim_turns_total{outcome="interrupted",dispatch="direct"} 1');
    await server.stop();
  });
});

describe('without a secret', () => {
  it('there is no such page', async () => {
    const server = await startTestServer();
    const answer = await server.client.as(null).get(`${BOARD}/`, basic(''));
    expect(answer.status).toBe(404);
    expect(answer.body.code).toBe('not_found');
    await server.stop();
  });
});
