import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CHROMIUM, CHROMIUM_FILE, describeWith } from '../support/needs.js';
import { EventReader } from '../support/event-reader.js';
import { expectStatus } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

const ORIGIN = 'https://app.example.com';

describe('clients on another origin', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ CORS_ORIGINS: `${ORIGIN},http://localhost:1` });
  });
  afterAll(() => server.stop());

  const preflight = (origin: string) =>
    fetch(`${server.running.url}/v1/sessions`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type,idempotency-key' },
    });

  it('are admitted when CORS_ORIGINS lists their exact origin', async () => {
    const { status, headers } = await preflight(ORIGIN);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
    expect(headers.get('access-control-allow-headers')).toContain('idempotency-key');
    const answer = await server.client.get('/v1/me', { origin: ORIGIN });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('access-control-expose-headers')).toContain('etag');
    for (const other of ['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'null']) {
      expect((await preflight(other)).headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('are not admitted by default', async () => {
    const closed = await startTestServer({}, server.database, server.client.token);
    expect((await closed.client.get('/v1/me', { origin: ORIGIN })).headers.get('access-control-allow-origin')).toBeNull();
    await closed.stop();
  });
});

describe('stream tickets', () => {
  let one: TestServer;
  let other: TestServer;
  beforeAll(async () => {
    one = await startTestServer();
    other = await startTestServer({}, one.database, one.client.token);
  });
  afterAll(async () => {
    await other.stop();
    await one.stop();
  });

  const ticketFor = async (sessionId: string): Promise<string> => expectStatus(await one.client.post('/v1/stream-tickets', { sessionId }), 201).body.ticket;
  const url = (server: TestServer, sessionId: string, ticket: string) => `${server.running.url}/v1/sessions/${sessionId}/events/stream?ticket=${ticket}`;
  const statusOf = async (target: string): Promise<number> => {
    const response = await fetch(target);
    await response.body?.cancel();
    return response.status;
  };

  it('open one stream of their session, through any process', async () => {
    const id = await one.client.session();
    const ticket = await ticketFor(id);
    const stream = await EventReader.open(url(other, id, ticket), {});
    await stream.untilType('synced');
    expect(await statusOf(url(other, id, ticket))).toBe(401);
    expect(await statusOf(url(one, id, ticket))).toBe(401);
    stream.close();
  });

  it('are used once, however many requests arrive at the same time', async () => {
    const id = await one.client.session();
    const ticket = await ticketFor(id);
    const statuses = await Promise.all(Array.from({ length: 8 }, (_, index) => statusOf(url(index % 2 === 0 ? one : other, id, ticket))));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('are bound to their session and route, and expire', async () => {
    const [id, second] = [await one.client.session(), await one.client.session()];
    expect(await statusOf(url(one, second, await ticketFor(id)))).toBe(401);
    expect(await statusOf(`${one.running.url}/v1/sessions/${id}?ticket=${await ticketFor(id)}`)).toBe(401);
    const short = await startTestServer({ STREAM_TICKET_SECONDS: '1' }, one.database, one.client.token);
    const { body } = expectStatus(await short.client.post('/v1/stream-tickets', { sessionId: id }), 201);
    expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(1_000);
    while (Date.now() <= Date.parse(body.expiresAt)) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await statusOf(url(short, id, body.ticket))).toBe(401);
    await short.stop();
  });

  it('are not created for a session that the caller cannot access', async () => {
    const outsider = await one.tenant('another tenant');
    const { status, body } = await outsider.post('/v1/stream-tickets', { sessionId: await one.client.session() });
    expect([status, body.code]).toEqual([404, 'session_not_found']);
  });
});

/** Runs in the page: everything a chat application does, from another origin. */
const PAGE = `<!doctype html><script type="module">
const { api, token } = Object.fromEntries(new URLSearchParams(location.search));
const call = async (method, path, body) => {
  const response = await fetch(api + path, { method, headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json(), version: response.headers.get('etag') };
};
const report = (result) => fetch('/result', { method: 'POST', body: JSON.stringify(result) });
try {
  const session = await call('POST', '/v1/sessions', {});
  const id = session.body.id;
  const ticket = await call('POST', '/v1/stream-tickets', { sessionId: id });
  const source = new EventSource(api + '/v1/sessions/' + id + '/events/stream?ticket=' + ticket.body.ticket);
  const seen = [];
  for (const type of ['session.created', 'synced', 'message.appended', 'message.delta']) source.addEventListener(type, () => seen.push(type));
  const completed = new Promise((resolve, reject) => { source.addEventListener('turn.completed', resolve); source.onerror = () => reject(new Error('the stream failed')); });
  await new Promise((resolve) => source.addEventListener('synced', resolve)); // a turn that ends before has no deltas for it
  const prompt = await call('POST', '/v1/sessions/' + id + '/prompts', { input: '{{say hello}}' });
  await completed;
  source.close();
  const reader = await fetch(api + '/v1/sessions/' + id + '/events/stream', { headers: { authorization: 'Bearer ' + token, 'last-event-id': '1' } });
  const chunk = await reader.body.getReader().read();
  await report({ statuses: [session.status, ticket.status, prompt.status, reader.status], version: session.version, types: [...new Set(seen)].sort(), streamed: !chunk.done });
} catch (error) { await report({ error: String(error) }); }
</script>`;

describeWith(CHROMIUM)('a page of another origin in Chromium', () => {
  let pages: Server;
  let server: TestServer;
  let browser: ChildProcess | undefined;
  let profile: string;
  let result: Promise<unknown>;

  beforeAll(async () => {
    let resolve: (value: unknown) => void = () => {};
    result = new Promise((done) => (resolve = done));
    pages = createServer((request, response) => {
      if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(PAGE);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        resolve(JSON.parse(Buffer.concat(chunks).toString()));
        response.end();
      });
    });
    await new Promise<void>((listening) => pages.listen(0, '127.0.0.1', listening));
    profile = await mkdtemp(path.join(tmpdir(), 'verbatim-chromium-'));
    server = await startTestServer({ CORS_ORIGINS: `http://127.0.0.1:${(pages.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    const ended = browser && browser.exitCode === null ? new Promise((done) => browser?.once('exit', done)) : undefined;
    browser?.kill('SIGKILL');
    await ended;
    pages.closeAllConnections();
    await new Promise((closed) => pages.close(closed));
    await server.stop();
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  });

  it('creates a session, submits a prompt, and reads the stream with EventSource and with fetch', async () => {
    const query = new URLSearchParams({ api: server.running.url, token: server.client.token ?? '' }).toString();
    const target = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/?${query}`;
    browser = spawn(
      CHROMIUM_FILE!,
      ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', `--user-data-dir=${profile}`, target],
      {
        stdio: 'ignore',
      },
    );
    expect(await result).toEqual({
      statuses: [201, 201, 202, 200],
      version: '"1"',
      types: ['message.appended', 'message.delta', 'session.created', 'synced'],
      streamed: true,
    });
  });
});
