import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, ProblemError } from '@verbatim/client';
import type * as Package from '../../clients/session-store/dist/index.js';
import { call, ClaudeFile, text, thinking } from '../support/claude-file.js';
import { type Answer, type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { CONTRACTS } from '../support/session-store-contracts.js';
import { expectVerified } from '../support/tool-server.js';

const { VerbatimSessionStore } = (await import(path.resolve('clients/session-store/dist/index.js'))) as typeof Package;

const WORD = 'rhubarb';

/** As the fold of the SDK: what is set once, and what is replaced. */
const fold: Package.FoldSessionSummary = (before, { sessionId }, entries) => {
  let data = before?.data ?? {};
  for (const { message, customTitle } of entries as UnknownObject[]) data = { firstPrompt: message?.content, ...data, ...(customTitle ? { customTitle } : {}) };
  return { sessionId, mtime: 0, data };
};

describe('the session store', () => {
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    server = await startTestServer({
      SESSION_FILE_LINES: '200',
      SESSION_FILE_APPEND_BYTES: '300000',
      SESSION_FILE_PAGE_BYTES: '1000',
      SESSION_FILE_SUMMARY_BYTES: '500',
      ERASURE_INTERVAL_MS: '50',
    });
    client = server.client;
  });
  afterAll(() => server.stop());

  const storeOf = (as: Client, foldSessionSummary = fold) =>
    new VerbatimSessionStore({ client: createClient({ baseUrl: as.baseUrl, token: as.token! }), foldSessionSummary, batchBytes: 20_000 });

  describe.each(Object.entries(CONTRACTS))('as the Agent SDK needs it', (name, holds) => {
    it(name, () => holds(storeOf(client)));
  });

  const keyOf = () => ({ projectKey: `-home-${randomUUID()}`, sessionId: randomUUID() });
  type Key = ReturnType<typeof keyOf> & { readonly subpath?: string; readonly summary?: unknown };
  const send = (
    key: Key | string,
    lines: readonly string[],
    headers: Readonly<Record<string, string>> = {},
    as: Client = client,
  ): Promise<Answer<UnknownObject>> =>
    as.call('POST', '/v1/session-store', [typeof key === 'string' ? key : JSON.stringify(key), ...lines].join('\n'), {
      'content-type': 'application/x-ndjson',
      ...headers,
    });
  const idOf = async ({ projectKey }: Key): Promise<string> =>
    expectStatus(await client.get(`/v1/session-store?projectKey=${projectKey}`), 200).body.data[0].id;
  const parsed = (file: ClaudeFile): Package.SessionStoreEntry[] => file.lines.map((line) => JSON.parse(line) as Package.SessionStoreEntry);
  const shown = async (id: string): Promise<readonly unknown[]> => (await client.messages(id, 'view=full&limit=1000')).map(({ seq: _, ...message }) => message);

  const conversation = (): ClaudeFile =>
    new ClaudeFile()
      .state('mode', { mode: 'default' })
      .user('u1', null, `Two commands with ${WORD}, please`)
      .piece('a1', 'u1', 'm1', thinking('Both at once'), { stop: 'tool_use' })
      .piece('a2', 'a1', 'm1', text('Here they are'), { stop: 'tool_use' })
      .piece('a3', 'a2', 'm1', call('t1'), { stop: 'tool_use' })
      .result('r1', 'a3', 't1', 'one')
      .piece('a4', 'a3', 'm1', call('t2'), { stop: 'tool_use' })
      .result('r2', 'a4', 't2', 'two')
      .piece('b1', 'r2', 'm2', text('Both ran.'), { stop: 'end_turn' })
      .state('last-prompt', { lastPrompt: 'Two commands' })
      .user('u2', 'b1', 'Thanks')
      .piece('c1', 'u2', 'm3', text('Welcome.'), { stop: 'end_turn' })
      .user('u3', 'b1', 'Once more')
      .piece('d1', 'u3', 'm4', text('Again.'), { stop: 'end_turn' });

  it('makes a session of a file that came line by line, as an import does of the whole file', async () => {
    const file = conversation();
    const [key, store] = [keyOf(), storeOf(client)];
    for (const entry of parsed(file)) await store.append(key, [entry]);
    const imported = expectStatus(await client.call('POST', '/v1/imports', file.text, { 'content-type': 'application/x-ndjson' }), 201).body.id;
    const id = await idOf(key);
    expect(await store.load(key)).toEqual(parsed(file));
    expect(await shown(id)).toEqual(await shown(imported));
    expect((await client.get(`/v1/sessions/${id}/branches`)).body.data.length).toBe((await client.get(`/v1/sessions/${imported}/branches`)).body.data.length);
    expect((await client.get(`/v1/sessions/${id}`)).body).toMatchObject({ status: 'idle', model: (await client.get(`/v1/sessions/${imported}`)).body.model });
    const found = (await client.get(`/v1/search?q=${WORD}`)).body.data.map(({ sessionId }: UnknownObject) => sessionId);
    expect(found).toEqual(expect.arrayContaining([id, imported]));
    await expectVerified(client, id);
    const row = (await client.get('/v1/sessions?limit=200')).body.data;
    const [mine, theirs] = [id, imported].map((one) => row.find((item: UnknownObject) => item.id === one));
    expect([mine.messageCount, mine.firstText, mine.lastText]).toEqual([theirs.messageCount, theirs.firstText, theirs.lastText]);
  });

  it('keeps the bytes of each line', async () => {
    const key = keyOf();
    const lines = ['{ "type":"x",  "n":1.0, "u":"\\u00e9" }', '{"type":"x","n":12345678901234567890}'];
    expectStatus(await send(key, lines), 200);
    const query = `projectKey=${key.projectKey}&sessionId=${key.sessionId}`;
    expect(expectStatus(await client.get(`/v1/session-store/lines?${query}`), 200).body.data).toEqual(lines);
  });

  it('is continued here, and by the program: each from its own end', async () => {
    const [key, store] = [keyOf(), storeOf(client)];
    const file = new ClaudeFile().user('u1', null, 'first').piece('a1', 'u1', 'm1', text('one'), { stop: 'end_turn' });
    await store.append(key, parsed(file));
    const id = await idOf(key);
    await client.ask(id, 'here {{say ours}}');
    expect((await client.messages(id)).map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(await store.load(key)).toEqual(parsed(file));
    const more = new ClaudeFile().user('u2', 'a1', 'second').piece('a2', 'u2', 'm2', text('two'), { stop: 'end_turn' });
    await store.append(key, parsed(more));
    expect((await shown(id)).map(({ uuid }: UnknownObject) => uuid)).toEqual(['u1', 'a1', 'u2', 'a2'].map((name) => ClaudeFile.uuid(name)));
    expect((await client.get(`/v1/sessions/${id}/branches`)).body.data.length).toBe(2);
    expect(await store.load(key)).toEqual([...parsed(file), ...parsed(more)]);
    await expectVerified(client, id);
  });

  it('knows an append that is repeated: by its key, by uuids, and as a whole', async () => {
    const key = keyOf();
    const [mode, line] = ['{"type":"mode"}', `{"type":"x","uuid":"${randomUUID()}"}`];
    const header = freshKey();
    expect(expectStatus(await send(key, [mode], header), 200).body).toMatchObject({ appended: 1, lines: 1 });
    expect(expectStatus(await send(key, [mode], header), 200).body).toMatchObject({ appended: 0, lines: 1 });
    expectStatus(await send(key, [line], header), 422);
    expect(expectStatus(await send(key, [mode]), 200).body).toMatchObject({ appended: 1, lines: 2 });
    expect(expectStatus(await send(key, [mode, line, line]), 200).body).toMatchObject({ appended: 2, lines: 4 });
    expect(expectStatus(await send(key, [mode, line, line]), 200).body).toMatchObject({ appended: 0, lines: 4 });
    expect(expectStatus(await send(key, [line, mode]), 200).body).toMatchObject({ appended: 1, lines: 5 });
  });

  it('has all lines once, and each program its order, when several append at once', async () => {
    const key = keyOf();
    const second = await startTestServer({}, server.database, client.token);
    try {
      const stores = [client, second.client].map((as) => storeOf(as));
      const entries = stores.map((_, of) => Array.from({ length: 12 }, (__, n) => ({ type: 'x', uuid: randomUUID(), of, n })));
      await Promise.all(stores.flatMap((store, of) => entries[of]!.map((entry) => store.append(key, [entry]))));
      const loaded = (await stores[0]!.load(key))!;
      for (const of of [0, 1]) expect(loaded.filter((entry) => entry['of'] === of)).toEqual(entries[of]);
      expect(loaded.length).toBe(24);
      expect((await stores[1]!.listSessions(key.projectKey)).length).toBe(1);
    } finally {
      await second.stop();
    }
  });

  it('is of its user alone', async () => {
    const [key, store] = [keyOf(), storeOf(client)];
    const entry = { type: 'x', uuid: randomUUID() };
    await store.append(key, [entry]);
    const member = client.as(expectStatus(await client.post('/v1/tokens', { userName: 'other' }), 201).body.token);
    for (const other of [member, await server.tenant('another')]) {
      const theirs = storeOf(other);
      expect([await theirs.load(key), await theirs.listSessions(key.projectKey), await theirs.listSubkeys(key)]).toEqual([null, [], []]);
      await theirs.delete(key);
      await theirs.append(key, [{ ...entry, theirs: true }]);
      expect((await theirs.load(key))!.length).toBe(1);
    }
    expect(await store.load(key)).toEqual([entry]);
    const reading = client.as(expectStatus(await client.post('/v1/tokens', { scopes: ['sessions:read'] }), 201).body.token);
    expectStatus(await send(key, [], {}, reading), 403);
    expect(await storeOf(reading).load(key)).toEqual([entry]);
  });

  it('rejects what is no file of lines', async () => {
    const key = keyOf();
    const line = '{"type":"x"}';
    expect(expectStatus(await send('', []), 400).body).toMatchObject({ code: 'invalid_input' });
    expect(expectStatus(await send('{"projectKey":"p"}', [line]), 400).body).toMatchObject({ errors: [{ pointer: 'line 1: /sessionId' }] });
    for (const bad of ['[1]', 'null', '"x"', '{"type"', '{"type":"\\ud800"'])
      expect(expectStatus(await send(key, [line, bad]), 400).body).toMatchObject({ code: 'invalid_input', errors: [{ pointer: 'line 3' }] });
    expectStatus(await client.post('/v1/session-store', key), 415);
    expect(
      expectStatus(
        await send(
          key,
          Array.from({ length: 201 }, () => line),
        ),
        413,
      ).body,
    ).toMatchObject({ code: 'payload_too_large', limit: 200 });
    expectStatus(await send(key, [JSON.stringify({ type: 'x', text: 'x'.repeat(300_001) })]), 413);
    expectStatus(await client.get(`/v1/session-store/lines?projectKey=p`), 400);
    expect(await storeOf(client).load(key)).toBeNull();
    expectStatus(await send(key, [line], { 'if-match': '"7"' }), 412);
  });

  it('refuses a summary that was made from another one than the present', async () => {
    const key = keyOf();
    const append = (after: number) => send({ ...key, summary: { data: { after }, after } }, [`{"type":"x","uuid":"${randomUUID()}"}`]);
    const { summary } = expectStatus(await append(0), 200).body;
    expect(expectStatus(await append(0), 409).body).toMatchObject({ code: 'summary_outdated', summary });
    expectStatus(await append(summary), 200);
    const stores = [storeOf(client), storeOf(client)];
    await Promise.all(Array.from({ length: 6 }, (_, n) => stores[n % 2]!.append(key, [{ type: 'x', uuid: randomUUID(), customTitle: `title ${n}` }])));
    expect((await stores[0]!.load(key))!.length).toBe(8);
  });

  it('is erased with the session, and begins again under its name', async () => {
    const [key, store] = [keyOf(), storeOf(client)];
    const file = new ClaudeFile().user('u1', null, WORD).piece('a1', 'u1', 'm1', text('one'));
    await store.append(key, parsed(file));
    const id = await idOf(key);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202);
    expect(JSON.stringify(await client.events(id))).not.toContain(WORD);
    expect([await store.load(key), await store.listSessions(key.projectKey)]).toEqual([null, []]);
    await store.append(key, parsed(file));
    const again = (await send(key, file.lines)).body;
    expect([again.id === id, again.lines]).toEqual([false, 2]);
    expect((await shown(again.id)).length).toBe(2);
  });

  it('is one session: forks of it, and imports of its export, are none of its files', async () => {
    const [key, store] = [keyOf(), storeOf(client)];
    await store.append(key, [{ type: 'x', uuid: randomUUID() }]);
    expectStatus(await client.call('DELETE', `/v1/sessions/${await idOf(key)}`), 202);
    await store.append(key, parsed(conversation()));
    const id = await idOf(key);
    const fork = expectStatus(await client.post(`/v1/sessions/${id}/forks`, {}), 201).body.id;
    const exported = expectStatus(await client.get(`/v1/sessions/${id}/export`), 200).body as string;
    const imported = expectStatus(await client.call('POST', '/v1/imports', exported, { 'content-type': 'application/x-ndjson' }), 201).body.id;
    for (const copy of [fork, imported]) expect((await client.get(`/v1/sessions/${copy}`)).body.metadata.sessionFile.session).toBe(key.sessionId);
    expect((await store.listSessions(key.projectKey)).map(({ sessionId }) => sessionId)).toEqual([key.sessionId]);
    expect(await idOf(key)).toBe(id);
    expectStatus(await client.call('DELETE', `/v1/sessions/${fork}`), 202);
    await store.delete(key);
    expect(await store.load(key)).toBeNull();
    expect((await client.messages(imported)).length).toBeGreaterThan(0);
  });

  it('refuses a long summary, and lists few of them at a time', async () => {
    const projectKey = keyOf().projectKey;
    const append = (characters: number) =>
      send({ projectKey, sessionId: randomUUID(), summary: { data: { text: 'é'.repeat(characters) }, after: 0 } }, ['{"type":"x"}']);
    expect(expectStatus(await append(300), 413).body).toMatchObject({ code: 'payload_too_large', limit: 500, errors: [{ pointer: 'line 1: /summary/data' }] });
    for (let n = 0; n < 3; n += 1) expectStatus(await append(240), 200);
    const list = async (more: string) => expectStatus(await client.get(`/v1/session-store?projectKey=${projectKey}${more}`), 200).body;
    expect((await list('')).data.length).toBe(3);
    const first = await list('&summaries=true');
    expect(first.data.length).toBe(2);
    expect((await list(`&summaries=true&cursor=${encodeURIComponent(first.nextCursor)}`)).data.length).toBe(1);
  });

  it('loses the lines so far with a message that is erased, and continues after it', async () => {
    const [key, store] = [keyOf(), storeOf(client)];
    const file = new ClaudeFile().user('u1', null, WORD).piece('a1', 'u1', 'm1', text('one')).user('u2', 'a1', 'next').piece('a2', 'u2', 'm2', text('two'));
    await store.append(key, parsed(file).slice(0, 2));
    const id = await idOf(key);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${ClaudeFile.uuid('u1')}`), 202);
    expect(await store.load(key)).toEqual([]);
    await store.append(key, parsed(file));
    expect(await store.load(key)).toEqual(parsed(file).slice(2));
    expect(JSON.stringify(await client.events(id))).not.toContain(WORD);
    expect((await shown(id)).map(({ uuid }: UnknownObject) => uuid)).toEqual(['u1', 'a1', 'u2', 'a2'].map((name) => ClaudeFile.uuid(name)));
    await expectVerified(client, id);
  });

  it('keeps what was written with a model that may not be asked here', async () => {
    const admin = await server.tenant('models');
    expectStatus(await admin.call('PATCH', '/v1/settings', { models: { tenant: ['claude-haiku-*'] } }), 200);
    expect((await admin.post('/v1/sessions', { model: 'claude-opus-4-8' })).body.code).toBe('model_not_allowed');
    const file = conversation();
    const key = keyOf();
    const { id } = expectStatus(await send(key, file.lines, {}, admin), 200).body;
    expect(await storeOf(admin).load(key)).toEqual(parsed(file));
    expect((await admin.get(`/v1/sessions/${id}/branches`)).body.data.length).toBe(2);
    const turn = await admin.ask(id, 'hello');
    expect([turn.status, turn.error?.code]).toEqual(['failed', 'model_not_allowed']);
  });

  it('says by its code why it fails', async () => {
    const store = storeOf(client.as('wrong'));
    await expect(store.append(keyOf(), [{ type: 'x' }])).rejects.toThrow(ProblemError);
  });
});
