import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { Client, expectStatus, type UnknownObject } from '../support/client.js';
import { ROUTES } from '../support/documented.js';
import { runs } from '../support/property-runs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const START = frame({ type: 'message_start', message: { role: 'assistant', content: [], usage: { input_tokens: 1 } } });
const WHOLE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [], stop_reason: null, usage: { input_tokens: 1 } };
const BEGIN = frame({ type: 'message_start', message: WHOLE });
const TEXT = frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'hello' } });
const END = frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }) + frame({ type: 'message_stop' });
const STREAM = { 'content-type': 'text/event-stream' };

const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1.5, 1e300, '', null) },
);
const either = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.oneof({ weight: 2, arbitrary: right }, { weight: 1, arbitrary: anything });
/** Of a type that the API has, with the members that it documents, or of a type that is not known. */
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string() }),
  fc.record({ type: fc.constant('tool_use'), id: fc.uuid(), name: fc.string({ minLength: 1 }), input: fc.dictionary(fc.string(), anything, { maxKeys: 2 }) }),
  fc.record({ type: fc.constant('other_block'), text: anything, id: anything, content: anything }),
);
const KNOWN_TYPES = [
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'server_tool_use',
  'mcp_tool_use',
  'tool_result',
  'web_search_tool_result',
  'image',
  'document',
  'compaction',
];
/** Of a type that the API has, with any members. */
const wrongBlock = fc.record(
  {
    type: fc.constantFrom(...KNOWN_TYPES),
    text: either(fc.string()),
    thinking: anything,
    id: anything,
    name: anything,
    input: anything,
    tool_use_id: anything,
    content: anything,
    source: anything,
  },
  { requiredKeys: ['type'] },
);
const count = either(fc.nat());
const usage = either(
  fc.record(
    { input_tokens: count, output_tokens: count, cache_creation_input_tokens: count, cache_read_input_tokens: count, cache_creation: anything },
    { requiredKeys: [] },
  ),
);
/** An answer as proxies may make it: members are missing, or of another kind. */
const answerOf = (content: fc.Arbitrary<unknown>): fc.Arbitrary<UnknownObject> =>
  fc.record(
    {
      ...{ id: either(fc.uuid()), type: either(fc.constant('message')), role: fc.constant('assistant'), model: either(fc.constant('claude-opus-4-5')) },
      ...{
        content: fc.array(content, { maxLength: 3 }),
        stop_reason: either(fc.constantFrom('end_turn', 'tool_use', 'refusal')),
        stop_details: anything,
        usage,
      },
      ...{ diagnostics: either(fc.record({ cache_miss_reason: anything })), input_transformations: either(fc.array(anything)) },
      ...{ unparsed_input: anything, input_texts: anything, unreadable: anything, uuid: anything, erased: anything },
    },
    { requiredKeys: ['role', 'content'] },
  );

const asStream = ({ content, stop_reason, usage: counts, ...message }: UnknownObject): string =>
  [
    { type: 'message_start', message: { ...message, usage: counts } },
    ...(content as readonly unknown[]).map((content_block, index) => ({ type: 'content_block_start', index, content_block })),
    { type: 'message_delta', delta: { stop_reason }, usage: counts },
    { type: 'message_stop' },
  ]
    .map(frame)
    .join('');

