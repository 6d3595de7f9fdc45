import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client, UnknownObject } from '../support/client.js';
import { REFUSED_SHAPES, type Shape, userTexts } from '../support/refused-shapes.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';

const json = (response: Response): Promise<UnknownObject> => response.json() as Promise<UnknownObject>;

describe('a request that upstream refuses', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    api = await startStandIn();
    server = await startTestServer({ ANTHROPIC_API_KEY: 'upstream-key', ANTHROPIC_BASE_URL: api.url, LOG_LEVEL: process.env['GATEWAY_LOG'] ?? 'silent' });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  const post = (body: string, headers: Readonly<Record<string, string>> = {}, to = server): Promise<Response> =>
    fetch(`${to.running.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': client.token!, 'anthropic-version': '2023-06-01', 'content-type': 'application/json', ...headers },
      body,
    });
  const bodyOf = ({ model = 'claude-opus-4-5', more = {} }: Shape, messages: readonly UnknownObject[]): string =>
    JSON.stringify({ model, max_tokens: 100, ...more, messages });
  const refused = ({ refusal }: Shape): void => {
    if (refusal) api.next({ kind: 'error-response', status: 400, type: 'invalid_request_error', ...refusal });
  };
  const sent = (from: number): readonly string[] => api.received.slice(from).map(({ body }) => body);
  const messagesIn = (body: string): readonly unknown[] => (JSON.parse(body) as { messages: unknown[] }).messages;
  const requestOf = async ({ headers }: Response): Promise<UnknownObject> =>
    (await client.get(`/v1/sessions/${headers.get('x-verbatim-session')}/requests/${headers.get('x-verbatim-request')}`)).body;
  const requestsOf = async (session: string | null): Promise<readonly UnknownObject[]> => (await client.get(`/v1/sessions/${session}/requests`)).body.data;

  it.each(REFUSED_SHAPES.map((shape, index) => [shape.name, shape, index] as const))('is repaired, once and for all: %s', async (_name, plain, index) => {
    // Each conversation begins with words of its own, unless it is about its first message.
    const shape = {
      ...plain,
      messages: plain.messages.map((message, at) =>
        at === 0 && typeof message['content'] === 'string' ? { ...message, content: `${message['content']} (${index})` } : message,
      ),
    };
    const from = api.received.length;
    refused(shape);
    const body = bodyOf(shape, shape.messages);
    const first = await post(body, { 'x-claude-code-session-id': `shape ${index}` });
    const answer = await json(first);
    expect([first.status, first.headers.get('x-verbatim-repairs'), answer.role]).toEqual([200, '1', 'assistant']);
    const [asCame, asRepaired] = sent(from);
    expect([sent(from).length, asCame]).toEqual([2, body]);
    for (const text of userTexts(shape)) expect(asRepaired).toContain(JSON.stringify(text).slice(1, -1));

    const record = await requestOf(first);
    expect(record).toMatchObject({ verified: true, status: 'completed' });
    const [before, after] = (await requestsOf(first.headers.get('x-verbatim-session'))).toSorted((one, other) => one.seq - other.seq);
    expect([before, after]).toMatchObject([{ status: 'failed', error: { status: 400 } }, { requestId: first.headers.get('x-verbatim-request') }]);

    const more = [...shape.messages, { role: 'assistant', content: answer.content }, { role: 'user', content: 'and what else?' }];
    const next = await post(bodyOf(shape, more), { 'x-claude-code-session-id': `shape ${index}` });
    await next.text();
    expect([next.status, next.headers.get('x-verbatim-repairs'), next.headers.get('x-verbatim-session')]).toEqual([
      200,
      '1',
      first.headers.get('x-verbatim-session'),
    ]);
    expect(sent(from).length).toBe(3);
    const [, worked, last] = sent(from).map(messagesIn);
    expect(JSON.stringify(last!.slice(0, worked!.length))).toBe(JSON.stringify(worked));
    expect(await requestOf(next)).toMatchObject({ verified: true, status: 'completed' });
  });

  it('goes out without thinking when the thinking of an open turn is lost, until the results are answered, and says so', async () => {
    const tools = [{ name: 'Read', input_schema: { type: 'object' } }];
    const [thinking, session] = [{ type: 'enabled', budget_tokens: 1024 }, { 'x-claude-code-session-id': 'lost thinking' }];
    const called = (id: string): UnknownObject => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input: { n: 1 } }] });
    const answered = (id: string): UnknownObject => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] });
    const bodyWith = (messages: readonly unknown[]): string =>
      JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 2048, messages, thinking, tools, metadata: { user_id: 'u' } });
    const off = (body: string): string => body.replace(JSON.stringify(thinking), '{"type":"disabled"}');
    const history: unknown[] = [{ role: 'user', content: 'read both, \ud83e\uddf5' }];

    let from = api.received.length;
    history.push(called('t1'), answered('t1'));
    const first = await post(bodyWith(history), session);
    await first.text();
    expect([first.status, first.headers.get('x-verbatim-repairs'), sent(from)]).toEqual([200, '1', [bodyWith(history), off(bodyWith(history))]]);
    expect(await requestOf(first)).toMatchObject({ verified: true, status: 'completed', changedOptions: [{ option: 'thinking' }] });

    // The turn is still open: without a refusal, also by another process, which reads the log.
    from = api.received.length;
    history.push(called('t2'), answered('t2'));
    const another = await startTestServer({ ANTHROPIC_API_KEY: 'upstream-key', ANTHROPIC_BASE_URL: api.url }, server.database, client.token);
    const second = await post(bodyWith(history), session, another);
    const { content } = await json(second);
    await another.stop();
    expect([second.status, second.headers.get('x-verbatim-repairs'), sent(from)]).toEqual([200, '1', [off(bodyWith(history))]]);
    expect(await requestOf(second)).toMatchObject({ verified: true, changedOptions: [{ option: 'thinking' }] });

    // It is over: the model may think again.
    from = api.received.length;
    history.push({ role: 'assistant', content }, { role: 'user', content: 'and what else?' });
    const third = await post(bodyWith(history), session);
    await third.text();
    expect([third.status, third.headers.get('x-verbatim-repairs'), sent(from)]).toEqual([200, null, [bodyWith(history)]]);
    const sessions = [first, second, third].map(({ headers }) => headers.get('x-verbatim-session'));
    expect(new Set(sessions).size).toBe(1);
  });

  const half = (text: string): Shape => ({
    name: text,
    messages: [
      { role: 'user', content: text },
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
      { role: 'user', content: 'ok?' },
    ],
  });

  it('is sent unchanged when the client prefers its refusal, and when nothing would help', async () => {
    const from = api.received.length;
    const shape = half('prefers');
    const off = await post(bodyOf(shape, shape.messages), { 'x-verbatim-repair': 'off' });
    expect([off.status, off.headers.get('x-verbatim-repairs'), (await json(off)).error.message]).toEqual([
      400,
      null,
      'messages: text content blocks must be non-empty',
    ]);
    const money = 'Your credit balance is too low to access the API.';
    api.next({ kind: 'error-response', status: 400, message: money });
    const poor = await post(bodyOf(shape, shape.messages));
    expect([poor.status, (await json(poor)).error.message, sent(from).length]).toEqual([400, money, 2]);
  });

  it('gets the first refusal, as it came, when the repaired request is refused, too', async () => {
    const from = api.received.length;
    const shape = half('both');
    api.next({ kind: 'error-response', status: 400, message: 'messages: text content blocks must be non-empty', headers: { 'x-first': 'yes' } });
    api.next({ kind: 'error-response', status: 400, message: 'messages.9: something else', headers: { 'x-first': 'no' } });
    const answer = await post(bodyOf(shape, shape.messages));
    expect([answer.status, answer.headers.get('x-first'), answer.headers.get('x-verbatim-repairs')]).toEqual([400, 'yes', null]);
    expect((await requestsOf(answer.headers.get('x-verbatim-session'))).map(({ status }) => status)).toEqual(['failed', 'failed']);
    const again = await post(bodyOf(shape, shape.messages));
    expect([again.status, sent(from).length]).toEqual([200, 4]);
  });

  it('is as the client writes it again once the client has repaired it itself, or the missing result has come', async () => {
    const tools = { tools: [{ name: 'Read', input_schema: { type: 'object' } }] };
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] };
    const shape: Shape = { name: 'late', more: tools, messages: [{ role: 'user', content: 'late' }, call] };
    const early = await post(bodyOf(shape, shape.messages));
    expect([early.status, early.headers.get('x-verbatim-repairs')]).toEqual([200, '1']);
    await early.text();
    const from = api.received.length;
    const whole = bodyOf(shape, [...shape.messages, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'real' }] }]);
    const late = await post(whole);
    await late.text();
    expect([late.status, late.headers.get('x-verbatim-repairs'), sent(from)]).toEqual([200, null, [whole]]);
  });

  it('is counted as it goes out', async () => {
    const shape = half('counted');
    await (await post(bodyOf(shape, shape.messages))).text();
    const repaired = sent(0).at(-1)!;
    const count = (messages: readonly UnknownObject[], headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${server.running.url}/anthropic/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'x-api-key': client.token!, 'anthropic-version': '2023-06-01', 'content-type': 'application/json', ...headers },
        body: bodyOf(shape, messages),
      });
    const counted = await count(shape.messages);
    expect([counted.headers.get('x-verbatim-repairs'), sent(-1)]).toEqual(['1', [repaired]]);
    const off = await count(shape.messages, { 'x-verbatim-repair': 'off' });
    expect([off.headers.get('x-verbatim-repairs'), sent(-1)]).toEqual([null, [bodyOf(shape, shape.messages)]]);
    const other = half('counted elsewhere');
    await count(other.messages);
    expect(sent(-1)).toEqual([bodyOf(other, other.messages)]);
  });

  it('stays repaired in each branch, however many requests of another branch are newer', async () => {
    const named = { 'x-claude-code-session-id': 'branches' };
    const empty = { role: 'assistant', content: [{ type: 'text', text: '' }] };
    const one = [{ role: 'user', content: 'branches' }, empty, { role: 'user', content: 'a' }];
    const ask = async (messages: readonly UnknownObject[]): Promise<UnknownObject[]> => {
      const response = await post(bodyOf({ name: 'branches', messages: [] }, messages), named);
      return [...messages, { role: 'assistant', content: (await json(response)).content }];
    };
    const two = await ask([...(await ask(one)), { role: 'user', content: 'b' }, empty, { role: 'user', content: 'c' }]);
    let other = await ask([...one.slice(0, 2), { role: 'user', content: 'elsewhere' }]);
    for (let turn = 0; turn < 6; turn += 1) other = await ask([...other, { role: 'user', content: `turn ${turn}` }]);
    const from = api.received.length;
    await ask([...two, { role: 'user', content: 'd' }]);
    expect(sent(from).length).toBe(1);
  });

  it('says what was changed and why, beside what the client sent', async () => {
    const shape = half('why');
    const answer = await post(bodyOf(shape, shape.messages));
    await answer.text();
    const { trace } = await requestOf(answer);
    expect(trace).toContainEqual(expect.objectContaining({ action: 'dropped', pass: 'drop-blank-text', reason: expect.any(String), target: null }));
    expect((await client.messages(answer.headers.get('x-verbatim-session')!)).length).toBe(4);
  });
});
