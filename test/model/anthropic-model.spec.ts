import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AnthropicModel } from '../../src/engine/model/anthropic-model.js';
import { retryAfter } from '../../src/engine/model/failure.js';
import { type ModelDelta } from '../../src/ports/index.js';
import { startStandIn, type StandIn } from '../support/stand-in-server.js';
import { SENT_API_VERSION } from '../../packages/normalizer/api-rules/index.js';
import { ModelError } from '../../packages/normalizer/models/model-answer.js';

const API_KEY = 'sk-ant-test';
let standIn: StandIn;
let model: AnthropicModel;

beforeAll(async () => {
  standIn = await startStandIn({ apiKey: API_KEY });
  model = new AnthropicModel({ apiKey: API_KEY, baseUrl: standIn.url, timeoutMs: 120_000 });
});
afterAll(() => standIn.close());

const bodyOf = (prompt: string, more: object = {}): string =>
  JSON.stringify({
    model: 'claude-sonnet-5-5',
    max_tokens: 1_000,
    stream: true,
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    ...more,
  });

async function ask(body: string, options: { model?: AnthropicModel; signal?: AbortSignal; onDelta?: (delta: ModelDelta) => void } = {}) {
  const request = { tenantId: 't', body: Buffer.from(body), model: 'claude-test', requestId: 'a7d6c7a0-0000-4000-8000-000000000000', ordinal: 1, betas: [] };
  return (options.model ?? model).answer(request, options.onDelta ?? (() => {}), options.signal ?? new AbortController().signal);
}

async function failure(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

const lastReceived = () => {
  const received = standIn.received.at(-1);
  if (!received) throw new Error('nothing was received');
  return received;
};

describe('a response through the official client', () => {
  it('is forwarded as deltas and returned as a message', async () => {
    const deltas: ModelDelta[] = [];
    const { message, usage, providerRequestId } = await ask(bodyOf('{{think let me see}}{{say Grüße, 世界 😀!}}{{tool look {"at":{"city":"Köln"}}}}'), {
      onDelta: (delta) => deltas.push(delta),
    });
    expect(message).toMatchObject({
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'let me see' },
        { type: 'text', text: 'Grüße, 世界 😀!' },
        { type: 'tool_use', name: 'look', input: { at: { city: 'Köln' } } },
      ],
    });
    expect(usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
    expect(providerRequestId).toMatch(/^req_011C/);
    expect(deltas.filter(({ start }) => start).map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(deltas.flatMap(({ delta }) => ((delta as { text?: string })?.text ?? []) as string[]).join('')).toBe('Grüße, 世界 😀!');
  });

  it('is requested with the exact bytes of the body', async () => {
    const odd = `{"model": "claude-sonnet-5-5",  "max_tokens":1e3,"stream":true,"messages":[{"content":[{"text":"caf\\u00e9 \\/ 😀 1.0","type":"text"}],"role":"user"}]}`;
    await ask(odd);
    const { body, headers } = lastReceived();
    expect(body).toBe(odd);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(odd)));
    expect(headers).toMatchObject({ 'content-type': 'application/json', authorization: `Bearer ${API_KEY}`, 'anthropic-version': SENT_API_VERSION });
    expect(createHash('sha256').update(body).digest('hex')).toBe(createHash('sha256').update(odd).digest('hex'));
  });

  it('decodes characters that are split between chunks', async () => {
    standIn.next({ kind: 'bytes' });
    const { message } = await ask(bodyOf('{{say 😀 ünïcödé 世界}}'));
    expect(message.content).toEqual([{ type: 'text', text: '😀 ünïcödé 世界' }]);
  });

  it('sends no key when none is configured', async () => {
    const open = await startStandIn();
    const { message } = await ask(bodyOf('{{say hi}}'), { model: new AnthropicModel({ apiKey: null, baseUrl: open.url, timeoutMs: 120_000 }) });
    expect(message.content).toEqual([{ type: 'text', text: 'hi' }]);
    expect(open.received[0]?.headers).not.toHaveProperty('authorization');
    expect(open.received[0]?.headers).not.toHaveProperty('x-api-key');
    await open.close();
  });
});

