import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { keysOf, textOf } from '../support/encryption.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { until } from '../support/until.js';

const MODEL = 'claude-opus-4-5';
const user = (content: unknown) => ({ role: 'user', content });
const json = (response: Response): Promise<UnknownObject> => response.json() as Promise<UnknownObject>;
const sessionOf = ({ headers }: Response): string => headers.get('x-verbatim-session')!;

const WHOLE = JSON.stringify({
  ...{ id: 'msg_whole', type: 'message', role: 'assistant', model: MODEL, content: [{ type: 'text', text: 'whole' }] },
  ...{ stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
});

/** A request through the door of a server. */
const asker =
  (url: () => string) =>
  (client: Client, messages: readonly object[], more: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${url()}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', authorization: `Bearer ${client.token}`, ...headers },
      body: JSON.stringify({ model: MODEL, max_tokens: 100, messages, ...more }),
    });

describe('sessions of the Anthropic door', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;
  const ask = asker(() => server.running.url);

  beforeAll(async () => {
    api = await startStandIn();
    server = await startTestServer({ ANTHROPIC_BASE_URL: api.url, ENCRYPTION: 'on', ENCRYPTION_KEYS: textOf(keysOf('one')), QUOTA_REFRESH_MS: '1' });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  it('keep every answer of requests that are made at once, each on a branch of its own', async () => {
    const headers = { 'x-claude-code-session-id': 'at once' };
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(async (text) => ask(client, [user('one beginning'), user(`{{say ${text}}}`)], {}, headers)));
    const bodies = await Promise.all(answers.map(json));
    expect(bodies.map(({ content }) => content[0].text)).toEqual(['a', 'b', 'c', 'd']);
    const [session, ...others] = new Set(answers.map(sessionOf));
    expect(others).toEqual([]);
    const { data } = (await client.get(`/v1/sessions/${session}/requests`)).body;
    expect(data.map(({ status }: UnknownObject) => status)).toEqual(['completed', 'completed', 'completed', 'completed']);
    expect((await client.get(`/v1/sessions/${session}/branches`)).body.data.length).toBe(4);
    expect((await client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
    for (const { requestId } of data) expect((await client.get(`/v1/sessions/${session}/requests/${requestId}`)).body.verified).toBe(true);
  });

  it('are not written to while a turn of the server runs, nor after they are erased', async () => {
    const first = await ask(client, [user('{{say x}} mine')]);
    await first.text();
    const session = sessionOf(first);
    const named = { 'x-verbatim-session': session };
    const { fault, release } = held(3);
    api.next(fault);
    const { turnId } = expectStatus(await client.prompt(session, '{{say one two three four}}'), 202).body;
    const busy = await ask(client, [user('{{say x}} mine'), user('more')], {}, named);
    expect([busy.status, (await json(busy)).error]).toEqual([
      409,
      expect.objectContaining({ type: 'conflict_error', details: { error_code: 'session_busy' } }),
    ]);
    release();
    await client.settled(session, turnId);
    expectStatus(await client.call('DELETE', `/v1/sessions/${session}`), 202);
    const gone = await ask(client, [user('{{say x}} mine'), user('more')], {}, named);
    expect([gone.status, (await json(gone)).error.details]).toEqual([409, { error_code: 'session_erased' }]);
    const { metadata } = (await client.get(`/v1/sessions/${session}`)).body;
    expect(metadata).toEqual({});
  });

  it('begin again under the name that a client gives them when the one with this name was closed or erased', async () => {
    for (const close of ['close', 'erase']) {
      const named = { 'x-claude-code-session-id': `${close} it` };
      const first = await ask(client, [user('{{say x}} ended')], {}, named);
      const answer = { role: 'assistant', content: (await json(first)).content };
      const session = sessionOf(first);
      if (close === 'close') expectStatus(await client.post(`/v1/sessions/${session}/close`), 200);
      else expectStatus(await client.call('DELETE', `/v1/sessions/${session}`), 202);
      const history: object[] = [user('{{say x}} ended'), answer, user('{{say y}}')];
      const second = await ask(client, history, {}, named);
      history.push({ role: 'assistant', content: (await json(second)).content }, user('{{say z}}'));
      const third = await ask(client, history, {}, named);
      await third.text();
      expect([second.status, third.status]).toEqual([200, 200]);
      expect([sessionOf(second) === session, sessionOf(third)]).toEqual([false, sessionOf(second)]);
      expect((await client.messages(sessionOf(second))).length).toBe(6);
    }
  });

  it('name the session that a client has forked under a new name, and no other that begins alike', async () => {
    const begun = [user('{{say x}} to be forked')];
    const named = (name: string) => ({ 'x-claude-code-session-id': name });
    const first = await ask(client, begun, {}, named('first'));
    const history = [...begun, { role: 'assistant', content: (await json(first)).content }];
    const fork = await ask(client, [...history, user('{{say y}}')], {}, named('fork'));
    await fork.text();
    const of = async (response: Response): Promise<unknown> => (await client.get(`/v1/sessions/${sessionOf(response)}`)).body.metadata.gateway.forkOf;
    expect(new Set([first, fork].map(sessionOf)).size).toBe(2);
    expect([await of(first), await of(fork)]).toEqual([undefined, sessionOf(first)]);
    const other = await ask(client, [...begun, { role: 'assistant', content: 'another answer' }, user('{{say y}}')], {}, named('other'));
    await other.text();
    expect(await of(other)).toBeUndefined();
  });

  it('have the blocks that can be read of a message that is badly formed, and know it again', async () => {
    const odd = { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, { type: 'tool_use', id: 't1', name: 'look', input: null }, 7] };
    const history = [user('{{say x}} odd'), odd, user([{ type: 'text', text: 'and?' }, { text: 'no type' }])];
    api.next({ kind: 'page', status: 200, contentType: 'application/json', text: WHOLE });
    const first = await ask(client, history);
    expect([first.status, await first.text()]).toEqual([200, WHOLE]);
    const stored = await client.messages(sessionOf(first));
    expect(stored[1].message).toMatchObject({ content: [odd.content[0], { ...(odd.content[1] as object), input: {} }], sent: odd });
    api.next({ kind: 'page', status: 200, contentType: 'application/json', text: WHOLE });
    const next = [...history, { role: 'assistant', content: 'whole' }, user('more')];
    const second = await ask(client, next, {}, { 'x-verbatim-session': sessionOf(first) });
    await second.text();
    expect((await client.messages(sessionOf(first))).length).toBe(6);
    expect((await client.get(`/v1/sessions/${sessionOf(first)}/branches`)).body.data.length).toBe(1);
    // A turn of the server sends what can be sent of it.
    await client.ask(sessionOf(first), '{{say z}}');
    expect((await client.messages(sessionOf(first))).at(-1)!.message.content).toEqual([{ type: 'text', text: 'z' }]);
    for (const text of ['Let me look.', 'and?']) expect(api.received.at(-1)!.body).toContain(text);
  });

  it('count what they use, and end with the quota in the shape of the API', async () => {
    const limited = await server.tenant('limited');
    expectStatus(await limited.call('PATCH', '/v1/settings', { quotas: { tenant: { tokensPerDay: 1 } } }), 200);
    const first = await ask(limited, [user('{{say spent}}')]);
    expect(first.status).toBe(200);
    await first.text();
    await until('the quota is used up', async () => {
      const response = await ask(limited, [user('{{say more}}')]);
      const body = await json(response);
      return response.status === 429 && body.error.type === 'rate_limit_error' && response.headers.get('retry-after') !== null;
    });
  });

  it('count for the key that asked and for the session, each with limits of its own', async () => {
    const tenant = await server.tenant('keys');
    const [key, other] = await Promise.all([0, 1].map(async () => expectStatus(await tenant.post('/v1/tokens', {}), 201).body));
    const set = async (settings: object) => expectStatus(await tenant.call('PATCH', '/v1/settings', settings), 200);
    await set({ quotas: { tokens: { [key.id]: { tokensPerDay: 1 } } }, models: { tokens: { [other.id]: [MODEL] } } });
    const [limited, free] = [tenant.as(key.token), tenant.as(other.token)];
    const refused = async (by: Client, headers: Record<string, string> = {}): Promise<boolean> => {
      const response = await ask(by, [user('{{say more}}')], {}, headers);
      const { error } = await json(response);
      return response.status === 429 && error.type === 'rate_limit_error' && error.details.error_code === 'quota_exceeded';
    };
    const first = await ask(limited, [user('{{say spent}}')]);
    expect(first.status).toBe(200);
    await first.text();
    await until('the quota of the key is used up', () => refused(limited));
    // The same user with another key, which may ask one model only.
    const free1 = await ask(free, [user('{{say free}}')]);
    expect(free1.status).toBe(200);
    await free1.text();
    expect((await ask(free, [user('{{say free}}')], { model: 'claude-haiku-4-5' })).status).toBe(403);
    expect((await limited.get('/v1/quotas')).body.data).toEqual([{ scope: 'token', quota: 'tokensPerDay', limit: 1, used: expect.any(Number) }]);

    await set({ quotas: { session: { tokensPerDay: 1 } } });
    const named = { 'x-verbatim-session': sessionOf(free1) };
    const again = await ask(free, [user('{{say again}}')], {}, named);
    expect(again.status).toBe(200);
    await again.text();
    await until('the quota of the session is used up', () => refused(free, named));
    const elsewhere = await ask(free, [user('{{say elsewhere}}')]);
    expect(elsewhere.status).toBe(200);
    await elsewhere.text();
  });
});

describe('an answer in gzip through the Anthropic door', () => {
  let upstream: Server;
  let server: TestServer;
  const events = (text: string): string =>
    [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: MODEL,
          content: [],
          stop_reason: null,
          usage: { input_tokens: 3, cache_read_input_tokens: 2 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip', 'x-accepted': String(request.headers['accept-encoding']) });
      response.end(gzipSync(events('zipped')));
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    server = await startTestServer({ ANTHROPIC_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    await server.stop();
    upstream.close();
  });

  it('passes as it is, and is recorded with its usage; codings that cannot be read are not asked for', async () => {
    const response = await asker(() => server.running.url)(server.client, [user('zip')], { stream: true }, { 'accept-encoding': 'gzip, zstd' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('x-accepted')).toBe('gzip');
    expect(await response.text()).toBe(events('zipped'));
    const session = sessionOf(response);
    expect((await server.client.messages(session)).at(-1)!.message.content).toEqual([{ type: 'text', text: 'zipped' }]);
    const { data } = (await server.client.get(`/v1/sessions/${session}/requests`)).body;
    expect(data).toMatchObject([{ status: 'completed', usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 5 } }]);
  });
});
