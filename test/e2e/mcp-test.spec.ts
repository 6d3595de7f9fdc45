import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { httpDemo, type HttpDemo, serve } from '../mcp/servers/http-demo.js';
import { type Client, expectStatus } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const HIDDEN = '•••';

describe('an MCP server that is tested before it is stored', () => {
  let server: TestServer;
  let guarded: TestServer;
  let client: Client;
  let demo: HttpDemo;

  beforeAll(async () => {
    server = await startTestServer({ MCP_ALLOW_PRIVATE: 'true', MCP_CONNECT_TIMEOUT_MS: '1000' });
    guarded = await startTestServer();
    client = server.client;
    demo = await httpDemo();
  });
  afterAll(async () => {
    await demo.close();
    await guarded.stop();
    await server.stop();
  });

  const test = (body: object, by = client) => by.post('/v1/settings/mcp-tests', body);
  const result = async (body: object) => expectStatus(await test(body), 200).body;
  const stored = async () => (await client.get('/v1/settings')).body.mcpServers;

  it('lists its tools, sends the headers, stores nothing and leaves no session open', async () => {
    const { tools, problems } = await result({ name: 'mine', url: demo.url, headers: { authorization: 'Bearer tried' } });
    expect(problems).toEqual([]);
    expect(tools).toContainEqual({ name: 'mcp__mine__echo', description: 'Says it again.', effect: 'read' });
    expect(demo.requests.at(-1)?.headers['authorization']).toBe('Bearer tried');
    expect(await stored()).toEqual({});
    expect((await client.get('/v1/tools')).body.data.some(({ source }: { source: string }) => source === 'mcp:mine')).toBe(false);
    await until('the session is over', () => Promise.resolve(demo.sessions() === 0));
  });

  it('is sent the stored value of a header in place of its placeholder, at the stored URL only', async () => {
    expectStatus(await client.call('PATCH', '/v1/settings', { mcpServers: { kept: { url: demo.url, headers: { 'x-key': 'secret' } } } }), 200);
    expect((await result({ name: 'kept', url: demo.url, headers: { 'x-key': HIDDEN } })).problems).toEqual([]);
    expect(demo.requests.at(-1)?.headers['x-key']).toBe('secret');
    for (const body of [
      { name: 'kept', url: `${demo.url}/other` },
      { name: 'other', url: demo.url },
    ]) {
      const refused = expectStatus(await test({ ...body, headers: { 'x-key': HIDDEN } }), 400).body;
      expect(refused).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/headers/x-key', detail: expect.stringContaining('placeholder') }] });
    }
  });

  it('says why it cannot be used: not there, silent, or no MCP server', async () => {
    const silent = await serve(() => undefined);
    const page = await serve((_, response) => response.end('<html>'));
    const gone = await serve(() => undefined);
    await gone.close();
    try {
      for (const [url, text] of [
        [gone.url, /ECONNREFUSED|fetch failed/],
        [silent.url, /did not answer within 1000 ms/],
        [page.url, /./],
      ] as const) {
        const { tools, problems } = await result({ name: 'odd', url });
        expect([tools, problems]).toEqual([[], [expect.stringMatching(text)]]);
      }
    } finally {
      await silent.close();
      await page.close();
    }
  });

  it('is tried one at a time for a tenant, and others are not held up', async () => {
    let isTried = false;
    const silent = await serve(() => void (isTried = true));
    const other = await server.tenant('beside');
    try {
      let isAsked = false;
      const first = result({ name: 'slow', url: silent.url }).finally(() => (isAsked = true));
      // Otherwise the second may come before the first, which is refused then.
      await until('the first runs', () => Promise.resolve(isTried));
      await until('the second is refused while the first runs', async () => {
        const { problems } = await result({ name: 'next', url: demo.url });
        return isAsked || (problems as readonly string[]).some((problem) => problem.includes('is being tried'));
      });
      expect(isAsked).toBe(false);
      expect(expectStatus(await test({ name: 'free', url: demo.url }, other), 200).body.problems).toEqual([]);
      await first;
    } finally {
      await silent.close();
    }
    expect((await result({ name: 'next', url: demo.url })).problems).toEqual([]);
  });

  it.each([
    ['a name that no server can have', { name: 'a b', url: 'https://x' }, '/name'],
    ['no URL', { name: 'a' }, '/url'],
    ['a header of the transport', { name: 'a', url: 'https://x', headers: { Host: 'y' } }, '/headers/Host'],
    ['a header with a name that is escaped in pointers', { name: 'a', url: 'https://x', headers: { 'a~b': HIDDEN } }, '/headers/a~0b'],
  ])('is rejected with %s, and the field is named', async (_, body, pointer) => {
    expect(expectStatus(await test(body), 400).body.errors).toContainEqual({ pointer, detail: expect.any(String) });
  });

  it('has a public address, where the operator does not allow others', async () => {
    const before = demo.requests.length;
    const refused = expectStatus(await test({ name: 'inside', url: demo.url }, guarded.client), 400).body;
    expect(refused.errors).toEqual([{ pointer: '/url', detail: expect.stringContaining('public internet') }]);
    // The name of a host is looked up when it is called.
    const named = demo.url.replace('127.0.0.1', 'localhost');
    expect(JSON.stringify(await test({ name: 'inside', url: named }, guarded.client))).toMatch(/public/);
    expect(demo.requests.length).toBe(before);
  });

  it('is for those who may change the settings', async () => {
    const member = client.as((await client.post('/v1/tokens', { userName: 'member' })).body.token);
    expectStatus(await test({ name: 'mine', url: demo.url }, member), 403);
  });
});
