import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RESULT_MISSING } from '../../packages/protocol/message/wire-texts.js';
import { type Client, freshKey } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('feedback', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    ({ client } = server);
  });
  afterAll(() => server.stop());

  const requestOf = async (id: string): Promise<string> => (await client.get(`/v1/sessions/${id}/requests`)).body.data.at(-1).requestId;
  const rate = (id: string, body: unknown, headers?: Record<string, string>) => client.post(`/v1/sessions/${id}/feedback`, body, headers);

  it('is stored with the request it is about', async () => {
    const id = await client.session();
    await client.ask(id, 'hello');
    const requestId = await requestOf(id);
    const key = freshKey();
    const first = await rate(id, { requestId: requestId.toUpperCase(), rating: 'good', comment: 'To the point. \u0000' }, key);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({ version: expect.any(Number), feedbackId: expect.any(String), requestId, rating: 'good', comment: 'To the point. \u0000' });
    expect((await rate(id, { requestId: requestId.toUpperCase(), rating: 'good', comment: 'To the point. \u0000' }, key)).body).toEqual(first.body);
    expect((await rate(id, { requestId, rating: -1 })).body).toMatchObject({ rating: -1, comment: null });
    const recorded = (await client.get(first.headers.get('location') ?? '')).body.data;
    expect(recorded.map(({ type, data }: { type: string; data: { rating: unknown } }) => [type, data.rating])).toEqual([
      ['feedback.recorded', 'good'],
      ['feedback.recorded', -1],
    ]);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body.valid).toBe(true);
  });

  it('is rejected for a request that does not exist, or an invalid one', async () => {
    const id = await client.session();
    expect(await rate(id, { requestId: randomUUID(), rating: 1 })).toMatchObject({ status: 404, body: { code: 'request_not_found' } });
    expect(await rate(randomUUID(), { requestId: randomUUID(), rating: 1 })).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
    for (const body of [
      {},
      { requestId: 'x', rating: 1 },
      { requestId: randomUUID() },
      { requestId: randomUUID(), rating: null },
      { requestId: randomUUID(), rating: '' },
    ]) {
      expect((await rate(id, body)).body.code).toBe('invalid_input');
    }
  });

  /** A session whose first turn left a tool call without a result. */
  async function withLostResult(filler = 0): Promise<string> {
    const assistant = (content: unknown) => ({
      type: 'assistant',
      uuid: randomUUID(),
      message: { id: 'msg_1', role: 'assistant', model: 'claude-test', content, stop_reason: 'tool_use', usage: {} },
    });
    const user = (content: unknown) => ({ type: 'user', uuid: randomUUID(), content });
    const lines = [
      user('look it up'),
      assistant([{ type: 'tool_use', id: 'toolu_1', name: 'lookup', input: {} }]),
      ...Array.from({ length: filler }, () => user('x'.repeat(1_000))),
    ];
    const { status, body } = await client.call('POST', '/v1/imports', lines.map((line) => JSON.stringify(line)).join('\n'), {
      'content-type': 'application/x-ndjson',
    });
    expect([status, body.skipped]).toEqual([201, []]);
    return body.id;
  }

  it.each([
    ['a short session', 0],
    ['a long one, which is looked at elsewhere', 600],
  ])('is rejected for a conversation with a made-up result: %s', async (_, filler) => {
    const id = await withLostResult(filler);
    await client.ask(id, 'go on');
    const requestId = await requestOf(id);
    expect(JSON.stringify((await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body.payload)).toContain(RESULT_MISSING);
    const before = await client.events(id);
    expect(await rate(id, { requestId, rating: 'good' })).toMatchObject({
      status: 422,
      body: { code: 'synthetic_content', errors: [{ pointer: '/requestId' }] },
    });
    expect(await client.events(id)).toEqual(before);
  });

  it('looks at what was sent then, not at what would be sent now', async () => {
    const id = await client.session();
    await client.ask(id, 'hello');
    const clean = await requestOf(id);
    await client.ask(id, `what does ${RESULT_MISSING} mean?`);
    expect((await rate(id, { requestId: clean, rating: 5 })).status).toBe(201);
    expect((await rate(id, { requestId: await requestOf(id), rating: 5 })).body.code).toBe('synthetic_content');
  });

  it("is for the session's own people", async () => {
    const id = await client.session();
    await client.ask(id, 'hello');
    const outsider = await server.tenant('another tenant');
    expect(await outsider.post(`/v1/sessions/${id}/feedback`, { requestId: await requestOf(id), rating: 1 })).toMatchObject({
      status: 404,
      body: { code: 'session_not_found' },
    });
  });
});
