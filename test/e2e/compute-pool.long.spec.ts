import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { filledSession } from '../support/filled-session.js';
import { startTestServer, type TestServer } from '../support/server.js';

const text = (index: number): string => `message ${index} ${'word '.repeat(40)}`;
const plain = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: text(index) }));

/** White space that makes any body a large one. */
const PADDING = ' '.repeat(1_000_000);

/** Number of small turns of another user, one after the other, until `large` is answered. */
async function turnsDuring(client: Client, large: Promise<unknown>): Promise<number> {
  const id = await client.session();
  let answered = false;
  const noted = large.finally(() => (answered = true));
  let turns = 0;
  do {
    const turn = await client.ask(id, `hello ${turns}`);
    expect(turn.status).toBe('completed');
    if (!answered) turns += 1;
  } while (!answered);
  await noted;
  return turns;
}

describe('large questions', () => {
  let server: TestServer;
  let client: Client;
  let other: Client;

  beforeAll(async () => {
    server = await startTestServer({ MAX_BODY_BYTES: String(64 * 1024 * 1024), MAX_NORMALIZE_VALUES: '1000000' });
    client = server.client;
    other = await server.tenant('other');
  });
  afterAll(() => server.stop());

  it('100,000 messages are normalised while others continue', async () => {
    const large = client.post('/v1/normalize', { messages: plain(100_001) });
    expect(await turnsDuring(other, large)).toBeGreaterThanOrEqual(3);
    const { body } = expectStatus(await large, 200);
    expect(body.payload.messages).toHaveLength(100_001);
    expect(body.trace).toHaveLength(100_001);
    expect(body.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('a text of 30 MB is normalised while others continue', async () => {
    const content = 'x'.repeat(30_000_000);
    const large = client.post('/v1/normalize', { messages: [{ role: 'user', content }] });
    expect(await turnsDuring(other, large)).toBeGreaterThanOrEqual(1);
    const { body } = expectStatus(await large, 200);
    expect(body.payload.messages[0].content[0].text === content).toBe(true);
    expect(body.trace).toHaveLength(1);
  });

  it('get the same answer as when they are small', async () => {
    const both = async (small: string): Promise<readonly [Answer<string>, Answer<string>]> => {
      const ask = async (body: string): Promise<Answer<string>> => {
        const response = await fetch(`${client.baseUrl}/v1/normalize`, {
          method: 'POST',
          headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
          body,
        });
        return { status: response.status, headers: response.headers, body: (await response.text()).replace(/"instance":"[^"]*"/, '') };
      };
      return [await ask(small), await ask(small + PADDING)];
    };
    const bodies: readonly (readonly [body: string, status: number])[] = [
      [JSON.stringify({ messages: plain(20), system: 'Be brief.', userContext: { a: 'b' } }), 200],
      [
        JSON.stringify({
          messages: [
            { role: 'user', content: 'lone \ud83d, nul \u0000, é 🧵 \u2028' },
            { role: 'assistant', content: [] },
          ],
          tools: [{ name: 't', input_schema: {} }],
        }),
        200,
      ],
      [JSON.stringify({ messages: [] }), 200],
      [JSON.stringify({}), 400],
      [JSON.stringify({ messages: ['x'], gates: { a: 1 }, more: 1 }), 400],
      [JSON.stringify({ messages: [{ role: 'nobody' }, { role: 'user', content: 5 }] }), 400],
      [JSON.stringify({ messages: [], gates: { nothing: true } }), 400],
      ['{"messages": [}', 400],
      [`{"messages":${'['.repeat(300)}${']'.repeat(300)}}`, 400],
      ['{"messages":[{"role":"user","content":"a","n":1e999}]}', 200],
      ['{"messages":[{"role":"user","content":"a","__proto__":1}]}', 400],
    ];
    for (const [body, status] of bodies) {
      const [small, large] = await both(body);
      expect([body, small.status]).toEqual([body, status]);
      expect([large.status, large.headers.get('content-type'), large.body]).toEqual([small.status, small.headers.get('content-type'), small.body]);
    }
  });

  it('payload and requests of a long session, while others continue', async () => {
    const id = await filledSession(
      client,
      server.database.appUrl,
      Array.from({ length: 20_000 }, (_, index) => text(index).slice(0, 100)),
    ); // within the model's window
    const turn = await client.ask(id, 'and now?');
    const { requestId } = turn.requests[0];
    const { version } = (await client.get(`/v1/sessions/${id}`)).body;

    const asked = client.get(`/v1/sessions/${id}/payload`);
    expect(await turnsDuring(other, asked)).toBeGreaterThanOrEqual(1);
    const payload = expectStatus(await asked, 200);
    expect([payload.headers.get('etag'), payload.body.version]).toEqual([`"${version}"`, version]);
    expect(payload.body.payload.messages).toHaveLength(20_003); // it may not end with an answer, so a message was appended

    const request = expectStatus(await client.get(`/v1/sessions/${id}/requests/${requestId}`), 200).body;
    expect([request.verified, request.original.length, request.digest]).toEqual([true, 20_001, turn.requests[0].digest]); // with the prompt

    const early = expectStatus(await client.get(`/v1/sessions/${id}/payload?at=12`), 200).body;
    expect([early.version, early.payload.messages.length]).toEqual([12, 11]);
  });

  it('are rejected like small ones', async () => {
    const id = await filledSession(
      client,
      server.database.appUrl,
      Array.from({ length: 600 }, (_, index) => text(index)),
    );
    const codes = async (asking: Client, path: string): Promise<readonly unknown[]> => {
      const { status, body } = await asking.get(`/v1/sessions/${id}${path}`);
      return [status, body.code, body.errors?.map((fault: UnknownObject) => fault.pointer)];
    };
    expect(await codes(client, '/payload?at=999999')).toEqual([400, 'invalid_input', ['/at']]);
    expect(await codes(client, `/requests/${id}`)).toEqual([404, 'request_not_found', undefined]);
    const member = client.as((await client.post('/v1/tokens', { userName: 'somebody else', role: 'member' })).body.token);
    for (const outsider of [other, member]) expect(await codes(outsider, '/payload')).toEqual([404, 'session_not_found', undefined]);
  });
});

describe('a question that is too large', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ COMPUTE_MEMORY_MB: '64', COMPUTE_QUEUE: '1', MAX_NORMALIZE_VALUES: '30000000' });
  });
  afterAll(() => server.stop());

  it('is rejected, and nothing else is', async () => {
    const { client } = server;
    const greedy = `{"messages":[{"role":"user","content":[{"type":"text","text":"x","more":[${'{},'.repeat(8_000_000)}0]}]}]}`;
    const rejected = client.post('/v1/normalize', greedy);
    await turnsDuring(client, rejected);
    expect(await rejected).toMatchObject({ status: 413, body: { code: 'payload_too_large', limit: 64 } });
    expect((await client.post('/v1/normalize', JSON.stringify({ messages: plain(2) }) + PADDING)).status).toBe(200);
  });

  it('waits in the queue, and is rejected with a Retry-After when that is full', async () => {
    const body = JSON.stringify({ messages: plain(2_000) });
    const answers = await Promise.all(Array.from({ length: 6 }, () => server.client.post('/v1/normalize', body)));
    const rejected = answers.filter(({ status }) => status !== 200);
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.length).toBeLessThan(6);
    for (const { status, headers, body: problem } of rejected)
      expect([status, problem.code, Number(headers.get('retry-after'))]).toEqual([503, 'unavailable', expect.any(Number)]);
  });
});
