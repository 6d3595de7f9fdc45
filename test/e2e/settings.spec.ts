import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac, randomUUID } from 'node:crypto';
import { Receiver } from '../hooks/support/receiver.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

const HIDDEN = '•••';

describe('the settings of a tenant', () => {
  let receiver: Receiver;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    receiver = await Receiver.start();
    server = await startTestServer({
      HOOK_ALLOW_PRIVATE: 'true',
      GATES: 'advisor',
      MAX_TENANT_HOOKS: '3',
      MAX_SETTINGS_BYTES: '4000',
    });
  });
  afterAll(async () => {
    await server.stop();
    await receiver.stop();
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    receiver.answer = () => ({});
    client = await server.tenant(randomUUID());
  });

  const change = async (body: object) => expectStatus(await client.call('PATCH', '/v1/settings', body), 200).body;
  const rejected = async (body: object) => expectStatus(await client.call('PATCH', '/v1/settings', body), 400).body;
  const http = (more: object = {}) => ({ type: 'http', url: receiver.url('/hook'), ...more });

  it('are empty at first, and replaced section by section', async () => {
    const empty = {
      gates: {},
      hooks: {},
      hookSecret: null,
      skills: {},
      plugins: {},
      mcpServers: {},
      instructions: null,
      permissions: { allow: [], deny: [], ask: [] },
      bypassPermissions: true,
      memory: false,
      agents: {},
      retentionDays: null,
      quotas: {},
      models: {},
      upstreamKey: null,
      version: 0,
    };
    expect((await client.get('/v1/settings')).body).toEqual(empty);
    await change({ gates: { ultraplan: true }, skills: { review: false }, instructions: 'Be brief.\u0000', permissions: { deny: ['Bash(rm *)'] } });
    const changed = {
      ...empty,
      gates: { ultraplan: true },
      skills: { review: false },
      instructions: 'Be brief.\u0000',
      permissions: { allow: [], deny: ['Bash(rm *)'], ask: [] },
      version: 1,
    };
    expect((await client.get('/v1/settings')).body).toEqual(changed);
    expect(await change({ gates: {}, instructions: null, permissions: {} })).toEqual({ ...empty, skills: { review: false }, version: 2 });
    expect(await change({})).toEqual({ ...empty, skills: { review: false }, version: 2 });
  });

  it('are not changed by an admin who has read them before another one changed the same section, and say who changed what', async () => {
    const other = client.as(expectStatus(await client.post('/v1/tokens', { userName: 'other', role: 'admin' }), 201).body.token);
    const send = (by: Client, version: number | null, body: object) =>
      by.call('PATCH', '/v1/settings', body, version === null ? {} : { 'if-match': `"${version}"` });
    const idOf = async (by: Client): Promise<string> => (await by.get('/v1/me')).body.userId;
    const read = await client.get('/v1/settings');
    expect([read.body.version, read.headers.get('etag')]).toEqual([0, '"0"']);

    expect(expectStatus(await send(client, 0, { instructions: 'mine', memory: true }), 200).body.version).toBe(1);
    const late = expectStatus(await send(other, 0, { instructions: 'theirs', gates: { ultraplan: true } }), 412).body;
    expect(late).toMatchObject({ code: 'version_conflict', version: 1 });
    expect((await client.get('/v1/settings')).body).toMatchObject({ instructions: 'mine', gates: {}, version: 1 });
    // Other sections are not in the way, nor is a section that gets the value that it has.
    expect(expectStatus(await send(other, 0, { gates: { ultraplan: true }, instructions: 'mine' }), 200).body.version).toBe(2);
    expect(expectStatus(await send(other, 1, { instructions: 'theirs' }), 200).body.version).toBe(3);
    // Without a condition the last one wins, as ever; what changes nothing is no change.
    expect(expectStatus(await send(client, null, { instructions: 'mine again' }), 200).body.version).toBe(4);
    expect(expectStatus(await send(client, null, { instructions: 'mine again' }), 200).body.version).toBe(4);
    expectStatus(await send(client, null, {}), 200);
    expectStatus(await client.call('PATCH', '/v1/settings', {}, { 'if-match': 'four' }), 400);

    const [mine, theirs] = [await idOf(client), await idOf(other)];
    const pages: UnknownObject[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: UnknownObject = expectStatus(await client.get(`/v1/settings/changes?limit=3${cursor && `&cursor=${cursor}`}`), 200).body;
      pages.push(...page.data);
      cursor = page.nextCursor;
    }
    expect(pages.map(({ version, changedBy, sections }) => [version, changedBy, sections])).toEqual([
      [4, mine, ['instructions']],
      [3, theirs, ['instructions']],
      [2, theirs, ['gates']],
      [1, mine, ['instructions', 'memory']],
    ]);
    const stranger = await server.tenant(randomUUID());
    expect(expectStatus(await stranger.get('/v1/settings/changes'), 200).body.data).toEqual([]);
  });

  it('are an admin’s business', async () => {
    const member = client.as((await client.post('/v1/tokens', { userName: 'member' })).body.token);
    for (const [method, path] of [
      ['GET', '/v1/settings'],
      ['PATCH', '/v1/settings'],
      ['POST', '/v1/settings/hook-secret'],
    ] as const) {
      expect((await member.call(method, path, method === 'GET' ? undefined : {})).body).toMatchObject({ status: 403, code: 'forbidden' });
    }
    await change({ hooks: { Stop: [{ hooks: [http({ url: receiver.url('/?key=1') })] }] } });
    expect((await member.get('/v1/hooks')).body.data).toMatchObject([{ source: 'tenant', url: receiver.url('/?…') }]);
  });

  it.each<[string, object, string, string]>([
    ['a gate that does not exist', { gates: { 'no-such': true } }, '/gates/no-such', 'is not a known member'],
    ['a gate that is neither on nor off', { gates: { ultraplan: 'on' } }, '/gates/ultraplan', 'expected boolean'],
    ['an unknown section', { themes: {} }, '/themes', 'is not a known member'],
    ['an unknown event', { hooks: { BeforeLunch: [] } }, '/hooks/BeforeLunch', 'runs no hooks'],
    [
      'a command',
      { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'id' }] }] } },
      '/hooks/Stop/0/hooks/0/type',
      'can only be configured by the operator',
    ],
    ['another kind of hook', { hooks: { Stop: [{ hooks: [{ type: 'agent' }] }] } }, '/hooks/Stop/0/hooks/0/type', 'are not supported'],
    [
      'a hidden value that is not there',
      { hooks: { Stop: [{ hooks: [{ type: 'http', url: 'https://x.example', headers: { a: HIDDEN } }] }] } },
      '/hooks/Stop/0/hooks/0/headers/a',
      'no value is stored for this URL',
    ],
    ['a server without a proper name', { mcpServers: { 'a b': { url: 'https://x' } } }, '/mcpServers/a b', 'letters, digits'],
    ['a server that is a file', { mcpServers: { a: { url: 'file:///etc' } } }, '/mcpServers/a/url', 'https://'],
    [
      'a header with characters that cannot be sent',
      { mcpServers: { a: { url: 'https://x', headers: { a: 'naïve' } } } },
      '/mcpServers/a/headers/a',
      'visible ASCII',
    ],
    ['a header of the transport', { mcpServers: { a: { url: 'https://x', headers: { Host: 'y' } } } }, '/mcpServers/a/headers/Host', 'is set by the server'],
    ['a server at a private address', { mcpServers: { a: { url: 'http://169.254.169.254/mcp' } } }, '/mcpServers/a/url', 'public internet'],
    ['two headers in one', { mcpServers: { a: { url: 'https://x', headers: { a: 'b\r\nc: d' } } } }, '/mcpServers/a/headers/a', 'one line'],
    ['a rule that is none', { permissions: { allow: ['(rm)'] } }, '/permissions/allow/0', "a tool's name"],
  ])('reject %s, with the place', async (_name, body, pointer, text) => {
    expect(await rejected(body)).toMatchObject({ code: 'invalid_input', errors: expect.arrayContaining([{ pointer, detail: expect.stringContaining(text) }]) });
    expect((await client.get('/v1/settings')).body).toMatchObject({ gates: {}, hooks: {}, mcpServers: {} });
  });

  it('have limits', async () => {
    expect((await client.call('PATCH', '/v1/settings', { instructions: 'x'.repeat(5_000) })).body).toMatchObject({
      status: 413,
      code: 'payload_too_large',
      errors: [{ pointer: '/instructions' }],
    });
    expect((await rejected({ hooks: { Stop: [{ hooks: [http(), http(), http(), http()] }] } })).errors).toEqual([
      { pointer: '/hooks', detail: expect.stringContaining('at most 3') },
    ]);
  });

  it('never show a secret again, and keep it when what was shown is sent back', async () => {
    const headers = { authorization: 'Bearer secret' };
    await change({ mcpServers: { memory: { url: 'https://mcp.example.com', headers } }, hooks: { Stop: [{ hooks: [http({ headers })] }] } });
    const { body: shown } = await client.get('/v1/settings');
    expect(JSON.stringify(shown)).not.toContain('Bearer');
    expect(shown).toMatchObject({
      hookSecret: HIDDEN,
      mcpServers: { memory: { headers: { authorization: HIDDEN } } },
      hooks: { Stop: [{ hooks: [{ headers: { authorization: HIDDEN } }] }] },
    });
    await change({ mcpServers: { ...shown.mcpServers, other: { url: 'https://other.example.com' } }, hooks: { ...shown.hooks, PreCompact: [] } });
    const id = await client.session();
    await client.post(`/v1/sessions/${id}/hook-runs`, { event: 'Stop' });
    expect(receiver.received[0]?.headers['authorization']).toBe('Bearer secret');
    // A secret does not follow its name to another address.
    expect((await rejected({ mcpServers: { memory: { url: 'https://elsewhere.example.com', headers: { authorization: HIDDEN } } } })).errors).toMatchObject([
      { pointer: '/mcpServers/memory/headers/authorization' },
    ]);
  });

  describe('hooks', () => {
    const verified = (secret: string, { headers, body }: Receiver['received'][number]): boolean =>
      headers['verbatim-hook-signature'] ===
      `sha256=${createHmac('sha256', secret)
        .update(`${String(headers['verbatim-hook-timestamp'])}.${body}`)
        .digest('hex')}`;

    it('are called for every prompt, signed with a secret that is shown once and can be replaced', async () => {
      const hooks = { UserPromptSubmit: [{ hooks: [http()] }] };
      const { hookSecret } = await change({ hooks });
      expect(hookSecret).toMatch(/^vbhook_.{43}$/);
      expect((await change({ hooks })).hookSecret).toBe(HIDDEN);
      receiver.answer = () => ({ body: JSON.stringify({ hookSpecificOutput: { additionalContext: 'The house rule is: be kind.' } }) });
      const id = await client.session();
      const turn = await client.ask(id, 'hello');
      expect(receiver.received).toHaveLength(1);
      expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ hook_event_name: 'UserPromptSubmit', session_id: id, prompt: 'hello' });
      expect(verified(hookSecret, receiver.received[0]!)).toBe(true);
      const { payload } = (await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`)).body;
      expect(JSON.stringify(payload)).toContain('be kind');

      const fresh = expectStatus(await client.post('/v1/settings/hook-secret'), 201).body.hookSecret;
      expect(fresh).not.toBe(hookSecret);
      await client.ask(id, 'again');
      expect([verified(fresh, receiver.received[1]!), verified(hookSecret, receiver.received[1]!)]).toEqual([true, false]);
    });

    it('belong to one tenant', async () => {
      await change({ hooks: { UserPromptSubmit: [{ hooks: [http()] }] } });
      const other = await server.tenant(`other ${randomUUID()}`);
      await other.ask(await other.session(), 'hello');
      expect((await other.get('/v1/hooks')).body.data).toEqual([]);
      expect(receiver.received).toEqual([]);
    });

    it('block, and cannot hold up what they do not answer', async () => {
      await change({ hooks: { UserPromptSubmit: [{ hooks: [http()] }] } });
      receiver.answer = ({ body }) =>
        body.includes('forbidden') ? { body: '{"decision":"block","reason":"house rule"}' } : { status: 200, headers: { 'content-length': '100' } };
      const id = await client.session();
      expect((await client.ask(id, 'forbidden')).stopReason).toBe('not_sent');
      await change({ hooks: { UserPromptSubmit: [{ hooks: [http({ timeout: 0.3 })] }] } });
      expect(await client.ask(id, 'hello')).toMatchObject({ status: 'completed', requests: [expect.anything()] });
      const runs = (await client.events(id)).filter((event) => event.type === 'hook.completed').map(({ data }) => data);
      expect(runs).toMatchObject([
        { outcome: 'blocked', httpStatus: 200, reason: 'house rule' },
        { outcome: expect.stringMatching(/timeout|non_blocking_error/) },
      ]);
    });
  });

  describe('gates', () => {
    const states = async (of: Client): Promise<Record<string, unknown>> =>
      Object.fromEntries((await of.get('/v1/gates')).body.data.map((gate: UnknownObject) => [gate.name, [gate.enabled, gate.source]]));

    it('go before the deployment’s, which go before the defaults; every one is described', async () => {
      const other = await server.tenant(`other ${randomUUID()}`);
      await change({ gates: { 'history-snip': true, advisor: false } });
      expect(await states(client)).toMatchObject({ 'history-snip': [true, 'tenant'], advisor: [false, 'tenant'], ultraplan: [false, 'default'] });
      expect(await states(other)).toMatchObject({ 'history-snip': [false, 'default'], advisor: [true, 'deployment'], ultraplan: [false, 'default'] });
      const { data } = (await client.get('/v1/gates')).body;
      for (const gate of data) expect(gate.description).toMatch(/\w{3}.*\.$/);
    });

    it('are those of the tenant in its requests, as they were when each was sent', async () => {
      const id = await client.session();
      const before = await client.ask(id, 'hello');
      await change({ gates: { 'history-snip': true } });
      const after = await client.ask(id, 'hello again');
      const request = async (turn: UnknownObject) => (await client.get(`/v1/sessions/${id}/requests/${turn.requests[0].requestId}`)).body;
      expect(JSON.stringify((await request(before)).payload.messages)).not.toContain('[id:');
      expect(JSON.stringify((await request(after)).payload.messages)).toContain('[id:');
      for (const turn of [before, after]) expect((await request(turn)).verified).toBe(true);
    });
  });
});