describe('an error before the response', () => {
  it.each([
    [
      'a bad request',
      bodyOf('x', { messages: [] }),
      { code: 'invalid_request_error', status: 400, retryable: false, message: 'messages: at least one message is required' },
    ],
    [
      'a member that the version of the API does not have',
      bodyOf('x', { model: 'claude-opus-4-5', temperature: 0.5 }),
      { code: 'invalid_request_error', status: 400, retryable: false, message: 'temperature: Extra inputs are not permitted' },
    ],
    ['a failure that the prompt asked for', bodyOf('{{fail 529}}'), { code: 'overloaded_error', status: 529, retryable: true, message: 'Overloaded' }],
  ])('%s', async (_name, body, expected) => {
    const error = await failure(ask(body));
    expect(error).toMatchObject({ ...expected, providerRequestId: expect.stringMatching(/^req_011C/), partial: null });
  });

  it.each([
    [
      { kind: 'error-response', status: 429, type: 'rate_limit_error', headers: { 'retry-after': '7' } },
      { code: 'rate_limit_error', status: 429, retryable: true, retryAfterMs: 7_000 },
    ],
    [{ kind: 'error-response', status: 429, type: 'rate_limit_error', headers: { 'retry-after-ms': '12', 'retry-after': '7' } }, { retryAfterMs: 12 }],
    [
      { kind: 'error-response', status: 429, type: 'rate_limit_error', headers: { 'x-should-retry': 'false' } },
      { retryable: false, retryAfterMs: null },
    ],
    [
      { kind: 'error-response', status: 400, headers: { 'x-should-retry': 'true' } },
      { code: 'invalid_request_error', retryable: true },
    ],
    [
      { kind: 'error-response', status: 500, type: 'api_error' },
      { code: 'api_error', status: 500, retryable: true },
    ],
    [
      { kind: 'error-response', status: 409, type: 'conflict_error', headers: { 'x-should-retry': 'true' } },
      { status: 409, retryable: true },
    ],
    [
      { kind: 'error-response', status: 403, type: 'permission_error' },
      { code: 'permission_error', status: 403, retryable: false },
    ],
    [
      { kind: 'page', status: 502, contentType: 'text/html', text: '<h1>Bad Gateway</h1>' },
      { code: 'api_error', status: 502, retryable: true, message: 'The model API responded with status 502 and no error message.' },
    ],
    [
      { kind: 'page', status: 529, contentType: 'text/plain', text: '' },
      { code: 'overloaded_error', status: 529, retryable: true },
    ],
  ] as const)('%j', async (fault, expected) => {
    standIn.next(fault);
    expect(await failure(ask(bodyOf('hi')))).toMatchObject(expected);
  });

  it('makes one attempt only', async () => {
    const before = standIn.received.length;
    standIn.next({ kind: 'error-response', status: 500 }, { kind: 'error-response', status: 500 });
    await failure(ask(bodyOf('hi')));
    expect(standIn.received.length).toBe(before + 1);
    await failure(ask(bodyOf('hi')));
    expect((await ask(bodyOf('hi'))).message.stop_reason).toBe('end_turn');
  });

  it('does not contain the key', async () => {
    const error = await failure(ask(bodyOf('hi'), { model: new AnthropicModel({ apiKey: 'sk-ant-wrong', baseUrl: standIn.url, timeoutMs: 120_000 }) }));
    expect(error).toMatchObject({ code: 'authentication_error', status: 401, retryable: false });
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('sk-ant-wrong');
  });

  it('is a connection error when the API is unreachable', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const error = await failure(ask(bodyOf('hi'), { model: new AnthropicModel({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 120_000 }) }));
    expect(error).toMatchObject({ code: 'connection_error', status: null, retryable: true, message: 'The model API could not be reached (ECONNREFUSED).' });
  });

  it('is a connection error after the timeout', async () => {
    standIn.next({ kind: 'silence' });
    const error = await failure(ask(bodyOf('hi'), { model: new AnthropicModel({ apiKey: API_KEY, baseUrl: standIn.url, timeoutMs: 1_000 }) }));
    expect(error).toMatchObject({ code: 'connection_error', status: null, retryable: true, partial: null });
    await lastReceived().closed;
  });
});

