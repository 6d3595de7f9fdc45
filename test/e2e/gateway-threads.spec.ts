import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { runs } from '../support/property-runs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { until } from '../support/until.js';

const BETA = 'message-threads-2026-08-12';
const MODEL = 'claude-opus-4-5';
const SYSTEM = 'You answer in few words.';
const TOOLS = [{ name: 'add', description: 'Adds.', input_schema: { type: 'object' } }];
const CREATE = { type: 'create' };
const from = (previous: string) => ({ type: 'continue', previous_message_id: previous });
const user = (content: unknown) => ({ role: 'user', content });
const json = (response: Response): Promise<UnknownObject> => response.json() as Promise<UnknownObject>;
const sessionOf = ({ headers }: Response): string => headers.get('x-verbatim-session')!;

describe('message threads at the Anthropic door', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    api = await startStandIn();
    server = await startTestServer({ ANTHROPIC_BASE_URL: api.url, QUOTA_REFRESH_MS: '1', LOG_LEVEL: process.env['GATEWAY_LOG'] ?? 'silent' });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });
  /** The model API knows nothing of threads. */
  afterEach(() => {
    for (const { body, headers } of api.received) {
      expect(JSON.parse(body)).not.toHaveProperty('thread');
      expect(headers['anthropic-beta'] ?? '').not.toContain('message-threads');
    }
  });

  const post = (body: unknown, by = client, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${server.running.url}/anthropic/v1/messages?beta=true`, {
      method: 'POST',
      headers: { 'x-api-key': by.token!, 'anthropic-version': '2023-06-01', 'anthropic-beta': BETA, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
    });
  const begin = (text: string, more: object = {}, by = client): Promise<Response> =>
    post({ model: MODEL, max_tokens: 100, ...more, messages: [user(text)], thread: CREATE }, by);
  const go = (previous: string, messages: readonly unknown[], more: object = {}, by = client): Promise<Response> =>
    post({ model: MODEL, max_tokens: 100, ...more, messages, thread: from(previous) }, by);
  /** The answer, which must be one. */
  const answerOf = async (response: Response): Promise<UnknownObject> => {
    const body = await json(response);
    expect([response.status, body]).toEqual([200, expect.objectContaining({ role: 'assistant' })]);
    return body;
  };
  const refusal = async (response: Response): Promise<UnknownObject> => ({ status: response.status, ...(await json(response)).error });
  const lastSent = (): string => api.received.at(-1)!.body;
  const requestOf = async ({ headers }: Response): Promise<UnknownObject> =>
    (await client.get(`/v1/sessions/${headers.get('x-verbatim-session')}/requests/${headers.get('x-verbatim-request')}`)).body;

  it('send the model API what a client with the whole conversation would, from whichever answer they continue', async () => {
    const step = fc.record({
      parent: fc.nat(),
      texts: fc.array(
        fc.string({ unit: 'grapheme', maxLength: 10 }).map((text) => `${text}.`),
        { minLength: 1, maxLength: 2 },
      ),
      tool: fc.boolean(),
      max: fc.integer({ min: 100, max: 103 }),
      stream: fc.boolean(),
      gzip: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { minLength: 1, maxLength: 6 }), async (hasSystem, steps) => {
        const kept = { ...(hasSystem ? { system: SYSTEM } : {}), tools: TOOLS };
        const nodes: { readonly id: string; readonly history: readonly object[]; readonly sent: string; readonly max: number }[] = [];
        const sessions = new Set<string>();
        for (const { parent, texts, tool, max, stream, gzip } of [
          { parent: 0, texts: [randomUUID()], tool: false, max: 100, stream: false, gzip: false },
          ...steps,
        ]) {
          const before = nodes[parent % Math.max(1, nodes.length)];
          const results = (before?.history.at(-1) as UnknownObject)?.content?.filter(({ type }: UnknownObject) => type === 'tool_use') ?? [];
          const said = texts.map((text, at) => user(tool && at === texts.length - 1 ? `${text} {{tool add {"n":${max}}}}` : text));
          const added = results.length > 0 ? [user(results.map(({ id }: UnknownObject) => ({ type: 'tool_result', tool_use_id: id, content: '42' })))] : said;
          const options = { model: MODEL, max_tokens: max };
          const history = [...(before?.history ?? []), ...added];
          const more = stream ? { stream } : {};
          const own = before ? { ...options, messages: added, thread: from(before.id), ...more } : { ...options, ...kept, messages: history, thread: CREATE };
          const bytes = Buffer.from(JSON.stringify(own));
          const response = await post(gzip ? gzipSync(bytes) : bytes, client, gzip ? { 'content-encoding': 'gzip' } : {});
          const text = await response.text();
          expect([response.status, text]).toEqual([200, expect.anything()]);
          const whole = JSON.stringify({ ...options, ...kept, messages: history, ...more });
          expect(lastSent()).toBe(whole);
          if (before?.max === max) expect(whole.startsWith(before.sent.slice(0, before.sent.lastIndexOf(']')))).toBe(true);
          sessions.add(sessionOf(response));
          const stored = await requestOf(response);
          expect(stored).toMatchObject({ verified: true, status: 'completed', thread: { type: before ? 'continue' : 'create', received: bytes.toString() } });
          expect(stored.thread.previous).toBe(before?.id ?? null);
          const answer = (await client.messages(sessionOf(response))).at(-1)!.message;
          nodes.push({ id: answer.id, history: [...history, { role: 'assistant', content: answer.content }], sent: whole, max });
        }
        const [session, ...others] = sessions;
        expect(others).toEqual([]);
        expect((await client.get(`/v1/sessions/${session}/audit`)).body).toMatchObject({ valid: true });
      }),
      { ...runs(12), endOnFailure: true },
    );
  });

  it('are continued from any answer as often as a client likes, each time on a branch of its own', async () => {
    const first = await begin('{{say one}}', { system: SYSTEM });
    const one = await answerOf(first);
    const two = await answerOf(await go(one.id, [user('{{say two}}')]));
    const other = await answerOf(await go(one.id, [user('{{say other}}')]));
    const both = await answerOf(await go(two.id, [user('{{say three}}')]));
    expect([two, other, both].map(({ content }) => content[0].text)).toEqual(['two', 'other', 'three']);
    const session = sessionOf(first);
    expect((await client.get(`/v1/sessions/${session}/branches`)).body.data.length).toBe(2);
    expect((await client.messages(session)).map(({ message, content }) => content ?? message.content[0].text)).toEqual([
      '{{say one}}',
      'one',
      '{{say two}}',
      'two',
      '{{say three}}',
      'three',
    ]);
    const { data } = (await client.get(`/v1/sessions/${session}/requests`)).body;
    expect(data.length).toBe(4);
  });

  it('are continued from one answer by many requests at once, each on a branch of its own', async () => {
    const first = await begin('Many', { system: SYSTEM });
    const { id } = await answerOf(first);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => go(id, [user(`way ${at}`)])));
    for (const answer of answers) {
      await answerOf(answer);
      expect(sessionOf(answer)).toBe(sessionOf(first));
    }
    const sent = api.received.map(({ body }) => body).filter((body) => body.includes('"way '));
    expect(new Set(sent).size).toBe(40);
  });

  it('are one turn when a client sends the same request again', async () => {
    const first = await begin('{{say again}}');
    const { id } = await answerOf(first);
    api.next({ kind: 'error-response', status: 529, type: 'overloaded_error' });
    expect((await go(id, [user('{{say twice}}')])).status).toBe(529);
    await answerOf(await go(id, [user('{{say twice}}')]));
    expect((await client.messages(sessionOf(first))).length).toBe(4);
    expect((await client.get(`/v1/sessions/${sessionOf(first)}/branches`)).body.data.length).toBe(1);
  });

  it('need no new message, may repeat what the thread keeps, and pass other members on', async () => {
    const { id } = await answerOf(await begin('{{say paused}}', { system: SYSTEM, tools: TOOLS }));
    const response = await go(id, [], { system: SYSTEM, tools: TOOLS, container: 'container_1' });
    await response.text();
    const sent = JSON.parse(api.received.findLast(({ body }) => body.includes('container_1'))!.body);
    expect(Object.keys(sent)).toEqual(['model', 'max_tokens', 'system', 'tools', 'container', 'messages']);
    expect(sent.messages.slice(0, 2)).toEqual([user('{{say paused}}'), { role: 'assistant', content: [{ type: 'text', text: 'paused' }] }]);
  });

  it('say that an answer has not ended, and continue it once it has', async () => {
    const { fault, release } = held(4);
    api.next(fault);
    const response = await begin('{{say one two three}}', { stream: true });
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('"msg_')) text += decoder.decode((await reader.read()).value);
    const id = /"id":"(msg_[^"]+)"/.exec(text)![1]!;
    const named = () => go(id, [user('next')]);
    await until('the answer is known', async () => (await refusal(await named())).details?.error_code === 'thread_continue_in_flight');
    expect(await refusal(await named())).toEqual({
      ...{ status: 400, type: 'invalid_request_error', message: expect.any(String) },
      details: { error_code: 'thread_continue_in_flight' },
    });
    release();
    while (!(await reader.read()).done);
    await answerOf(await named());
  });

  it('continue an answer as far as it came when its stream was cut', async () => {
    api.next({ kind: 'cut', after: 5 });
    const response = await begin('{{say one two three four}}', { stream: true });
    const text = await response.text().catch(() => '');
    expect(text).not.toContain('message_stop');
    await until('what came is in the log', async () => (await client.messages(sessionOf(response))).length === 2);
    const [, { message }] = (await client.messages(sessionOf(response))) as [UnknownObject, UnknownObject];
    expect(message.stop_reason).toBe(null);
    await answerOf(await go(message.id, [user('{{say more}}')]));
    expect(JSON.parse(lastSent()).messages).toEqual([
      user('{{say one two three four}}'),
      { role: 'assistant', content: message.content },
      user('{{say more}}'),
    ]);
  });

  it('stay repaired', async () => {
    const count = api.received.length;
    const messages = [user('{{say repaired}}'), { role: 'assistant', content: [{ type: 'text', text: '' }] }, user('Well? {{say yes}}')];
    const first = await post({ model: MODEL, max_tokens: 100, messages, thread: CREATE });
    const { id } = await answerOf(first);
    expect([first.headers.get('x-verbatim-repairs'), api.received.length - count]).toEqual(['1', 2]);
    const worked = JSON.parse(lastSent()).messages;
    const next = await go(id, [user('{{say still}}')]);
    const more = await answerOf(next);
    expect([next.headers.get('x-verbatim-repairs'), api.received.length - count]).toEqual(['1', 3]);
    expect(JSON.stringify(JSON.parse(lastSent()).messages.slice(0, worked.length))).toBe(JSON.stringify(worked));
    expect(await requestOf(next)).toMatchObject({ verified: true, repair: { of: null }, thread: { type: 'continue', previous: id } });
    await answerOf(await go(more.id, [user('{{say and still}}')]));
    expect(api.received.length - count).toBe(4);
    expect((await client.messages(sessionOf(first))).length).toBe(8);
  });

  describe('are not found', () => {
    const NOT_FOUND = { status: 404, type: 'not_found_error', message: expect.any(String), details: { error_code: 'thread_not_found' } };

    it('by an id that never was, by another tenant or user, and the answer is the same', async () => {
      const { id } = await answerOf(await begin('{{say mine}}'));
      const stranger = await server.tenant('stranger');
      const { token } = expectStatus(await client.post('/v1/tokens', { userName: 'colleague', role: 'admin' }), 201).body;
      const never = await refusal(await go('msg_never', [user('?')]));
      expect(never).toEqual(NOT_FOUND);
      for (const by of [stranger, client.as(token)]) expect(await refusal(await go(id, [user('?')], {}, by))).toEqual(never);
      for (const odd of ['', 'x'.repeat(1_000), '\u0000', '\ud800', "' OR true --"]) expect(await refusal(await go(odd, [user('?')]))).toEqual(never);
      await answerOf(await go(id, [user('{{say still mine}}')]));
    });

    it('by the id of an answer to a request without a thread, or by an id that two answers have', async () => {
      const plain = await answerOf(await post({ model: MODEL, max_tokens: 100, messages: [user('{{say no thread}}')] }, client, { 'anthropic-beta': 'other' }));
      expect(await refusal(await go(plain.id, [user('?')]))).toEqual(NOT_FOUND);
      const same = ['a', 'b'].map((text) => [
        { type: 'message_start', message: { id: 'msg_same', type: 'message', role: 'assistant', model: MODEL, content: [], stop_reason: null, usage: {} } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
        { type: 'message_stop' },
      ]);
      for (const events of same) {
        api.next({ kind: 'events', events });
        await answerOf(await begin(`same ${randomUUID()}`));
      }
      expect(await refusal(await go('msg_same', [user('?')]))).toEqual(NOT_FOUND);
    });

    it('in a session of another user, once the right to write there is revoked', async () => {
      const { token, userId } = expectStatus(await client.post('/v1/tokens', { userName: 'guest', role: 'member' }), 201).body;
      const guest = client.as(token);
      const session = sessionOf(await begin('{{say shared}}'));
      const grant = `/v1/sessions/${session}/grants/user:${userId}`;
      expectStatus(await client.call('PUT', grant, { role: 'editor' }), 200);
      const body = { model: MODEL, max_tokens: 100, messages: [user('{{say guest}}')], thread: CREATE };
      const begun = await post(body, guest, { 'x-verbatim-session': session });
      const { id } = await answerOf(begun);
      await answerOf(await go(id, [user('{{say more}}')], {}, guest));
      expect(sessionOf(begun)).toBe(session);
      expectStatus(await client.call('DELETE', grant), 200);
      expect(await refusal(await go(id, [user('?')], {}, guest))).toEqual(NOT_FOUND);
    });

    it('once the session, or something of the conversation, is erased', async () => {
      const first = await begin('{{say one}} erased');
      const one = await answerOf(first);
      const two = await answerOf(await go(one.id, [user('{{say two}}')]));
      const messages = await client.messages(sessionOf(first));
      expectStatus(await client.call('DELETE', `/v1/sessions/${sessionOf(first)}/messages/${messages.at(-1)!.uuid}`), 202);
      await until('it is erased', async () => (await client.messages(sessionOf(first))).at(-1)!.erased === true);
      expect(await refusal(await go(two.id, [user('?')]))).toEqual(NOT_FOUND);
      await answerOf(await go(one.id, [user('{{say before}}')]));
      expectStatus(await client.call('DELETE', `/v1/sessions/${sessionOf(first)}`), 202);
      expect(await refusal(await go(one.id, [user('?')]))).toEqual(NOT_FOUND);
    });
  });

  it('refuse another system prompt, other tools and another model, by name', async () => {
    const { id } = await answerOf(await begin('{{say kept}}', { system: SYSTEM }));
    for (const [more, named] of [
      [{ system: 'other' }, 'system'],
      [{ tools: TOOLS }, 'tools'],
      [{ model: 'claude-haiku-4-5' }, 'model'],
    ] as const)
      expect(await refusal(await go(id, [user('?')], more))).toEqual({
        ...{ status: 400, type: 'invalid_request_error', message: expect.stringContaining(named) },
        details: { error_code: 'thread_fingerprint_mismatch' },
      });
  });

  it.each([
    ['thread of no kind', { messages: [user('?')], thread: { type: 'other' } }],
    ['continue of nothing', { messages: [user('?')], thread: { type: 'continue' } }],
    ['create without messages', { messages: [], thread: CREATE }],
    ['continue without a list', { thread: from('msg_1') }],
    ['messages that are none', { messages: ['?'], thread: from('msg_1') }],
  ])('refuse what is no request of a thread, and send nothing: %s', async (_, body) => {
    const before = api.received.length;
    expect(await refusal(await post({ model: MODEL, max_tokens: 100, ...body }))).toMatchObject({ status: 400, details: { error_code: 'invalid_input' } });
    expect(api.received.length).toBe(before);
  });

  it('keep to the quotas and models of their users as every request does', async () => {
    const limited = await server.tenant('limited threads');
    const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-6' };
    const advised = { model: MODEL, max_tokens: 100, tools: [advisor], messages: [user('{{say spent}}')], thread: CREATE };
    const { id } = await answerOf(await post(advised, limited, { 'anthropic-beta': `${BETA}, advisor-tool-2026-03-01` }));
    expect(api.received.at(-1)!.headers['anthropic-beta']).toBe('advisor-tool-2026-03-01');
    // The request itself names only a model that is allowed; the tools of its thread name another one.
    expectStatus(await limited.call('PATCH', '/v1/settings', { models: { tenant: [MODEL] } }), 200);
    await until('the model is refused', async () => (await refusal(await go(id, [user('?')], {}, limited))).status === 403);
    expectStatus(await limited.call('PATCH', '/v1/settings', { models: { tenant: ['claude-*'] }, quotas: { tenant: { tokensPerDay: 1 } } }), 200);
    await until('the quota is used up', async () => (await refusal(await go(id, [user('?')], {}, limited))).status === 429);
  });

  it('are a session like any other: a turn of the server in between does not disturb them', async () => {
    const first = await begin('{{say door}}');
    const { id } = await answerOf(first);
    await client.ask(sessionOf(first), '{{say console}}');
    await answerOf(await go(id, [user('{{say back}}')]));
    expect((await client.messages(sessionOf(first))).map(({ message, content }) => content ?? message.content[0].text)).toEqual([
      '{{say door}}',
      'door',
      '{{say back}}',
      'back',
    ]);
  });
});

describe('a server without message threads', () => {
  it('refuses them with the code after which the official SDKs send the whole conversation', async () => {
    const api = await startStandIn();
    const server = await startTestServer({ ANTHROPIC_BASE_URL: api.url, GATEWAY_THREADS: 'off' });
    try {
      for (const body of [
        { messages: [user('?')], thread: CREATE },
        { messages: [], thread: from('msg_1') },
      ]) {
        const response = await fetch(`${server.running.url}/anthropic/v1/messages`, {
          method: 'POST',
          headers: { 'x-api-key': server.client.token!, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
          body: JSON.stringify({ model: MODEL, max_tokens: 100, ...body }),
        });
        expect([response.status, (await json(response)).error]).toEqual([
          400,
          { type: 'invalid_request_error', message: expect.any(String), details: { error_code: 'thread_unsupported_request', unsupported: [] } },
        ]);
      }
      expect(api.received).toEqual([]);
    } finally {
      await server.stop();
      await api.close();
    }
  });
});
