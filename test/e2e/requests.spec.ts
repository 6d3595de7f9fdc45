import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, ClaudeFile, text } from '../support/claude-file.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type Environment, startTestServer, type TestServer } from '../support/server.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const TOOLS = [{ name: 'lookup', description: 'Looks up.', input_schema: { type: 'object' } }];

/** Every request of a session can be made again, byte for byte; and where one does not continue from the one before it, it is told why. */
describe('the list of requests', () => {
  let database: TestDatabase;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    database = await freshDatabase();
    server = await startTestServer({}, database);
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  /** The same people and sessions, other settings. */
  async function restartWith(environment: Environment): Promise<void> {
    await server.stop();
    server = await startTestServer(environment, database, client.token);
    client = server.client;
  }

  async function ledger(id: string): Promise<readonly UnknownObject[]> {
    const { data } = expectStatus(await client.get(`/v1/sessions/${id}/requests`), 200).body;
    return Promise.all(data.map(async ({ requestId }: UnknownObject) => expectStatus(await client.get(`/v1/sessions/${id}/requests/${requestId}`), 200).body));
  }

  /** What broke the prefix, request by request; null where nothing did: then all of the request before it is in this one. What is shared is the same in both. */
  function breaksOf(requests: readonly UnknownObject[]): readonly (string | null)[] {
    return requests.map(({ payload, prefix }, at) => {
      const before = messagesOf(requests[at - 1]?.payload);
      const now = messagesOf(payload);
      if (prefix.cause === undefined) expect(prefix.shared).toBe(before.length);
      before.slice(0, prefix.shared).forEach(({ role, content }, index) => {
        const grown = index === before.length - 1 ? now[index]?.content.slice(0, content.length) : now[index]?.content;
        expect({ role: now[index]?.role, content: grown }).toEqual({ role, content });
      });
      return prefix.cause ?? null;
    });
  }
  const messagesOf = (payload: UnknownObject): readonly UnknownObject[] =>
    JSON.parse(JSON.stringify(payload?.messages ?? []), (key, value) => (key === 'cache_control' ? undefined : value));

  async function expectProven(id: string): Promise<void> {
    for (const { verified, digest, recordedDigest, payload } of await ledger(id)) {
      expect({ verified, digest }).toEqual({ verified: true, digest: recordedDigest });
      expect(sha256(JSON.stringify(payload))).toBe(digest);
    }
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    expect((await client.get(`/v1/sessions/${id}/payload`)).body.problems).toEqual([]);
  }

  it('describes each request of a long session, and names the cause of each broken prefix', async () => {
    const id = await client.session({ system: 'Be brief.', context: { project: 'Notes' }, tools: TOOLS });
    const told: (string | null)[] = [];

    await client.ask(id, 'The word is mercury. {{say Noted.}}');
    const waiting = await client.ask(id, '{{think I should look it up}}{{say Looking.}}{{tool lookup {"q":"a"}}}{{tool lookup {"q":"b"}}}');
    expect(waiting.status).toBe('waiting');
    const calls = (await client.messages(id)).at(-1).message.content.filter(({ type }: UnknownObject) => type === 'tool_use');
    const results = calls.map(({ id: toolUseId }: UnknownObject, at: number) => ({ toolUseId, content: `found ${at}` })).reverse();
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results }), 202);
    expect((await client.settled(id, waiting.turnId)).status).toBe('completed');
    await client.ask(id, '{{think deeply}}{{say Thought over.}}');
    await client.ask(id, '{{fail 529}}once more');
    told.push(null, null, null, null, null, null);
    expect(breaksOf(await ledger(id))).toEqual(told);

    const before = await client.messages(id);
    const prompt = before.find(({ content }) => content === '{{think deeply}}{{say Thought over.}}');
    const rewind = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: prompt.uuid }), 201).body;
    await client.ask(id, 'instead');
    await client.ask(id, 'and on');
    told.push('rewind', null);
    expect(breaksOf(await ledger(id))).toEqual(told);

    expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${rewind.id}/restore`), 201);
    expect((await client.messages(id)).map(({ uuid }) => uuid)).toEqual(before.map(({ uuid }) => uuid));
    await client.ask(id, 'as it was');
    told.push('rewind');

    expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { model: 'claude-haiku-4-5' }), 200);
    await client.ask(id, 'another model');
    await client.ask(id, 'the same model');
    told.push('model', null);

    expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { system: 'Be verbose.' }), 200);
    await client.ask(id, 'another system prompt');
    expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { tools: [] }), 200);
    await client.ask(id, 'no tools');
    expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { context: { project: 'Songs' } }), 200);
    await client.ask(id, 'another context');
    expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { title: 'Nothing the model sees' }), 200);
    await client.ask(id, 'another title');
    told.push('configuration: system', 'configuration: tools', 'configuration: context', null);

    const turn = await client.ask(id, '{{reject mercury}}go on');
    expect(turn.requests.map(({ status }: UnknownObject) => status)).toEqual(['failed', 'completed']);
    await client.ask(id, 'on and on');
    told.push(null, 'drop-rejected-media', null);
    expect(breaksOf(await ledger(id))).toEqual(told);

    await restartWith({ GATES: 'history-snip' });
    const dry = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(dry.breaks).toEqual([expect.objectContaining({ cause: 'gates' })]);
    await client.ask(id, 'with names');
    await client.ask(id, 'with names still');
    told.push('gates', null);

    const requests = await ledger(id);
    expect(breaksOf(requests)).toEqual(told);
    expect(JSON.stringify(requests.at(-1).payload)).toContain('[id:');
    expect(requests.every(({ gates, requestId }) => gates['history-snip'] === requests.slice(-2).some((last) => last.requestId === requestId))).toBe(true);
    await expectProven(id);
    await restartWith({});
    await expectProven(id);
  });

  it('records a bounded number of digests for a long imported conversation, and still finds the message where a later request breaks off', async () => {
    const file = new ClaudeFile();
    for (let turn = 0; turn < 150; turn += 1) {
      file.user(`u${turn}`, turn === 0 ? null : `a${turn - 1}`, `prompt ${turn}`);
      file.piece(`a${turn}`, `u${turn}`, `msg_${turn}`, text(`answer ${turn}`), { stop: 'end_turn' });
    }
    const made = expectStatus(await client.call('POST', '/v1/imports', file.text, { 'content-type': 'application/x-ndjson' }), 201).body;
    const id = made.sessionId ?? made.id;
    await client.ask(id, 'go on');
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: ClaudeFile.uuid('u50') }), 201);
    await client.ask(id, 'from here');
    const sent = (await client.events(id)).filter(({ type }) => type === 'request.sent').map(({ data }) => data.prefix);
    expect(sent.map(({ messages }) => messages.length)).toEqual([64, expect.any(Number)]);
    expect(sent[1].messages.length).toBeLessThanOrEqual(64);
    const requests = await ledger(id);
    expect(breaksOf(requests)).toEqual([null, 'rewind']);
    expect(requests[1].prefix.shared).toBe(100);
    await expectProven(id);
  });

  it('keeps the prefix when a rewind is restored before the next request', async () => {
    const id = await client.session();
    await client.ask(id, 'one');
    await client.ask(id, 'two');
    const [, , second] = await client.messages(id);
    const rewind = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: second.uuid }), 201).body;
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${rewind.id}/restore`), 201);
    await client.ask(id, 'three');
    expect(breaksOf(await ledger(id))).toEqual([null, null, null]);
    await expectProven(id);
  });

  it('says what a broken prefix cost, in tokens and in money', async () => {
    const costs = async (model: string): Promise<unknown> => {
      const id = await client.session({ model });
      await client.ask(id, 'one {{cached 0 9000}}');
      await client.ask(id, 'two {{cached 9000 1000}}');
      const [, , second] = await client.messages(id);
      expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: second.uuid }), 201);
      await client.ask(id, 'instead {{cached 2000 8000}}');
      return (await ledger(id)).map(({ prefix: { cause, lostTokens, lostCost } }) => [cause ?? null, lostTokens, lostCost]);
    };
    const unbroken = [null, undefined, undefined];
    // 8,000 tokens were written again, at 1.25 times the input price of $5 for a million in place of 0.1 times.
    expect(await costs('claude-opus-5')).toEqual([unbroken, unbroken, ['rewind', 8_000, 0.046]]);
    expect(await costs('claude-not-in-the-list')).toEqual([unbroken, unbroken, ['rewind', 8_000, null]]);
  });

  it('verifies the requests of a session that was imported with a compaction', async () => {
    const file = new ClaudeFile()
      .user('u1', null, 'what was said long ago')
      .piece('a1', 'u1', 'msg_1', text('long ago'))
      .line('system', 'c1', null, {
        subtype: 'compact_boundary',
        logicalParentUuid: ClaudeFile.uuid('a1'),
        content: 'Conversation compacted',
        compactMetadata: { trigger: 'auto' },
      })
      .user('s1', 'c1', 'In short: much was said.', { isCompactSummary: true })
      .piece('a2', 's1', 'msg_2', text('Going on.'))
      .piece('a3', 'a2', 'msg_2', call('toolu_1'), { stop: 'tool_use' })
      .result('r1', 'a3', 'toolu_1', 'done')
      .piece('a4', 'r1', 'msg_3', text('Done.'), { stop: 'end_turn' });
    const answer = await fetch(`${client.baseUrl}/v1/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/x-ndjson' },
      body: file.text,
    });
    expect(answer.status).toBe(201);
    const { id } = (await answer.json()) as UnknownObject;
    await client.ask(id, 'what was it?');
    await client.ask(id, 'I see');
    const requests = await ledger(id);
    expect(breaksOf(requests)).toEqual([null, null]);
    for (const { payload, original } of requests) {
      expect(original[0]).toMatchObject({ subtype: 'compact_boundary' });
      expect(JSON.stringify(payload)).not.toContain('long ago');
      expect(payload.messages[0].content[0].text).toBe('In short: much was said.');
    }
    expect((await client.messages(id)).map(({ content }) => content)).toContain('what was said long ago');
    await expectProven(id);
  });
});

it('anybody can compute the digest of a payload from the answer', async () => {
  const server = await startTestServer();
  try {
    const { client } = server;
    const odd = ['é e\u0301 🧵 \u2028', { type: 'text', text: 'half \ud83d' }];
    const id = await client.session({ system: 'Ünïcode', systemContext: { 2: 'two', 1: 'one', key: 'ü' }, tools: TOOLS });
    for (const input of odd) await client.ask(id, typeof input === 'string' ? input : [input]);
    const dry = (await client.get(`/v1/sessions/${id}/payload`)).body;
    const normalized = (
      await client.post('/v1/normalize', { messages: odd.map((content) => ({ role: 'user', content: typeof content === 'string' ? content : [content] })) })
    ).body;
    const { data } = (await client.get(`/v1/sessions/${id}/requests`)).body;
    const sent = await Promise.all(data.map(async ({ requestId }: UnknownObject) => (await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body));
    for (const { payload, digest } of [dry, normalized, ...sent]) expect(sha256(JSON.stringify(payload))).toBe(digest);
    for (const { recordedDigest, bytes, payload } of sent) {
      expect(sha256(JSON.stringify(payload))).toBe(recordedDigest);
      expect(Buffer.byteLength(JSON.stringify(payload))).toBe(bytes);
    }
  } finally {
    await server.stop();
  }
});
