import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** Idempotency keys, If-Match, and an unavailable database. */
describe('repeated requests', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
  });
  afterAll(() => server.stop());

  it('with the same key and body get the first response, with another body an error', async () => {
    const key = freshKey();
    const first = expectStatus(await client.post('/v1/sessions', { title: 'once' }, key), 201);
    const again = expectStatus(await client.post('/v1/sessions', { title: 'once' }, key), 201);
    expect(again.body.id).toBe(first.body.id);
    expect((await client.get('/v1/sessions')).body.data).toHaveLength(1);

    const id = first.body.id;
    const promptKey = freshKey();
    const prompt = { input: 'only once' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.post(`/v1/sessions/${id}/prompts`, prompt, promptKey)));
    expect(new Set(answers.map((answer) => answer.body.promptId)).size).toBe(1);
    await client.settled(id, answers[0]!.body.turnId);
    const late = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, prompt, promptKey), 202);
    expect(late.body).toMatchObject({ promptId: answers[0]!.body.promptId, disposition: 'started' });
    expect((await client.events(id)).filter((event) => event.type === 'prompt.submitted')).toHaveLength(1);

    for (const [path, body] of [
      [`/v1/sessions/${id}/prompts`, { input: 'something else' }],
      [`/v1/sessions/${id}/close`, {}],
      ['/v1/sessions', { title: 'once' }],
    ] as const) {
      expect(await client.post(path, body, promptKey)).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    }
  });

  it('of a command that had nothing to do get its first response, and another body is an error', async () => {
    const id = await client.session();
    const key = freshKey();
    expect((await client.post(`/v1/sessions/${id}/interrupt`, {}, key)).body).toMatchObject({ interrupted: false });
    const { turnId } = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    expect((await client.post(`/v1/sessions/${id}/interrupt`, {}, key)).body).toMatchObject({ interrupted: false });
    expect(await client.post(`/v1/sessions/${id}/interrupt`, { reason: 'other' }, key)).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    const other = freshKey();
    expect((await client.post(`/v1/sessions/${id}/interrupt`, {}, other)).body).toMatchObject({ interrupted: true });
    expect((await client.settled(id, turnId)).status).toBe('interrupted');
    expect((await client.post(`/v1/sessions/${id}/interrupt`, {}, other)).body).toMatchObject({ interrupted: true });
  });

  it('of a rewind with interrupt: true leave the turn alone that runs now', async () => {
    const id = await client.session();
    await client.ask(id, 'first');
    const [prompt] = await client.messages(id);
    await client.prompt(id, '{{slow 100}}{{long 5000}}');
    const key = freshKey();
    const rewind = { after: prompt.uuid, interrupt: true };
    const first = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, rewind, key), 201);
    const { turnId } = (await client.prompt(id, '{{slow 20}}{{long 40}}')).body;
    const again = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, rewind, key), 201);
    expect(again.body.id).toBe(first.body.id);
    expect((await client.settled(id, turnId)).status).toBe('completed');
  });

  it('do not close a session again that was reopened since', async () => {
    const id = await client.session();
    const key = freshKey();
    expectStatus(await client.post(`/v1/sessions/${id}/close`, {}, key), 200);
    expectStatus(await client.post(`/v1/sessions/${id}/reopen`), 200);
    expectStatus(await client.post(`/v1/sessions/${id}/close`, {}, key), 200);
    expect((await client.get(`/v1/sessions/${id}`)).body.status).toBe('idle');
  });

  it('with a stale If-Match fail with the current version', async () => {
    const id = await client.session();
    const rename = (title: string, version: number): Promise<UnknownObject> =>
      client.call('PATCH', `/v1/sessions/${id}`, { title }, { 'if-match': `"${version}"` });
    expectStatus(await rename('a', 1), 200);
    expect(await rename('b', 1)).toMatchObject({ status: 412, body: { code: 'version_conflict', version: 2 } });
    const racers = await Promise.all(['c', 'd', 'e', 'f'].map((title) => rename(title, 2)));
    expect(racers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412]);
  });

  it('get 503 while the database is unavailable, and succeed afterwards without loss', async () => {
    const id = await client.session();
    await client.ask(id, 'before');
    // What waits for the database there gives up soon; what is to succeed is asked of the other server.
    const hasty = await startTestServer({ ROLE: 'api', DATABASE_TIMEOUT_MS: '1000' }, server.database, client.token);
    const name = new URL(server.database.ownerUrl).pathname.slice(1);
    const administer = (sql: string): Promise<void> => {
      const url = new URL(server.database.ownerUrl);
      url.pathname = '/postgres';
      return withConnection(url.href, 60_000, async (connection) => {
        await connection.query(sql);
      });
    };
    await administer(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`);
    await administer(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '${name}'`);
    const key = freshKey();
    const away = await hasty.client.post(`/v1/sessions/${id}/prompts`, { input: 'during' }, key);
    expect(away).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect((await hasty.client.get('/health/ready')).status).toBe(503);
    expect((await hasty.client.get('/health/live')).status).toBe(200);

    await administer(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`);
    const back = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { input: 'during' }, key), 202);
    expect((await client.settled(id, back.body.turnId)).status).toBe('completed');
    expect((await client.messages(id)).filter((message) => message.type === 'user').map((message) => message.content)).toEqual(['before', 'during']);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
    await hasty.stop();
  });
});