describe('an incomplete response', () => {
  const prompt = '{{say one two three four five six}}';

  it.each([
    [
      { kind: 'cut', after: 5 },
      { code: 'stream_cut', retryable: true },
    ],
    [
      { kind: 'end', after: 5 },
      { code: 'stream_cut', retryable: true },
    ],
    [
      { kind: 'garbage', after: 5 },
      { code: 'stream_cut', retryable: true },
    ],
    [
      { kind: 'error', after: 5, type: 'overloaded_error', message: 'Overloaded' },
      { code: 'overloaded_error', retryable: true, message: 'Overloaded' },
    ],
    [
      { kind: 'error', after: 5, type: 'api_error', message: 'Internal server error' },
      { code: 'api_error', retryable: true },
    ],
    [
      { kind: 'error', after: 5, type: 'invalid_request_error', message: 'No' },
      { code: 'invalid_request_error', retryable: false },
    ],
  ] as const)('%j keeps the content received', async (fault, expected) => {
    standIn.next(fault);
    const error = await failure(ask(bodyOf(prompt)));
    expect(error).toMatchObject({ ...expected, status: null, providerRequestId: expect.stringMatching(/^req_011C/) });
    expect(error.partial).toMatchObject({ stop_reason: null, content: [{ type: 'text', text: 'one two ' }] });
  });

  it.each([
    ['before anything came', { kind: 'end', after: 0 }],
    ['because it is no stream at all', { kind: 'page', status: 200, contentType: 'text/html', text: '<h1>Welcome</h1>' }],
  ] as const)('%s', async (_name, fault) => {
    standIn.next(fault);
    expect(await failure(ask(bodyOf(prompt)))).toMatchObject({ code: 'stream_cut', retryable: true, partial: null });
  });

  it('ends after the idle timeout', async () => {
    standIn.next({ kind: 'stall', after: 5 });
    const error = await failure(ask(bodyOf(prompt), { model: new AnthropicModel({ apiKey: API_KEY, baseUrl: standIn.url, timeoutMs: 1_000 }) }));
    expect(error).toMatchObject({ code: 'stream_cut', retryable: true, message: expect.stringContaining('no data for 1000 ms') });
    expect(error.partial?.content).toEqual([{ type: 'text', text: 'one two ' }]);
    await lastReceived().closed;
  });

  it('keeps the partial message and closes the connection when the caller aborts', async () => {
    standIn.next({ kind: 'stall', after: 6 });
    const controller = new AbortController();
    let words = '';
    const error = await failure(
      ask(bodyOf(prompt), {
        signal: controller.signal,
        onDelta: ({ delta }) => {
          words += (delta as { text?: string } | undefined)?.text ?? '';
          if (words === 'one two three ') controller.abort();
        },
      }),
    );
    expect(error).toMatchObject({ code: 'aborted', retryable: false, status: null });
    expect(error.partial).toMatchObject({ stop_reason: null, content: [{ type: 'text', text: 'one two three ' }] });
    await lastReceived().closed;
  });

  it('has no partial message when the caller aborted before the start', async () => {
    const before = standIn.received.length;
    expect(await failure(ask(bodyOf(prompt), { signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted', partial: null });
    expect(standIn.received.length).toBe(before);
  });
});

describe('retryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{}, null],
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '1500' }, 1_500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '' }, null],
  ])('%j: %p ms', (headers, expected) => {
    expect(retryAfter(new Headers(headers as Record<string, string>), now)).toBe(expected);
  });
});
