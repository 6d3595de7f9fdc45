import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Anthropic from '@anthropic-ai/sdk';
import { createHash } from 'node:crypto';
import type { Client, UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { until } from '../support/until.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const json = (response: Response): Promise<UnknownObject> => response.json() as Promise<UnknownObject>;
const MODEL = 'claude-opus-4-8';
const ask = (text: string) => ({ model: MODEL, max_tokens: 100, messages: [{ role: 'user' as const, content: text }] });

describe('the Anthropic door', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;
  let sdk: Anthropic;

  beforeAll(async () => {
    api = await startStandIn({ apiKey: 'upstream-key' });
    server = await startTestServer({ ANTHROPIC_API_KEY: 'upstream-key', ANTHROPIC_BASE_URL: api.url, LOG_LEVEL: process.env['GATEWAY_LOG'] ?? 'silent' });
    client = server.client;
    sdk = sdkOf(client);
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  const sdkOf = ({ token }: Client, options: object = {}): Anthropic =>
    new Anthropic({ apiKey: token, baseURL: `${server.running.url}/anthropic`, maxRetries: 0, ...options });

  /** The session and the request of an answer. */
  const placeOf = ({ headers }: Response): { readonly session: string; readonly request: string } => ({
    session: headers.get('x-verbatim-session')!,
    request: headers.get('x-verbatim-request')!,
  });
  const requestOf = async (response: Response, by = client): Promise<UnknownObject> => {
    const { session, request } = placeOf(response);
    return (await by.get(`/v1/sessions/${session}/requests/${request}`)).body;
  };
  const texts = async (session: string): Promise<readonly string[]> =>
    (await client.messages(session)).map((message) => JSON.stringify(message.message?.content ?? message.content));
  const post = (body: string, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<Response> =>
    fetch(`${server.running.url}/anthropic/v1/messages${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': client.token!, ...headers },
      body,
    });

  it('answers the official client, and has the conversation as a session, with the bytes that were sent', async () => {
    const { data, response } = await sdk.messages.create(ask('{{say one}}')).withResponse();
    expect(data.content).toEqual([expect.objectContaining({ type: 'text', text: 'one' })]);
    const { session } = placeOf(response);
    expect(await texts(session)).toEqual(['"{{say one}}"', JSON.stringify(data.content)]);
    const request = await requestOf(response);
    expect(request).toMatchObject({ verified: true, status: 'completed', usage: { output_tokens: data.usage.output_tokens } });
    expect(sha256(api.received.at(-1)!.body)).toBe(request.digest);
    expect(api.received.at(-1)!.headers).toMatchObject({ 'x-api-key': 'upstream-key', 'user-agent': expect.stringContaining('Anthropic') });
    expect(api.received.at(-1)!.headers).not.toHaveProperty('authorization');
    const { metadata } = (await client.get(`/v1/sessions/${session}`)).body;
    expect(metadata.gateway).toMatchObject({ door: 'anthropic', client: expect.stringContaining('Anthropic') });
    expect((await client.get('/v1/search?q=one')).body.data.length).toBeGreaterThan(0);
    expect((await client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
  });

  it('continues a conversation that is sent again with more, streams it, and rewinds where it departs', async () => {
    const first = await sdk.messages.create(ask('{{say first}}')).withResponse();
    const { session } = placeOf(first.response);
    const history = [...ask('{{say first}}').messages, { role: 'assistant' as const, content: first.data.content }];
    const stream = sdk.messages.stream({ ...ask(''), messages: [...history, { role: 'user', content: '{{say second}}' }] });
    const { data: second, response } = await stream.withResponse().then(async (one) => ({ data: await stream.finalMessage(), response: one.response }));
    expect(second.content).toMatchObject([{ text: 'second' }]);
    expect(placeOf(response).session).toBe(session);
    expect((await texts(session)).length).toBe(4);
    const other = await sdk.messages.create({ ...ask(''), messages: [...history, { role: 'user', content: '{{say other}}' }] }).withResponse();
    expect(placeOf(other.response).session).toBe(session);
    expect((await texts(session)).slice(2)).toEqual(['"{{say other}}"', JSON.stringify(other.data.content)]);
    const { data: branches } = (await client.get(`/v1/sessions/${session}/branches`)).body;
    expect(branches.length).toBe(2);
    for (const { requestId } of (await client.get(`/v1/sessions/${session}/requests`)).body.data)
      expect((await client.get(`/v1/sessions/${session}/requests/${requestId}`)).body).toMatchObject({ verified: true, fault: null });
    expect((await client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
    // It is a session like any other: the server itself can go on.
    expect((await client.ask(session, '{{say ours}}')).status).toBe('completed');
    expect(JSON.parse(api.received.at(-1)!.body).messages.map(({ role }: UnknownObject) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  });
  const HELLO = 'hello {{say hi}}';

  describe('passes on what it does not know', () => {
    it('sends the bytes, the query and the headers of the client, and gives back what comes', async () => {
      const body = ` { "messages" : [ {"role":"user","content":"${HELLO}", "x":1.0e0} ] ,\n "max_tokens":10, "model":"${MODEL}" , "later_field" : {"a":[]} } `;
      const refused = {
        kind: 'error-response',
        status: 400,
        message: 'No.',
        details: { error_code: 'a_code' },
        headers: { 'anthropic-ratelimit-requests-remaining': '7', 'x-later': 'y' },
      } as const;
      api.next(refused);
      const response = await post(
        body,
        { 'anthropic-beta': 'later-2027-01-01', 'x-later': 'z', 'x-claude-code-session-id': 'bytes', cookie: 'a=b' },
        '?beta=true',
      );
      const { headers, body: sent } = api.received.at(-1)!;
      expect(sha256(sent)).toBe(sha256(body));
      expect(headers).toMatchObject({ 'anthropic-beta': 'later-2027-01-01', 'x-later': 'z' });
      expect(headers).not.toHaveProperty('cookie');
      expect(response.status).toBe(400);
      expect(response.headers.get('x-later')).toBe('y');
      expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe('7');
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(await json(response)).toMatchObject({ type: 'error', error: { message: 'No.', details: { error_code: 'a_code' } } });
      const request = await requestOf(response);
      expect(request).toMatchObject({ status: 'failed', verified: true, error: { status: 400, errorCode: 'a_code', message: 'No.' } });
      expect(request.recordedDigest).toBe(sha256(body));
    });

    it('refuses a body that is not JSON', async () => {
      const response = await post('{"messages":}');
      expect(response.status).toBe(400);
      expect(response.headers.get('x-verbatim-request')).toBe(null);
      expect(await json(response)).toMatchObject({ error: { message: expect.stringContaining('not valid JSON') } });
    });

    it.each([429, 529, 500])('gives back a %i, which the record has, and the same request again is the same turn', async (status) => {
      api.next({ kind: 'error-response', status, type: 'overloaded_error', headers: { 'retry-after': '3' } });
      const body = JSON.stringify(ask(`{{say ok}} after ${status}`));
      const failed = await post(body);
      expect([failed.status, failed.headers.get('retry-after')]).toEqual([status, '3']);
      await failed.text();
      expect(await requestOf(failed)).toMatchObject({ status: 'failed', error: { status, code: 'overloaded_error' } });
      const again = await post(body);
      expect((await json(again)).content).toMatchObject([{ text: 'ok' }]);
      expect(placeOf(again).session).toBe(placeOf(failed).session);
      expect((await texts(placeOf(again).session)).length).toBe(2);
    });

    it('gives back a page of a proxy, and an answer that ends in its middle', async () => {
      api.next({ kind: 'page', status: 502, contentType: 'text/html', text: '<p>bad gateway</p>' });
      const page = await post(JSON.stringify(ask('page {{say x}}')));
      expect([page.status, await page.text()]).toEqual([502, '<p>bad gateway</p>']);
      expect(await requestOf(page)).toMatchObject({ status: 'failed', error: { status: 502 } });
      api.next({ kind: 'cut', after: 5 });
      const cut = await post(JSON.stringify({ ...ask('cut {{say one two three four}}'), stream: true }));
      const { session } = placeOf(cut);
      await expect(cut.text()).rejects.toThrow();
      await until('what came is recorded', async () => (await texts(session)).length === 2);
      expect(await requestOf(cut)).toMatchObject({
        status: 'failed',
        stopReason: null,
        error: { code: 'stream_cut' },
        usage: { input_tokens: expect.any(Number) },
      });
      const again = await post(JSON.stringify({ ...ask('cut {{say one two three four}}'), stream: true }));
      expect(await again.text()).toContain('message_stop');
      expect(placeOf(again).session).toBe(session);
      expect((await texts(session)).length).toBe(2);
    });
  });

  it('records what was delivered when the client leaves in the middle', async () => {
    const { fault, release } = held(5);
    api.next(fault);
    const stream = sdk.messages.stream(ask('leave {{say one two three four five six}}'));
    const { response } = await stream.withResponse();
    await new Promise((resolve) => stream.once('text', resolve));
    stream.abort();
    await stream.done().catch(() => undefined);
    const { session } = placeOf(response);
    await until('the beginning of the answer is recorded', async () => (await texts(session)).length === 2);
    release();
    expect(await requestOf(response)).toMatchObject({ status: 'failed', error: { code: 'client_disconnected' } });
    expect((await client.messages(session))[1].message).toMatchObject({ stop_reason: null, content: [{ type: 'text' }] });
  });

  it('gives the answer of an upstream that splits every character byte for byte', async () => {
    api.next({ kind: 'bytes' });
    const stream = sdk.messages.stream(ask('bytes {{say grün 🧵}}'));
    expect((await stream.finalMessage()).content).toMatchObject([{ text: 'grün 🧵' }]);
  });

  describe('of Claude Code', () => {
    const claude = (session: string, more: object = {}) => ({
      'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)',
      'x-claude-code-session-id': session,
      'x-app': 'cli',
      ...more,
    });
    const marked = (text: string) => ({ role: 'user', content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] });
    const bodyOf = (messages: readonly object[]) =>
      JSON.stringify({
        model: MODEL,
        messages,
        system: [
          { type: 'text', text: 'x-anthropic-billing-header: cc_version=1;' },
          { type: 'text', text: 'You are a tool.' },
        ],
        max_tokens: 100,
        stream: false,
      });
    const turn = async (messages: readonly object[], headers: Record<string, string>) => {
      const response = await post(bodyOf(messages), headers, '?beta=true');
      return { ...placeOf(response), answer: { role: 'assistant', content: (await json(response)).content } };
    };

    it('keeps one branch while cache markers move, and a session for each subagent and side request', async () => {
      const headers = claude('one');
      const first = await turn([marked('{{say a}} first')], headers);
      const second = await turn([{ role: 'user', content: '{{say a}} first' }, first.answer, marked('{{say b}} second')], headers);
      const third = await turn(
        [{ role: 'user', content: '{{say a}} first' }, first.answer, { role: 'user', content: '{{say b}} second' }, second.answer, marked('{{say c}} third')],
        headers,
      );
      expect([second.session, third.session]).toEqual([first.session, first.session]);
      expect((await texts(first.session)).length).toBe(6);
      expect((await client.get(`/v1/sessions/${first.session}/branches`)).body.data.length).toBe(1);
      const title = await turn([{ role: 'user', content: '{{say title}} name it' }], headers);
      const agent = await turn([marked('{{say a}} first')], claude('one', { 'x-claude-code-agent-id': 'a1' }));
      const next = await turn([marked('{{say a}} first')], claude('two'));
      expect(new Set([first.session, title.session, agent.session, next.session]).size).toBe(4);
      const session = (await client.get(`/v1/sessions/${first.session}`)).body;
      expect(session).toMatchObject({ system: 'You are a tool.', metadata: { gateway: { group: 'one', client: 'claude-cli/2.1.330 (external, sdk-cli)' } } });
      const { data } = (await client.get(`/v1/sessions/${first.session}/requests`)).body;
      const sizes = [];
      for (const { requestId, seq } of data) {
        expect((await client.get(`/v1/sessions/${first.session}/requests/${requestId}`)).body).toMatchObject({ verified: true });
        const { data: events } = (await client.get(`/v1/sessions/${first.session}/events?after=${seq - 1}&limit=1`)).body;
        sizes.push(events[0].data.body.exact.filter((part: unknown) => typeof part === 'string').join('').length);
      }
      expect(sizes[2]).toBeLessThan(sizes[0]! + 100);
      expect(JSON.stringify(sizes)).not.toBe('[]');
    });

    it('is one turn tried again when, after a cut, its first message comes again with a remark; after a whole answer, it is another conversation', async () => {
      const text = 'cut {{say one two three four}}';
      const remarked = (name: string) => ({
        role: 'user',
        content: [
          { type: 'text', text: `${text} ${name}\n` },
          { type: 'text', text: 'It was cut.', cache_control: { type: 'ephemeral' } },
        ],
      });
      for (const isCut of [true, false]) {
        const headers = claude(`remark ${isCut}`);
        if (isCut) api.next({ kind: 'cut', after: 5 });
        const first = await post(JSON.stringify({ ...JSON.parse(bodyOf([marked(`${text} ${isCut}`)])), stream: true }), headers);
        const { session } = placeOf(first);
        await first.text().catch(() => undefined);
        await until('what came is recorded', async () => (await texts(session)).length === 2);
        const again = await turn([remarked(String(isCut))], headers);
        const next = await turn([remarked(String(isCut)), again.answer, marked('{{say next}}')], headers);
        expect([again.session === session, next.session === again.session]).toEqual([isCut, true]);
        expect((await texts(next.session)).length).toBe(4);
        expect((await client.get(`/v1/sessions/${session}/branches`)).body.data.length).toBe(isCut ? 2 : 1);
      }
      // Another name, or another beginning: nothing to try again.
      api.next({ kind: 'cut', after: 5 });
      const cut = await post(JSON.stringify({ ...JSON.parse(bodyOf([marked(`${text} third`)])), stream: true }), claude('remark third'));
      await cut.text().catch(() => undefined);
      const others = [await turn([remarked('third')], claude('remark fourth')), await turn([remarked('other')], claude('remark third'))];
      expect(new Set([placeOf(cut).session, ...others.map(({ session }) => session)]).size).toBe(3);
    });

    it('takes the session of metadata.user_id, results of tools, files, and messages of the system', async () => {
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
      const body = (messages: readonly object[]) =>
        JSON.stringify({ ...ask(''), messages, metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: 'three' }) } });
      const one = [{ role: 'user', content: [{ type: 'text', text: 'look {{say seen}}' }, image] }];
      const first = await post(body(one));
      const answer = { role: 'assistant', content: (await json(first)).content };
      const second = await post(body([...one, answer, { role: 'user', content: 'more {{say more}}' }]));
      await second.text();
      expect(placeOf(second).session).toBe(placeOf(first).session);
      for (const response of [first, second]) expect(await requestOf(response)).toMatchObject({ verified: true, fault: null });
      const [stored] = await client.messages(placeOf(first).session);
      expect(JSON.stringify(stored)).not.toContain(PNG);
      const { data } = (await client.get(`/v1/sessions/${placeOf(first).session}/events?limit=50`)).body;
      expect(JSON.stringify(data)).not.toContain(PNG);
    });
  });

  it('keeps tenants and users apart, and says so in the shape of the API', async () => {
    const { response } = await sdk.messages.create(ask('mine {{say secret}}')).withResponse();
    const { session } = placeOf(response);
    const other = await server.tenant('the other');
    const foreign = await post(JSON.stringify(ask('x')), { 'x-api-key': other.token!, 'x-verbatim-session': session });
    expect(foreign.status).toBe(404);
    expect(await json(foreign)).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error', details: { error_code: 'session_not_found' } },
      request_id: expect.any(String),
    });
    const same = await sdkOf(other).messages.create(ask('mine {{say secret}}')).withResponse();
    expect(placeOf(same.response).session).not.toBe(session);
    const before = api.received.length;
    const unknown = await post(JSON.stringify(ask('x')), { 'x-api-key': 'vb_none' });
    expect([unknown.status, (await json(unknown)).error.type]).toEqual([401, 'authentication_error']);
    const none = await fetch(`${server.running.url}/anthropic/v1/messages`, { method: 'POST', body: '{}' });
    expect([none.status, (await json(none)).error.type]).toEqual([401, 'authentication_error']);
    await expect(sdkOf(client, { apiKey: null, authToken: 'vb_none' }).messages.create(ask('x'))).rejects.toThrow(Anthropic.AuthenticationError);
    await sdkOf(client, { apiKey: null, authToken: client.token }).messages.create(ask('bearer {{say y}}'));
    expect(api.received.length).toBe(before + 1);
  });

  it('has other routes: those of no account are passed on, others are not', async () => {
    const at = (path: string, method = 'GET') => fetch(`${server.running.url}/anthropic${path}`, { method, headers: { 'x-api-key': client.token! } });
    expect((await fetch(`${server.running.url}/anthropic/api/hello`, { method: 'HEAD' })).status).toBe(200);
    expect((await at('/api/event_logging/v2/batch', 'POST')).status).toBe(404);
    const files = await at('/v1/files');
    expect([files.status, (await json(files)).error.details]).toEqual([404, { error_code: 'not_found' }]);
    const models = await at('/v1/models'); // of the stand-in, which has none
    expect([models.status, models.headers.get('request-id')]).toEqual([404, expect.stringMatching(/^req_/)]);
  });
});

/** One red pixel, with as many bytes after it that records of requests refer to the file. */
const PNG = Buffer.concat([
  Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64'),
  Buffer.alloc(2_000, 7),
]).toString('base64');

describe('the Anthropic door with limits', () => {
  let api: StandIn;
  let server: TestServer;
  const post = (body: string) =>
    fetch(`${server.running.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': server.client.token!, 'anthropic-version': '2023-06-01' },
      body,
    });

  beforeAll(async () => {
    api = await startStandIn();
    server = await startTestServer({ ANTHROPIC_BASE_URL: api.url, MAX_BODY_BYTES: '2000', MODEL_TIMEOUT_MS: '1500', GATEWAY_DURABLE: 'async' });
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  it('refuses a body over the limit, and reports an upstream that hangs or is gone', async () => {
    const large = await post(JSON.stringify(ask('x'.repeat(3_000))));
    expect([large.status, (await json(large)).error.type]).toEqual([413, 'request_too_large']);
    api.next({ kind: 'silence' });
    const silent = await post(JSON.stringify(ask('silent')));
    expect([silent.status, (await json(silent)).error.details.error_code]).toEqual([503, 'unavailable']);
    const session = silent.headers.get('x-verbatim-session');
    const { data } = (await server.client.get(`/v1/sessions/${session}/requests`)).body;
    expect(data).toMatchObject([{ status: 'failed', error: { code: 'timeout_error' } }]);
    api.next({ kind: 'stall', after: 4 });
    const stalled = await post(JSON.stringify({ ...ask('stall {{say one two three}}'), stream: true }));
    await expect(stalled.text()).rejects.toThrow();
    const whole = await post(JSON.stringify(ask('whole {{say it}}')));
    expect((await json(whole)).content).toMatchObject([{ text: 'it' }]);
    const last = whole.headers.get('x-verbatim-session')!;
    await until('the answer is recorded', async () => (await server.client.messages(last)).length === 2);
  });
});

describe('the Anthropic door without a key', () => {
  it('is answered by the offline model, streamed or not', async () => {
    const server = await startTestServer();
    const sdk = new Anthropic({ apiKey: server.client.token, baseURL: `${server.running.url}/anthropic`, maxRetries: 0 });
    expect((await sdk.messages.create(ask('{{say offline}}'))).content).toMatchObject([{ text: 'offline' }]);
    expect((await sdk.messages.stream(ask('{{say streamed}}')).finalMessage()).content).toMatchObject([{ text: 'streamed' }]);
    await expect(sdk.messages.create({ ...ask('x'), messages: [] })).rejects.toThrow(Anthropic.BadRequestError);
    const depth = 20_000;
    const nested = `{"model":"${MODEL}","max_tokens":1,"messages":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const headers = { 'x-api-key': server.client.token ?? '', 'content-type': 'application/json' };
    expect((await fetch(`${server.running.url}/anthropic/v1/messages`, { method: 'POST', headers, body: nested })).status).toBe(400);
    expect((await sdk.models.list()).data.length).toBeGreaterThan(3);
    expect((await sdk.messages.countTokens({ model: MODEL, messages: ask('x').messages })).input_tokens).toBeGreaterThan(0);
    await server.stop();
  });
});
