import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { REQUIRED_QUERIES } from '../support/example-bodies.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** Two tenants, and two members of one: what is not yours does not exist, on any route, for reading and for writing. */
describe('strangers', () => {
  let server: TestServer;
  let owner: Client;
  let outsider: Client;
  let sessionId: string;
  let ids: Readonly<Record<string, string>>;

  const token = async (admin: Client, userName: string): Promise<Client> =>
    admin.as(expectStatus(await admin.post('/v1/tokens', { userName, role: 'member' }), 201).body.token);

  beforeAll(async () => {
    server = await startTestServer();
    owner = await token(server.client, 'owner');
    outsider = await server.tenant('another');
    sessionId = await owner.session({ title: 'secret title' });
    const turn = await owner.ask(sessionId, 'secret prompt');
    const [message] = await owner.messages(sessionId);
    const rewind = await owner.post(`/v1/sessions/${sessionId}/rewinds`, { after: message.uuid });
    const scheduled = await owner.post(`/v1/sessions/${sessionId}/schedules`, { input: 'secret prompt', everySeconds: 86_400 });
    ids = {
      id: sessionId,
      turnId: turn.turnId,
      promptId: turn.promptId,
      requestId: turn.requests[0].requestId,
      rewindId: rewind.body.id,
      scheduleId: scheduled.body.schedule.id,
      before: message.uuid,
      principal: 'user:outsider',
    };
  });
  afterAll(() => server.stop());

  /** A body each route would take from the owner. */
  const bodies: Readonly<Record<string, object>> = {
    'PATCH /v1/sessions/{id}': { title: 'mine now' },
    'POST /v1/sessions/{id}/prompts': { input: 'hello' },
    'POST /v1/sessions/{id}/schedules': { input: 'hello', everySeconds: 3_600 },
    'PATCH /v1/sessions/{id}/schedules/{scheduleId}': { input: 'mine now' },
    'POST /v1/sessions/{id}/tool-results': { results: [{ toolUseId: 'x', content: 'y' }] },
    'POST /v1/sessions/{id}/hook-runs': { event: 'UserPromptSubmit' },
    'POST /v1/sessions/{id}/tool-decisions': { toolUseId: 'x', decision: 'allow' },
    'PUT /v1/sessions/{id}/grants/{principal}': { role: 'owner' },
    'POST /v1/sessions/{id}/links': { expiresAt: '2999-01-01T00:00:00Z' },
    'POST /v1/sessions/{id}/presence': { state: 'typing' },
    'POST /v1/sessions/{id}/break-glass': { reason: 'x' },
    'POST /v1/sessions/{id}/feedback': { requestId: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', rating: 1 },
  };

  const walk = async (client: Client): Promise<readonly string[]> => {
    const { paths } = expectStatus(await client.get('/openapi.json'), 200).body;
    const walked: string[] = [];
    for (const [path, operations] of Object.entries<UnknownObject>(paths)) {
      if (!path.includes('{id}')) continue;
      for (const method of Object.keys(operations).map((name) => name.toUpperCase())) {
        const url = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? randomUUID()) + (method === 'GET' ? (REQUIRED_QUERIES[path] ?? '') : '');
        const body = path.endsWith('/rewinds') && method === 'POST' ? { before: ids['before'] } : bodies[`${method} ${path}`];
        const answer = await client.call(method, url, method === 'GET' || method === 'DELETE' ? undefined : (body ?? {}), method === 'GET' ? {} : freshKey());
        expect({ route: `${method} ${path}`, status: answer.status, code: answer.body.code }).toEqual({
          route: `${method} ${path}`,
          status: 404,
          code: 'session_not_found',
        });
        expect(JSON.stringify(answer.body)).not.toContain('secret');
        walked.push(`${method} ${path}`);
      }
    }
    return walked;
  };

  it('of another tenant find nothing on any route, and change nothing', async () => {
    const before = await owner.events(sessionId);
    const walked = await walk(outsider);
    expect(walked.length).toBeGreaterThanOrEqual(20);
    expect(await owner.events(sessionId)).toEqual(before);
    expect((await outsider.get('/v1/sessions')).body.data).toEqual([]);
  });

  it('of the same tenant neither, unless they are admins with emergency access', async () => {
    const neighbour = await token(server.client, 'neighbour');
    await walk(neighbour);
    expect((await neighbour.get('/v1/sessions')).body.data).toEqual([]);
    expect((await server.client.get(`/v1/sessions/${sessionId}`)).body.code).toBe('forbidden');
    expectStatus(await server.client.post(`/v1/sessions/${sessionId}/break-glass`, { reason: 'ticket 17' }), 200);
    expect((await server.client.get(`/v1/sessions/${sessionId}`)).body.title).toBe('secret title');
    expect((await owner.get('/v1/sessions')).body.data.map((session: UnknownObject) => session.id)).toEqual([sessionId]);
  });

  it('cannot take over a session by its idempotency key or id', async () => {
    const key = freshKey();
    const mine = expectStatus(await owner.post('/v1/sessions', {}, key), 201).body.id;
    const theirs = expectStatus(await outsider.post('/v1/sessions', {}, key), 201).body.id;
    expect(theirs).not.toBe(mine);
    const answer = await outsider.post(`/v1/sessions/${mine}/prompts`, { input: 'x', uuid: ids['before'] });
    expect(answer.status).toBe(404);
  });

  it('see a token only once, and a revoked one opens nothing', async () => {
    const made = expectStatus(await owner.post('/v1/tokens', { name: 'laptop' }), 201).body;
    const laptop = owner.as(made.token);
    expect((await laptop.get('/v1/me')).body).toMatchObject({ role: 'member', tokenId: made.id });
    expect((await outsider.call('DELETE', `/v1/tokens/${made.id}`)).status).toBe(404);
    expectStatus(await owner.call('DELETE', `/v1/tokens/${made.id}`), 204);
    expect((await laptop.get('/v1/me')).status).toBe(401);
    expect((await owner.post('/v1/tokens', { role: 'admin' })).status).toBe(403);
  });
});