/** An answer that never ends. */
function endless(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, STREAM);
  const more = (): void => {
    if (response.destroyed) return;
    if (response.write(': '.padEnd(100_000) + '\n\n')) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

/** Every read of a session, and of a request of it. */
const readsOf = (session: string, request: string): readonly string[] =>
  ROUTES.filter(({ method, path }) => method === 'GET' && path.startsWith('/v1/sessions/:id') && !path.endsWith('/stream'))
    .map(({ path }) => path.replace(':id', session).replace(':requestId', request))
    .filter((path) => !path.includes(':'));

describe('the Anthropic door with an upstream that breaks its protocol', () => {
  let upstream: http.Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let server: TestServer;
  let folder: string;

  beforeAll(async () => {
    upstream = http.createServer((request, response) => {
      request.resume().once('end', () => answer(request, response));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-hostile-'));
    const { port } = upstream.address() as AddressInfo;
    server = await startTestServer({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, DATA_DIR: folder, SHUTDOWN_GRACE_MS: '500' });
  });
  afterAll(async () => {
    await server.stop();
    upstream.closeAllConnections();
    upstream.close();
    await rm(folder, { recursive: true });
  });

  /** The response, its bytes not decoded. */
  const sent = (text: string, to = server): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': server.client.token! };
      const request = http.request(`${to.running.url}/anthropic/v1/messages`, { method: 'POST', headers, agent: false }, resolve);
      request.on('error', reject);
      request.end(JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, stream: true, messages: [{ role: 'user', content: text }] }));
    });
  const bytesOf = async (response: IncomingMessage): Promise<Buffer> => Buffer.concat(await response.toArray());
  const requestOf = async ({ headers }: IncomingMessage): Promise<UnknownObject> =>
    (await server.client.get(`/v1/sessions/${headers['x-verbatim-session']}/requests/${headers['x-verbatim-request']}`)).body;

  it.each([
    ['an event that is null', { 'content-encoding': 'gzip' }, gzipSync('data: null\n\n'), 'failed'],
    ['an event that is null among others', {}, Buffer.from(`${START}data: null\n\n${TEXT}data: 1\n\n${END}`), 'completed'],
    ['bytes that are not gzip', { 'content-encoding': 'gzip' }, Buffer.from(START + TEXT + END), 'failed'],
    ['deflate without a header', { 'content-encoding': 'deflate' }, deflateRawSync(START + TEXT + END), 'failed'],
    ['zeros after the gzip member', { 'content-encoding': 'gzip' }, Buffer.concat([gzipSync(START + TEXT + END), Buffer.alloc(9)]), 'completed'],
    ['bytes after the gzip member', { 'content-encoding': 'gzip' }, Buffer.concat([gzipSync(START + TEXT + END), Buffer.alloc(9, 'x')]), 'failed'],
    ['lines that end with CRLF', {}, Buffer.from((START + TEXT + END).replaceAll('\n', '\r\n')), 'completed'],
    ['content that is no block', {}, Buffer.from(START + frame({ type: 'content_block_start', index: 0, content_block: {} }) + END), 'failed'],
    ['a long event in small pieces', {}, Buffer.from(START + TEXT + frame({ type: 'ping', x: 'x'.repeat(3_000_000) }) + END), 'completed'],
  ])('passes %s on as it came', async (_name, headers, bytes, status) => {
    answer = (_request, response) => {
      response.writeHead(200, { ...STREAM, ...headers });
      const half = Math.floor(bytes.length / 2);
      response.write(bytes.subarray(0, half));
      setImmediate(() => response.end(bytes.subarray(half)));
    };
    const response = await sent(`${_name}`);
    expect((await bytesOf(response)).equals(bytes)).toBe(true);
    expect(await requestOf(response)).toMatchObject({ status });
    expect(await readdir(path.join(folder, 'gateway'))).toEqual([]);
  });

  it('sends a request again whose kept connection is closed when it is used again, and none on a new one', async () => {
    const [used, seen] = [new Set<unknown>(), [] as boolean[]];
    answer = ({ socket }, response) => {
      seen.push(used.has(socket));
      if (used.has(socket)) return void socket.destroy();
      used.add(socket);
      response.writeHead(200, STREAM).end(BEGIN + TEXT + END);
    };
    for (const text of ['kept one', 'kept two']) {
      const response = await sent(text);
      expect([response.statusCode, (await bytesOf(response)).toString()]).toEqual([200, BEGIN + TEXT + END]);
    }
    expect(seen.slice(-2)).toEqual([true, false]);
    seen.length = 0;
    answer = ({ socket }) => {
      seen.push(used.has(socket));
      socket.destroy();
    };
    expect((await sent('kept three')).statusCode).toBe(503);
    expect(seen.at(-1)).toBe(false);
    expect(seen.filter((isUsed) => !isUsed)).toHaveLength(1);
  });

  const answered = async (text: string, isStream: boolean): Promise<{ readonly session: string; readonly request: string }> => {
    answer = (_request, response) => void response.writeHead(200, isStream ? STREAM : { 'content-type': 'application/json' }).end(text);
    const response = await sent('anything');
    expect((await bytesOf(response)).toString()).toBe(text);
    const { 'x-verbatim-session': session, 'x-verbatim-request': request } = response.headers;
    return { session: session as string, request: request as string };
  };

  it('has any answer in a form that all routes document, and calls a request with it completed only when it has a message', async () => {
    const given = fc.oneof({ weight: 3, arbitrary: answerOf(block) }, { weight: 1, arbitrary: answerOf(fc.oneof(block, anything)) });
    await fc.assert(
      fc.asyncProperty(given, fc.boolean(), async (message, isStream) => {
        const { session, request } = await answered(isStream ? asStream(message) : JSON.stringify(message), isStream);
        for (const path of readsOf(session, request)) expect([path, (await server.client.get(path)).status < 500]).toEqual([path, true]);
        const { status, stopReason } = expectStatus(await server.client.get(`/v1/sessions/${session}/requests/${request}`), 200).body;
        const { stop_reason: reason, content } = message as { readonly stop_reason?: unknown; readonly content: readonly UnknownObject[] };
        const isReadable = content.every((one) => typeof one === 'object' && one !== null && typeof one['type'] === 'string');
        if (isReadable) expect([status, stopReason]).toEqual(['completed', typeof reason === 'string' ? reason : null]);
        const { data } = expectStatus(await server.client.get(`/v1/sessions/${session}/messages`), 200).body;
        if (status === 'completed') expect(data.at(-1).message?.content ?? []).toEqual(JSON.parse(JSON.stringify(content)));
      }),
      runs(25),
    );
  }, 120_000);

  it('answers each read after any answer, whatever its blocks are', async () => {
    const plain = new Client(server.client.baseUrl, server.client.token);
    const given = fc.oneof({ weight: 3, arbitrary: answerOf(wrongBlock) }, { weight: 1, arbitrary: anything as fc.Arbitrary<UnknownObject> });
    await fc.assert(
      fc.asyncProperty(given, fc.boolean(), async (message, streams) => {
        const isStream = streams && Array.isArray(message?.['content']);
        const { session, request } = await answered(isStream ? asStream(message) : JSON.stringify(message), isStream);
        for (const path of readsOf(session, request)) expect([path, (await plain.get(path)).status < 500]).toEqual([path, true]);
        expect(expectStatus(await server.client.get(`/v1/sessions/${session}/requests/${request}`), 200).body.status).not.toBe('open');
      }),
      runs(25),
    );
  }, 120_000);

  it.each([
    ['longer', 1_000],
    ['shorter', -10],
  ])('records an answer whose length is said to be %s than it is, as far as it came', async (_name, by) => {
    const bytes = Buffer.from(BEGIN + TEXT + END);
    answer = (_request, response) => {
      // Written past node:http, which would not lie.
      response.socket!.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${bytes.length + by}\r\n\r\n`);
      response.socket!.write(bytes.subarray(0, -1)); // the last event is not whole
      response.socket!.end();
    };
    const response = await sent(`length ${_name}`);
    const received = await bytesOf(response).catch(() => null);
    expect(received?.equals(bytes.subarray(0, bytes.length + by)) ?? null).toBe(by > 0 ? null : true);
    const session = response.headers['x-verbatim-session'];
    await until('what came is recorded', async () => (await server.client.messages(session as string)).length === 2);
    expect(await requestOf(response)).toMatchObject({ status: 'failed', error: { code: 'stream_cut' } });
    expect(await readdir(path.join(folder, 'gateway'))).toEqual([]);
  });

  it('records nothing of a body that ends in its middle, and knows no other methods', async () => {
    let asked = 0;
    answer = (_request, response) => {
      asked += 1;
      response.writeHead(200, STREAM).end(BEGIN + TEXT + END);
    };
    const count = async (): Promise<number> => (await server.client.get('/v1/sessions?limit=100')).body.data.length;
    const before = await count();
    const headers = { 'content-type': 'application/json', 'x-api-key': server.client.token!, 'content-length': '1000' };
    const half = http.request(`${server.running.url}/anthropic/v1/messages`, { method: 'POST', headers, agent: false });
    const ended = new Promise((resolve) => half.once('close', resolve).once('error', resolve));
    await new Promise<void>((resolve) => half.write('{"model":"claude-opus-4-5","messages":[{"role":"user","content":"ha', () => resolve()));
    half.destroy();
    await ended;
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${server.running.url}/anthropic/v1/messages`, { method, headers: { 'x-api-key': server.client.token! } });
      expect([method, response.status >= 400 || method === 'OPTIONS']).toEqual([method, true]);
      expect((await response.text()).includes('    at ')).toBe(false);
    }
    const whole = await sent('after half a body');
    await bytesOf(whole);
    expect([asked, await count()]).toEqual([1, before + 1]);
  });

  it('records a request of ten thousand messages, and of the next one only what is new', async () => {
    answer = (_request, response) => void response.writeHead(200, STREAM).end(BEGIN + TEXT + END);
    const messages: object[] = Array.from({ length: 9_999 }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: `message ${index}` }));
    const post = async (): Promise<Response> =>
      fetch(`${server.running.url}/anthropic/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': server.client.token!, 'x-claude-code-session-id': 'ten thousand' },
        body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, stream: true, messages }),
      });
    const placeOf = ({ headers }: Response) => [headers.get('x-verbatim-session'), headers.get('x-verbatim-request')] as const;
    const first = await post();
    expect([first.status, await first.text()]).toEqual([200, BEGIN + TEXT + END]);
    messages.push({ role: 'assistant', content: 'hello' }, { role: 'user', content: 'and then?' });
    const second = await post();
    await second.text();
    const [session, request] = placeOf(second);
    expect(session).toBe(placeOf(first)[0]);
    const record = (await server.client.get(`/v1/sessions/${session}/requests/${request}`)).body;
    expect(record).toMatchObject({ verified: true, status: 'completed' });
    const { data } = (await server.client.get(`/v1/sessions/${session}/events?after=${record.seq - 1}&limit=1`)).body;
    expect(JSON.stringify(data[0].data.body.exact).length).toBeLessThan(1_000);
  });

  it('answers when the upstream changes the protocol', async () => {
    answer = (request) => void request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
    const response = await sent('upgrade');
    expect(response.statusCode).toBe(503);
    response.resume();
    expect(await requestOf(response)).toMatchObject({ status: 'failed', error: { code: 'connection_error' } });
  });

  it('gives the last event of an answer whose session is erased while it streams', async () => {
    let finish = (): void => undefined;
    answer = (_request, response) => {
      response.writeHead(200, STREAM).write(START + TEXT);
      finish = () => void response.end(END);
    };
    const response = await sent('erased');
    const session = response.headers['x-verbatim-session'];
    expect((await server.client.call('DELETE', `/v1/sessions/${session}`)).status).toBeLessThan(300);
    finish();
    expect((await bytesOf(response)).toString()).toBe(START + TEXT + END);
    await until('nothing is left in files', async () => (await readdir(path.join(folder, 'gateway'))).length === 0);
  });

  it('says of an answer that the client does not read that the client did not', async () => {
    const impatient = await startTestServer(
      {
        ANTHROPIC_API_KEY: 'key',
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
        DATA_DIR: folder,
        MODEL_TIMEOUT_MS: '1000',
      },
      server.database,
      server.client.token,
    );
    answer = endless;
    const unread = await sent('unread for long', impatient);
    unread.on('error', () => undefined);
    await until('the request has failed', async () => (await requestOf(unread)).status === 'failed');
    expect((await requestOf(unread)).error).toMatchObject({ code: 'client_disconnected', message: expect.stringContaining('read nothing') });
    await impatient.stop();
  });

  it('stops with an answer under way that nobody reads, and one that does not come', async () => {
    answer = endless;
    const unread = await sent('unread');
    unread.on('error', () => undefined);
    answer = (_request, response) => void response.writeHead(200, STREAM).write(START);
    const silent = await sent('silent');
    silent.on('error', () => undefined).resume();
    await server.running.stop();
    expect(silent.destroyed).toBe(true);
  });
});
