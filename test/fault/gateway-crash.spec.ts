import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ServerProcess } from '../support/process.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

const WHOLE = {
  ...{ id: 'msg_whole', type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [{ type: 'text', text: 'whole' }] },
  ...{ stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 2 } },
};
const STREAM = [
  { type: 'message_start', message: { ...WHOLE, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'whole' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
].map((event) => `data: ${JSON.stringify(event)}\n\n`);
const EMPTY_TEXT = 'messages: text content blocks must be non-empty';
const REFUSAL = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: EMPTY_TEXT, details: { error_code: 'a_code' } } });

describe('kill -9 while the Anthropic door passes an answer on', () => {
  let database: TestDatabase;
  let api: StandIn;
  let token: string;
  let folder: string;
  const running = new Set<ServerProcess>();

  const start = async (more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> => {
    const server = await ServerProcess.start({ LOG_LEVEL: 'warn', DATABASE_URL: database.ownerUrl, ANTHROPIC_BASE_URL: api.url, DATA_DIR: folder, ...more });
    running.add(server);
    return server;
  };
  const ask = (server: ServerProcess, text: string): Promise<Response> =>
    fetch(`${server.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, stream: true, messages: [{ role: 'user', content: text }] }),
    });
  /** The texts of the answer in what came of a stream. */
  const textIn = (stream: string): string => [...stream.matchAll(/"type":"text_delta","text":"([^"]*)"/g)].map(([, text]) => text).join('');

  beforeAll(async () => {
    database = await freshDatabase();
    api = await startStandIn();
    token = await makeTenant(database.appUrl, 'gateway');
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-gateway-'));
  });
  afterEach(async () => {
    await Promise.all([...running].map((server) => server.kill()));
    running.clear();
  });
  afterAll(async () => {
    await api.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  it.each([4, 6, 8])('after %i events: what was delivered is recorded after a restart, once', async (events) => {
    const first = await start();
    const { fault, release } = held(events);
    api.next(fault);
    const response = await ask(first, `{{say one two three four five six seven}} ${events}`);
    const session = response.headers.get('x-verbatim-session')!;
    const decoder = new TextDecoder();
    let received = '';
    const reader = response.body!.getReader();
    while ([...received.matchAll(/\n\n/g)].length < events) received += decoder.decode((await reader.read()).value, { stream: true });
    await first.kill();
    release();
    await reader.read().catch(() => undefined);

    const client = (await start()).client(token);
    await until('what was delivered is in the log', async () => (await client.messages(session)).length === 2);
    const [, answer] = await client.messages(session);
    expect(answer.message.content).toEqual(textIn(received) === '' ? [{ type: 'text', text: '' }] : [{ type: 'text', text: textIn(received) }]);
    expect(answer.message.stop_reason).toBe(null);
    const { data } = (await client.get(`/v1/sessions/${session}/requests`)).body;
    expect(data).toMatchObject([{ status: 'failed', error: { code: 'stream_cut' }, usage: { input_tokens: expect.any(Number) } }]);
    await until('nothing is left of it in files', async () => (await readdir(path.join(folder, 'gateway'))).length === 0);
  });

  it('at 200 random bytes of as many streams at once: each has in the log the events that were delivered whole, once', async () => {
    const events = (text: string): readonly object[] => [
      {
        type: 'message_start',
        message: { id: `msg_${text}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [], usage: { input_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...[...text, ...'größer 🧵 als vorher'].map((piece) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    ];
    const frames = (text: string): readonly string[] => events(text).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const upstream = createServer((request, response) => {
      void (async () => {
        const { messages } = (await json(request)) as { messages: readonly { content: string }[] };
        const [text = '', bytes = '0'] = messages[0]!.content.split(' ');
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.flushHeaders();
        response.write(Buffer.from(frames(text).join('')).subarray(0, Number(bytes)));
      })();
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const environment = { LOG_LEVEL: 'warn', DATABASE_URL: database.ownerUrl, ANTHROPIC_BASE_URL: url, DATA_DIR: folder, REQUESTS_PER_MINUTE: '100000' };
    const first = await ServerProcess.start(environment);
    running.add(first);
    const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31);
    const places = fc.sample(
      fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 }), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        numRuns: 200,
        seed,
      },
    );
    const streams = await Promise.all(
      places.map(async ([name, share], index) => {
        const text = `${index}${name}`;
        const all = Buffer.from(frames(text).join(''));
        const bytes = Math.floor(share * all.length);
        const response = await ask(first, `${text} ${bytes}`);
        const reader = response.body!.getReader();
        let received = 0;
        while (received < bytes) received += (await reader.read()).value!.length;
        return { text, delivered: all.subarray(0, bytes).toString(), reader, session: response.headers.get('x-verbatim-session')! };
      }),
    );
    await first.kill();
    await Promise.all(streams.map(({ reader }) => reader.read().catch(() => undefined)));
    upstream.closeAllConnections();
    upstream.close();

    const client = (await start()).client(token);
    await until('nothing is left of them in files', async () => (await readdir(path.join(folder, 'gateway'))).length === 0);
    for (const { text, delivered, session } of streams) {
      const messages = await client.messages(session);
      const whole = delivered.slice(0, delivered.lastIndexOf('\n\n') + 2);
      const said = { seed, text, content: messages.slice(1).map(({ message }) => message.content[0].text) };
      expect(said).toEqual({ seed, text, content: whole.includes('content_block_start') ? [textIn(whole)] : [] });
      const { data } = (await client.get(`/v1/sessions/${session}/requests`)).body;
      expect(data).toMatchObject([{ status: 'failed' }]);
    }
  });

  it('before the model API answers: the request is in the log, and says after a restart that it failed', async () => {
    const first = await start();
    api.next({ kind: 'silence' });
    const before = api.received.length;
    const answer = ask(first, 'is there anybody?').catch(() => null);
    await until('the request has gone out', async () => api.received.length > before);
    await first.kill();
    await answer;
    const client = (await start()).client(token);
    const { data } = (await client.get('/v1/sessions?limit=1')).body;
    const requests = (await client.get(`/v1/sessions/${data[0].id}/requests`)).body.data;
    expect(requests).toMatchObject([{ status: 'failed', error: { code: 'connection_error' } }]);
  });

  it.each([
    ['a stream', 'text/event-stream', 200, STREAM.join(''), { status: 'completed', usage: WHOLE.usage }],
    ['an answer that is not streamed', 'application/json', 200, JSON.stringify(WHOLE), { status: 'completed', usage: WHOLE.usage }],
    ['a refusal', 'application/json', 400, REFUSAL, { status: 'failed', error: { status: 400, message: EMPTY_TEXT, errorCode: 'a_code' } }],
  ])('without a database at the end of %s: it is recorded after a restart, once', async (name, contentType, status, text, expected) => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    const upstream = createServer((request, response) => {
      asked += 1;
      void released.then(() => response.writeHead(status, { 'content-type': contentType }).end(text));
      request.resume();
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const proxy = await FaultProxy.start(database.ownerUrl);
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const first = await start({ ANTHROPIC_BASE_URL: url, DATABASE_URL: proxy.url(database.ownerUrl) });
    const answer = ask(first, `no database at the end of ${name}`)
      .then((response) => response.text())
      .catch(() => null);
    await until('the request has gone out', async () => asked === 1);
    await proxy.refuse();
    release();
    const spool = path.join(folder, 'gateway');
    await until('what came is in a file', async () => {
      const [file] = await readdir(spool);
      return (await readFile(path.join(spool, file!), 'utf8')).endsWith(text);
    });
    await first.kill();
    await answer;
    await proxy.close();
    upstream.closeAllConnections();
    upstream.close();

    const client = (await start()).client(token);
    await until('nothing is left of it in files', async () => (await readdir(spool)).length === 0);
    const [{ id }] = (await client.get('/v1/sessions?limit=1')).body.data;
    expect((await client.get(`/v1/sessions/${id}/requests`)).body.data).toMatchObject([expected]);
    const [, ...answers] = await client.messages(id);
    expect(answers.map(({ message }) => [message.content, message.stop_reason])).toEqual(status === 200 ? [[WHOLE.content, 'end_turn']] : []);
  });

  it('after a refusal and before the repaired request is answered: both are in the log, each with what came of it', async () => {
    const first = await start();
    const before = api.received.length;
    api.next({ kind: 'error-response', status: 400, message: EMPTY_TEXT, details: { error_code: 'a_code' } }, { kind: 'silence' });
    const messages = [
      { role: 'user', content: 'refused' },
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
      { role: 'user', content: 'ok?' },
    ];
    const answer = fetch(`${first.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, messages }),
    }).catch(() => null);
    await until('the repaired request has gone out', async () => api.received.length === before + 2);
    await first.kill();
    await answer;
    const client = (await start()).client(token);
    const [{ id }] = (await client.get('/v1/sessions?limit=1')).body.data;
    const requests = async () => (await client.get(`/v1/sessions/${id}/requests`)).body.data;
    await until('nothing is left of it in files', async () => (await readdir(path.join(folder, 'gateway'))).length === 0);
    const [refused, repaired] = await requests();
    expect(refused).toMatchObject({ status: 'failed', error: { status: 400, message: EMPTY_TEXT, errorCode: 'a_code' } });
    expect(repaired).toMatchObject({ status: 'failed', error: { code: 'connection_error' }, repair: { of: refused.requestId } });
  });

  it('between the requests of a message thread: the next process continues its answers, also the one that was cut', async () => {
    const post = async (server: ServerProcess, body: object): Promise<Response> =>
      fetch(`${server.url}/anthropic/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': token, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, ...body }),
      });
    const next = (previous: string, content: string) => ({
      messages: [{ role: 'user', content }],
      thread: { type: 'continue', previous_message_id: previous },
    });
    const first = await start();
    const begun = await post(first, { messages: [{ role: 'user', content: '{{say begun}}' }], thread: { type: 'create' } });
    const { id } = (await begun.json()) as { id: string };
    const { fault, release } = held(4);
    api.next(fault);
    const cut = await post(first, { ...next(id, '{{say one two three}}'), stream: true });
    const reader = cut.body!.getReader();
    let received = '';
    while ([...received.matchAll(/\n\n/g)].length < 4) received += new TextDecoder().decode((await reader.read()).value);
    await first.kill();
    release();
    await reader.read().catch(() => undefined);
    const cutId = /"id":"(msg_[^"]+)"/.exec(received)![1]!;

    const second = await start();
    const branch = await post(second, next(id, '{{say another}}'));
    expect([branch.status, await branch.json()]).toEqual([200, expect.objectContaining({ content: [{ type: 'text', text: 'another' }] })]);
    await until('the answer that was cut can be continued', async () => (await post(second, next(cutId, '{{say further}}'))).status === 200);
    const { messages } = JSON.parse(api.received.at(-1)!.body) as { messages: readonly { content: unknown }[] };
    expect(messages.map(({ content }) => content)).toEqual([
      '{{say begun}}',
      [{ type: 'text', text: 'begun' }],
      '{{say one two three}}',
      [{ type: 'text', text: textIn(received) }],
      '{{say further}}',
    ]);
    const session = begun.headers.get('x-verbatim-session')!;
    expect((await second.client(token).get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
  });
});
