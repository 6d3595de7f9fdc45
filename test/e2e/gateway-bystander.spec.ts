import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const frame = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const START =
  frame({
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [], stop_reason: null, usage: { input_tokens: 1 } },
  } as { type: string }) + frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as { type: string });
const piece = (text: string): string => frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as { type: string });
const END = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]
  .map(frame)
  .join('');

/** How the upstream treats a request that says so. */
const TREATMENTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  hang: () => undefined,
  'hang in the middle': (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(START),
  cut: (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(START, () => response.destroy()),
  'close without an answer': (response) => void response.destroy(),
  'lie about the length': (response) =>
    void response.socket!.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99999\r\n\r\n${START}`),
  HTML: (response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  'no HTTP': (response) => void response.socket!.end('hello\r\n\r\n'),
};

describe('what a tenant and the upstream do at the Anthropic door', () => {
  let upstream: http.Server;
  let server: TestServer;
  let other: Client;
  /** Answers of the bystander that are not over. */
  const streaming = new Set<ServerResponse>();

  beforeAll(async () => {
    upstream = http.createServer((request, response) => {
      void request.toArray().then(
        (parts) => {
          const text = Buffer.concat(parts).toString();
          const treatment = Object.keys(TREATMENTS).find((name) => text.includes(`"${name}"`));
          if (treatment !== undefined) return TREATMENTS[treatment]!(response);
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(START);
          if (text.includes('bystander')) streaming.add(response);
          else response.end(piece('well') + END);
        },
        () => undefined,
      );
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    server = await startTestServer({
      ...{ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, MODEL_PROVIDER: 'anthropic', MAX_BODY_BYTES: '4000000' },
      MODEL_TIMEOUT_MS: '300000',
    });
    other = await server.tenant('other');
  });
  afterAll(async () => {
    upstream.closeAllConnections();
    await server.stop();
    upstream.close();
  });

  /** Of clients that leave in the end. */
  const open = new Set<http.ClientRequest>();
  const sent = ({ token }: Client, body: string, headers: Readonly<Record<string, string>> = {}, method = 'POST'): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const all = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-api-key': token!, ...headers };
      const request = http.request(`${server.running.url}/anthropic/v1/messages`, { method, headers: all, agent: false }, resolve);
      request.on('response', (response) => response.on('error', () => undefined)).on('error', reject);
      request.end(body);
      open.add(request);
    });
  const requestsOf = async (client: Client): Promise<readonly UnknownObject[]> => {
    const { data } = expectStatus(await client.get('/v1/sessions?limit=100'), 200).body;
    const lists = await Promise.all(data.map(({ id }: UnknownObject) => client.get(`/v1/sessions/${id}/requests`)));
    return lists.flatMap(({ body }) => body.data);
  };
  const asking = (content: string, messages: readonly object[] = []): string =>
    JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 100, stream: true, messages: [...messages, { role: 'user', content }] });
  const textOf = async (response: IncomingMessage): Promise<string> => Buffer.concat(await response.toArray()).toString();

  it('is not noticed by the turns of another tenant, and each of it is named and recorded', async () => {
    const hostile = server.client;
    const session = await other.session();
    const turn = expectStatus(await other.prompt(session, 'bystander of the session'), 202).body['turnId'] as string;
    const passed = await sent(other, asking('bystander of the door'));
    const name = passed.headers['x-verbatim-session'] as string;
    const received = textOf(passed);
    await until('both answers stream', async () => streaming.size === 2);

    /** The bystander's answers go on, and its reads are answered. */
    let said = '';
    const goOn = async (text: string): Promise<void> => {
      said += text;
      for (const response of streaming) response.write(piece(text));
      for (const path of [`/v1/sessions/${session}`, `/v1/sessions/${name}/messages`, '/v1/sessions']) expectStatus(await other.get(path), 200);
    };
    await goOn('It ');

    for (const treatment of Object.keys(TREATMENTS)) {
      const answered = sent(hostile, asking(treatment)).then(
        () => true,
        () => true,
      );
      const isRecorded = async (): Promise<boolean> => (await requestsOf(hostile)).some(({ status }) => status === 'open');
      if (treatment === 'hang') await until('it is recorded', isRecorded);
      else await answered;
      await goOn('reads ');
    }
    const many = Array.from({ length: 10_000 }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: `message ${index}` }));
    const statuses: unknown[] = [];
    for (const request of [
      () => sent(hostile, 'not JSON'), // this upstream answers it, which cannot be recorded
      () => sent(hostile, '{"messages":{}}'),
      () => sent(hostile, 'x'.repeat(4_000_001)),
      () => sent(hostile, asking('well?', many)),
      () => sent(hostile, asking('mine?'), { 'x-claude-code-session-id': name }),
      () => sent(hostile, '', {}, 'BREW'),
      () => sent(server.client.as('not a token'), asking('who?')),
    ]) {
      statuses.push((await request()).statusCode);
      await goOn('all ');
    }
    expect(statuses).toEqual([400, 400, 413, 200, 200, 400, 401]);
    const half = http.request(`${server.running.url}/anthropic/v1/messages`, {
      ...{ method: 'POST', agent: false, headers: { 'content-type': 'application/json', 'content-length': '1000', 'x-api-key': hostile.token! } },
    });
    half.on('error', () => undefined);
    await new Promise<void>((resolve) => half.write('{"model":"claude', () => resolve()));
    half.destroy();
    await goOn('of it.');

    for (const response of streaming) response.end(END);
    const settled = await other.settled(session, turn);
    const whole = await received;
    expect(settled).toMatchObject({ status: 'completed' });
    expect([...whole.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, text]) => text).join('')).toBe(said);
    for (const id of [session, name]) {
      const answers = (await other.messages(id)).filter(({ type }) => type === 'assistant');
      expect(answers.map(({ message }) => message.content)).toEqual([[expect.objectContaining({ type: 'text', text: said })]]);
      expect((await other.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    }
    expect((await other.get('/v1/sessions')).body.data).toHaveLength(2);
    for (const request of open) request.on('error', () => undefined).destroy();
    await until('what was sent is recorded', async () => {
      const requests = await requestsOf(hostile);
      return requests.length === Object.keys(TREATMENTS).length + 2 && requests.every(({ status }) => status !== 'open');
    });
    const failed = (await requestsOf(hostile)).filter(({ status }) => status === 'failed');
    const codes = { api_error: 1, client_disconnected: 2, connection_error: 2, stream_cut: 2 }; // HTML; both that hang; no answer and no HTTP; the cut and the wrong length
    expect(failed.map(({ error }) => error.code).toSorted()).toEqual(Object.entries(codes).flatMap(([code, count]) => Array<string>(count).fill(code)));
  });
});
