import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';

const MODEL = 'claude-opus-4-5';
const ASKED = JSON.stringify({ model: MODEL, max_tokens: 100, messages: [{ role: 'user', content: '{{say one}}' }] });

let api: StandIn;
let server: TestServer;
let open: TestServer;

beforeAll(async () => {
  api = await startStandIn();
  server = await startTestServer({ ANTHROPIC_BASE_URL: `${api.url}/anthropic-prod` });
  open = await startTestServer({ ANTHROPIC_BASE_URL: api.url, GATEWAY_OTHER_ROUTES: 'on' });
});
afterAll(async () => {
  await server.stop();
  await open.stop();
  await api.close();
});

interface Answer {
  readonly status: number;
  readonly body: UnknownObject;
}

/** With the target as it is written. */
function send(method: string, target: string, body: string | Buffer | null, { token }: Client = server.client, to = server): Promise<Answer> {
  const { port } = new URL(to.running.url);
  return new Promise((resolve, reject) => {
    const headers = {
      'x-api-key': token ?? '',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body ?? ''),
    };
    const request = http.request({ host: '127.0.0.1', port, method, path: target, headers }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as UnknownObject }));
    });
    request.on('error', reject);
    request.end(body ?? undefined);
  });
}

describe('what the Anthropic door passes on', () => {
  it.each([
    ['POST', '/anthropic/v1/models/..%2Fmessages'],
    ['POST', '/anthropic/v1/models/..%5Cmessages'],
    ['GET', '/anthropic/v1/models/..\\files'],
    ['GET', '/anthropic/v1/models/..'],
    ['GET', '/anthropic/v1/models/%2e%2e'],
    ['GET', '/anthropic/v1/models#/../files'],
    ['DELETE', '/anthropic/v1/models/x'],
    ['POST', '/anthropic/v1/models'],
    ['GET', '/anthropic/v1/messages/count_tokens'],
    ['GET', '/anthropic/v1/models/a%2500'],
    ['POST', 'http://abc@evil:80/anthropic/v1/messages'],
    ['GET', 'http://abcEVIL/anthropic/v1/models'],
  ])('is no route that somebody on the way may read as another: %s %s', async (method, target) => {
    const before = api.received.length;
    const { status, body } = await send(method, target, method === 'POST' ? ASKED : null);
    expect([400, 404]).toContain(status);
    expect(body).toMatchObject({ type: 'error' });
    expect(api.received.length).toBe(before);
  });

  it.each<readonly [string, string | Buffer]>([
    ['a byte order mark', `\ufeff${ASKED}`],
    ['UTF-16', Buffer.from(ASKED, 'utf16le')],
    ['a byte that is not UTF-8', Buffer.concat([Buffer.from(ASKED.slice(0, -5)), Buffer.from([0xff]), Buffer.from(ASKED.slice(-5))])],
    ['a number that is not JSON', ASKED.replace('100', 'NaN')],
    ['a comma too many', ASKED.replace(/\}$/, ',}')],
  ])('is no body that others may read and this server does not: %s', async (_, bytes) => {
    const before = api.received.length;
    expect(await send('POST', '/anthropic/v1/messages', bytes)).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
    expect(api.received.length).toBe(before);
  });

  it.each<readonly [string, string | Buffer]>([
    ['half of it', ASKED.slice(0, 40)],
    ['a page', '<html>'],
  ])('is a body that no server reads as JSON, so that the model API says so, unless models are limited: %s', async (name, bytes) => {
    const before = api.received.length;
    expect((await send('POST', '/anthropic/v1/messages', bytes, open.client, open)).status).toBe(400);
    expect(api.received.slice(before).map(({ body }) => body)).toEqual([bytes]);
    const limited = await open.tenant(`limited ${name}`);
    expectStatus(await limited.call('PATCH', '/v1/settings', { models: { tenant: [MODEL] } }), 200);
    expect(await send('POST', '/anthropic/v1/messages', bytes, limited, open)).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error' } },
    });
    expect(api.received.length).toBe(before + 1);
  });

  it('is never an answer without a record', async () => {
    api.next({ kind: 'page', status: 200, contentType: 'application/json', text: '{"role":"assistant","content":[]}' });
    const { status, body } = await send('POST', '/anthropic/v1/messages', '{"messages":"read by others"}', open.client, open);
    expect([status, body.error.details]).toEqual([400, { error_code: 'invalid_input' }]);
  });

  it('is nothing that costs for credentials that may only read', async () => {
    const reader = open.client.as(expectStatus(await open.client.post('/v1/tokens', { scopes: ['sessions:read'] }), 201).body.token);
    const before = api.received.length;
    for (const [target, body] of [
      ['/anthropic/v1/messages', ASKED],
      ['/anthropic/v1/messages', '{"model":"x"}'],
      ['/anthropic/v1/messages/batches', '{"requests":[]}'],
      ['/anthropic/v1/complete', '{}'],
    ] as const)
      expect(await send('POST', target, body, reader, open)).toMatchObject({ status: 403, body: { error: { type: 'permission_error' } } });
    expect(api.received.length).toBe(before);
    expect((await send('POST', '/anthropic/v1/messages/count_tokens', ASKED, reader, open)).status).not.toBe(403);
  });

  it('is nothing when the door is closed', async () => {
    const closed = await startTestServer({ ANTHROPIC_BASE_URL: api.url, GATEWAY: 'off' });
    for (const target of ['/anthropic/v1/messages', '/anthropic/v1/messages/count_tokens'])
      expect(await send('POST', target, ASKED, closed.client, closed)).toMatchObject({ status: 404, body: { error: { type: 'not_found_error' } } });
    await closed.stop();
  });
});
