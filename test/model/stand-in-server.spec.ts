import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startStandIn, type StandIn } from '../support/stand-in-server.js';

let standIn: StandIn;
beforeAll(async () => {
  standIn = await startStandIn({ apiKey: 'k' });
});
afterAll(() => standIn.close());

const HEADERS = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
const bodyOf = (prompt: string, stream = true) => ({ model: 'claude-sonnet-5-5', max_tokens: 100, stream, messages: [{ role: 'user', content: prompt }] });

const post = (body: unknown, headers: Record<string, string> = HEADERS, path = '/v1/messages'): Promise<Response> =>
  fetch(`${standIn.url}${path}`, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

describe('the stand-in server of the model API', () => {
  it('streams padded frames named after their event', async () => {
    const response = await post(bodyOf('{{say hello there}}'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('request-id')).toMatch(/^req_011C/);
    const frames = (await response.text())
      .trimEnd()
      .split('\n\n')
      .map((frame) => frame.split('\n'));
    const names = frames.map(([event]) => event?.replace('event: ', ''));
    expect(names).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    for (const [event, data] of frames) expect(`event: ${(JSON.parse(data?.slice(6) ?? '') as { type: string }).type}`).toBe(event);
    expect(frames.some(([, data]) => data?.endsWith(' }'))).toBe(true);
  });

  it('responds without streaming when stream is not set', async () => {
    const response = await post(bodyOf('{{say hello}}', false));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hello' }], stop_reason: 'end_turn' });
  });

  it.each([
    ['no key', bodyOf('x'), { 'anthropic-version': '1' }, 401, 'authentication_error', 'x-api-key header is required'],
    ['a wrong key', bodyOf('x'), { ...HEADERS, 'x-api-key': 'z' }, 401, 'authentication_error', 'invalid x-api-key'],
    ['no version', bodyOf('x'), { 'x-api-key': 'k' }, 400, 'invalid_request_error', 'anthropic-version: header is required'],
    ['an unknown version', bodyOf('x'), { ...HEADERS, 'anthropic-version': '1' }, 400, 'invalid_request_error', 'names no version of the API'],
    ['no JSON', '{', HEADERS, 400, 'invalid_request_error', 'The request body is not valid JSON'],
    ['a broken rule', { ...bodyOf('x'), messages: [] }, HEADERS, 400, 'invalid_request_error', 'messages: at least one message is required'],
  ])('rejects %s before streaming', async (_name, body, headers, status, type, message) => {
    const response = await post(body, headers as Record<string, string>);
    expect(response.status).toBe(status);
    const envelope = (await response.json()) as { request_id: string };
    expect(envelope).toMatchObject({ type: 'error', error: { type, message: expect.stringContaining(message) } });
    expect(envelope.request_id).toBe(response.headers.get('request-id'));
    expect(response.headers.get('x-should-retry')).toBe('false');
  });

  it('judges a request by the version that its header names', async () => {
    const sampled = { ...bodyOf('x'), model: 'claude-opus-4-5', temperature: 0.5 };
    expect((await post(sampled)).status).toBe(200);
    const response = await post(sampled, { ...HEADERS, 'anthropic-version': '2026-10-21' });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: { type: 'invalid_request_error', message: 'temperature: Extra inputs are not permitted' } }),
    ]);
  });

  it('accepts a bearer key and serves one path', async () => {
    expect((await post(bodyOf('x'), { authorization: 'Bearer k', 'anthropic-version': '2026-10-21' })).status).toBe(200);
    expect((await post(bodyOf('x'), HEADERS, '/v1/complete')).status).toBe(404);
  });

  it('fails once for a prompt with a fail directive', async () => {
    const first = await post(bodyOf('{{fail 429}} please'));
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await post(bodyOf('{{fail 429}} please'))).status).toBe(200);
    expect((await post(bodyOf('{{fail 429}} again'))).status).toBe(429);
  });

  it('applies queued faults, one per request', async () => {
    standIn.next({ kind: 'error-response', status: 529, type: 'overloaded_error' }, { kind: 'cut', after: 2 });
    expect((await post(bodyOf('x'))).status).toBe(529);
    await expect(post(bodyOf('x')).then((response) => response.text())).rejects.toThrow();
    expect((await post(bodyOf('x'))).status).toBe(200);
  });
});
