import { describe, expect, it } from '@jest/globals';
import { createClient, paginate, ProblemError } from '@verbatim/client';

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Reply = Response | Error;

/** A client of a server that gives these replies one after the other, and then repeats the last one. */
function served(...replies: readonly (() => Reply)[]) {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: 'http://server/',
    token: () => `token-${sent.length}`,
    fetch: async (input, init) => {
      sent.push({ url: input as string, method: init?.method ?? '', headers: init?.headers as Record<string, string>, body: init?.body });
      const reply = replies[Math.min(sent.length, replies.length) - 1]!();
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });
  return { client, sent };
}

const json =
  (value: unknown, status = 200) =>
  (): Response =>
    new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const problem =
  (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(JSON.stringify({ type: `/problems/${code}`, title: 'A title', status, code, instance: 'request-1', ...more }), {
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
    });
const lost = (): Error => new TypeError('fetch failed');
const id = '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e';

describe('requests of the client', () => {
  it('insert the parameters of the path, and put the others into the query', async () => {
    const { client, sent } = served(json({ version: 1, data: [], nextCursor: null }));
    await client.listMessages({ id: 'a/b', view: 'full', cursor: 0 });
    expect(sent[0]).toMatchObject({ url: 'http://server/v1/sessions/a%2Fb/messages?view=full&cursor=0', method: 'GET', body: undefined });
    expect(sent[0]!.headers).toEqual({ authorization: 'Bearer token-0' });
    await expect(client.getSession({} as never)).rejects.toThrow('The parameter id is missing.');
  });

  it('send bodies as JSON, files as they are, and an empty object where every member is optional', async () => {
    const { client, sent } = served(json({}));
    await client.submitPrompt({ id, body: { input: 'Hello' } });
    await client.interruptTurn({ id });
    await client.importSession({ body: '{"type":"session"}\n' });
    expect(sent.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      ['{"input":"Hello"}', 'application/json'],
      ['{}', 'application/json'],
      ['{"type":"session"}\n', 'application/x-ndjson'],
    ]);
  });

  it('carry their own key, which stays the same when they are repeated', async () => {
    const { client, sent } = served(lost, problem(503, 'unavailable'), json({ version: 1 }));
    await client.submitPrompt({ id, body: { input: 'Hello' } });
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], keys[0]]);
    await client.submitPrompt({ id, body: { input: 'Hello' } }, { idempotencyKey: 'mine', ifVersion: 7, headers: { 'x-workload': 'nightly' } });
    expect(sent[3]!.headers).toMatchObject({ 'idempotency-key': 'mine', 'if-match': '"7"', 'x-workload': 'nightly' });
  });

  it('are not repeated when that could have a second effect', async () => {
    for (const failure of [lost, problem(503, 'unavailable')]) {
      const { client, sent } = served(failure);
      await expect(client.createToken({ body: { name: 'one' } })).rejects.toThrow();
      expect(sent).toHaveLength(1);
    }
    const { client, sent } = served(problem(429, 'rate_limited'), json({ token: 'vb_1' }, 201));
    await client.createToken({ body: { name: 'one' } });
    expect(sent).toHaveLength(2);
  });

  it('are repeated after the time that the server asks for, a limited number of times', async () => {
    const { client, sent } = served(problem(429, 'rate_limited', {}, { 'retry-after': '1' }), json({ id }));
    const started = performance.now();
    await client.getSession({ id });
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    expect(sent).toHaveLength(2);

    const failing = createClient({ baseUrl: 'http://server', retries: 1, fetch: () => Promise.reject(lost()) });
    await expect(failing.getSession({ id })).rejects.toThrow('fetch failed');
  });

  it('end with the error of the server at once when it asks for a longer pause than is allowed', async () => {
    const { client, sent } = served(problem(429, 'quota_exceeded', {}, { 'retry-after': '60357' }));
    const prompt = client.submitPrompt({ id, body: { input: 'one more' } });
    await expect(prompt).rejects.toMatchObject({ status: 429, code: 'quota_exceeded', retryAfter: 60_357 });
    expect(sent).toHaveLength(1);

    let attempts = 0;
    const answer = () => ((attempts += 1), Promise.resolve(problem(429, 'rate_limited', {}, { 'retry-after': '2' })()));
    const hurried = createClient({ baseUrl: 'http://server', longestPauseMs: 1_000, fetch: answer });
    await expect(hurried.getSession({ id })).rejects.toMatchObject({ code: 'rate_limited' });
    expect(attempts).toBe(1);
  });

  it('reject with the problem document of the server', async () => {
    const errors = [{ pointer: '/input', detail: 'must be a string' }];
    const { client, sent } = served(problem(400, 'invalid_input', { detail: 'The body does not match.', errors }));
    const error: unknown = await client.submitPrompt({ id, body: { input: 'Hello' } }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ status: 400, code: 'invalid_input', message: 'The body does not match.', instance: 'request-1', errors, retryAfter: null });
    expect(sent).toHaveLength(1);
  });

  it('reject with their own code when the response is no problem document', async () => {
    const { client } = served(() => new Response('<html>', { status: 404, statusText: 'Not Found', headers: { 'content-type': 'text/html' } }));
    await expect(client.getSession({ id })).rejects.toMatchObject({ status: 404, code: 'unreadable', problem: null, message: expect.stringContaining('404') });
  });

  it('end when their signal aborts, also in a pause', async () => {
    const { client, sent } = served(problem(503, 'unavailable', {}, { 'retry-after': '20' }));
    const controller = new AbortController();
    const call = client.getSession({ id }, { signal: controller.signal });
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('no longer needed'));
    await expect(call).rejects.toThrow(/no longer needed|Temporarily|title/);
    expect(sent).toHaveLength(1);
  });

  it('return the response itself where it is not JSON', async () => {
    const { client } = served(() => new Response('{"type":"session"}\n', { headers: { 'content-type': 'application/x-ndjson' } }));
    expect(await (await client.exportSession({ id })).text()).toBe('{"type":"session"}\n');
  });

  it('read all pages of a list', async () => {
    const { client, sent } = served(json({ version: 1, data: [{ seq: 1 }], nextCursor: '1' }), json({ version: 1, data: [{ seq: 2 }], nextCursor: null }));
    const found: number[] = [];
    for await (const { seq } of paginate(client.listEvents, { id, limit: 1 })) found.push(seq);
    expect(found).toEqual([1, 2]);
    expect(sent[1]!.url).toContain('cursor=1');
  });
});
