import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** A repeat under the same idempotency key, after the session has moved on. */
describe('a repeated request', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
  });
  afterAll(() => server.stop());

  const settled = async (id: string, { turnId, disposition }: UnknownObject): Promise<void> => {
    if (disposition === 'started') await client.settled(id, turnId);
  };

  /** Each with what it needs first; `{uuid}` stands for the uuid of the first prompt. */
  const requests: readonly (readonly [method: 'POST' | 'PATCH', path: string, body: object])[] = [
    ['PATCH', '', { title: 'first title' }],
    ['POST', '/prompts', { input: 'a prompt' }],
    ['POST', '/prompts', { input: '/status' }],
    ['POST', '/prompts', { input: 'edited', replaces: '{uuid}' }],
    ['POST', '/forks', { title: 'a fork' }],
    ['POST', '/rewinds', { before: '{uuid}' }],
    ['POST', '/interrupt', {}],
    ['POST', '/close', {}],
  ];

  it.each(requests)('gets the first response: %s %s %j', async (method, path, template) => {
    const id = await client.session({ title: 'of repeats' });
    await client.ask(id, 'one');
    const [{ uuid }] = await client.messages(id);
    const body = JSON.parse(JSON.stringify(template).replaceAll('{uuid}', uuid));
    const key = freshKey();
    const send = () => client.call(method, `/v1/sessions/${id}${path}`, body, key);

    const first = await send();
    expect(first.status).toBeLessThan(300);
    await settled(id, first.body);
    if (path === '/close') await client.post(`/v1/sessions/${id}/reopen`);
    await client.call('PATCH', `/v1/sessions/${id}`, { title: 'another title' });
    await client.ask(id, 'something else');

    const second = await send();
    expect([second.status, second.body, second.headers.get('etag')]).toEqual([first.status, first.body, first.headers.get('etag')]);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  });
});
