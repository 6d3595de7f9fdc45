import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { connect } from '../../src/platform/postgres/connect.js';
import { call, ClaudeFile, text, thinking } from '../support/claude-file.js';
import { type Answer, type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { messageHash, PARAMS, RecordedFile, SHAPE, sha256, shapeHash } from '../support/client-requests.js';
import { freshDatabase } from '../support/database.js';
import { dump, formsOf } from '../support/dump.js';
import { keysOf, textOf } from '../support/encryption.js';
import { PIXEL } from '../support/normalize/build.js';
import { runs } from '../support/property-runs.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startTestServer({});
  client = server.client;
});
afterAll(() => server.stop());

async function send(body: string, as: Client = client): Promise<Answer<UnknownObject>> {
  const response = await fetch(`${as.baseUrl}/v1/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as.token}`, 'content-type': 'application/x-ndjson' },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const imported = async (file: ClaudeFile): Promise<UnknownObject> => expectStatus(await send(file.text), 201).body;
const listed = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}/requests`), 200).body;
async function request(id: string, clientId: string): Promise<UnknownObject> {
  const { requestId } = (await listed(id)).client.find((one: UnknownObject) => one.clientId === clientId);
  return expectStatus(await client.get(`/v1/sessions/${id}/requests/${requestId}`), 200).body;
}
const exported = async (id: string): Promise<readonly string[]> =>
  (expectStatus(await client.get(`/v1/sessions/${id}/export`), 200).body as string).split('\n').filter((line) => line.includes('"api-request'));

const prompt = { role: 'user', content: 'Two commands, please' };
const reminder = { role: 'user', content: [{ type: 'text', text: '<system-reminder>Today is Monday</system-reminder>' }] };
const answer = { role: 'assistant', content: [thinking('Both at once'), call('toolu_1'), call('toolu_2')] };
const results = {
  role: 'user',
  content: [
    { tool_use_id: 'toolu_1', type: 'tool_result', content: 'one' },
    { tool_use_id: 'toolu_2', type: 'tool_result', content: 'two' },
  ],
};

/** Two requests: the second one continues the first. The reminder is in no line of the transcript. */
const recorded = (): RecordedFile =>
  new RecordedFile()
    .user('u1', null, 'Two commands, please')
    .shape()
    .blob(reminder)
    .request('first', { tail: [messageHash(reminder), messageHash(prompt)] })
    .piece('a1', 'u1', 'msg_1', thinking('Both at once'))
    .piece('a2', 'a1', 'msg_1', call('toolu_1'))
    .result('r1', 'a2', 'toolu_1', 'one')
    .piece('a3', 'a2', 'msg_1', call('toolu_2'), { stop: 'tool_use' })
    .result('r2', 'a3', 'toolu_2', 'two')
    .request('second', {
      base: 'first',
      keep: 2,
      tail: [messageHash(answer), messageHash(results)],
      members: { cacheControl: [{ path: ['messages', 3, 'content', 1], value: { type: 'ephemeral' } }] },
    })
    .piece('b1', 'r2', 'msg_2', text('Done'), { stop: 'end_turn' });

describe('an imported file with the requests of its program', () => {
  it('shows what was sent, made of lines and stored messages and verified by hash, beside what is stored', async () => {
    const { id, clientRequests, retained } = await imported(recorded());
    expect(clientRequests).toEqual({ requests: 2, findings: [], findingsTotal: 0 });
    expect(retained).toEqual({ 'api-request': 2, 'api-request-blob': 1, 'api-request-shape': 1 });
    const { data, client: ofClient } = await listed(id);
    expect(data).toEqual([]);
    expect(ofClient).toMatchObject([
      { clientId: 'first', recordedBy: 'client', model: PARAMS.model, querySource: 'sdk', line: 4, erased: false },
      { clientId: 'second', recordedBy: 'client', line: 10 },
    ]);

    const { betas, ...parameters } = PARAMS;
    expect(await request(id, 'first')).toMatchObject({
      recordedBy: 'client',
      payload: { ...parameters, ...SHAPE, messages: [reminder, { role: 'user', content: [text('Two commands, please')] }] },
      parameters: PARAMS,
      betas,
      proof: 'canonical',
      verified: true,
      fault: null,
      original: [{ uuid: ClaudeFile.uuid('u1') }],
      parts: [
        { hash: messageHash(reminder), from: 'file', line: 3, uuids: [] },
        { hash: messageHash(prompt), from: 'transcript', line: null, uuids: [ClaudeFile.uuid('u1')] },
      ],
      shape: { hash: shapeHash(SHAPE), line: 2 },
    });

    const second = await request(id, 'second');
    const marked = { ...results, content: [results.content[0], { ...results.content[1], cache_control: { type: 'ephemeral' } }] };
    expect(second.payload.messages).toEqual([reminder, { role: 'user', content: [text('Two commands, please')] }, answer, marked]);
    expect(second).toMatchObject({ base: 'first', keep: 2, verified: true, markers: [{ isPlaced: true }] });
    expect(second.parts.map(({ from, uuids }: UnknownObject) => [from, uuids])).toEqual([
      ['file', []],
      ['transcript', [ClaudeFile.uuid('u1')]],
      ['transcript', [ClaudeFile.uuid('a1')]],
      ['transcript', [ClaudeFile.uuid('r1'), ClaudeFile.uuid('r2')]],
    ]);
    expect(second.payload).not.toHaveProperty('betas');
    const audit = (await client.get(`/v1/sessions/${id}/audit`)).body;
    expect(audit).toMatchObject({ valid: true });
  });

  it('is imported with a finding for each line that does not fit, and such a request says what is missing', async () => {
    const file = recorded()
      .blob({ role: 'user', content: 'altered' }, { hash: 'a'.repeat(64) })
      .request('missing', { tail: [messageHash(prompt), 'b'.repeat(64)] })
      .request('altered', { tail: ['a'.repeat(64)] })
      .request('orphan', { base: 'nobody', keep: 1, tail: [] })
      .request('greedy', { base: 'first', keep: 3, tail: [] })
      .request('shapeless', { tail: [], members: { shapeHash: 'c'.repeat(64) } })
      .request('first', { tail: [] })
      .shape({ system: 'another', tools: [] }, { shapeHash: 'd'.repeat(64) });
    const { id, clientRequests, imported: messages } = await imported(file);
    expect(messages).toBe(5);
    expect(clientRequests).toEqual({
      requests: 7,
      findings: [
        { line: 12, hash: 'a'.repeat(64), reason: expect.stringContaining('has not the content') },
        { line: 13, hash: 'b'.repeat(64), reason: expect.stringContaining('neither in the file') },
        { line: 14, hash: 'a'.repeat(64), reason: expect.stringContaining('neither in the file') },
        { line: 15, hash: null, reason: 'continues a request that the file does not have' },
        { line: 16, hash: null, reason: 'keeps 3 messages of a request that has 2' },
        { line: 17, hash: 'c'.repeat(64), reason: expect.stringContaining('system prompt and tools') },
        { line: 18, hash: null, reason: expect.stringContaining('earlier request') },
        { line: 19, hash: 'd'.repeat(64), reason: expect.stringContaining('has not the content') },
      ],
      findingsTotal: 8,
    });
    for (const [name, words] of [
      ['missing', 'b'.repeat(64)],
      ['altered', 'a'.repeat(64)],
      ['orphan', 'Line 15 continues a request that the file does not have.'],
      ['greedy', 'Line 16 keeps 3 messages'],
      ['shapeless', 'c'.repeat(64)],
    ] as const) {
      expect(await request(id, name)).toMatchObject({ payload: null, verified: false, erased: false, fault: expect.stringContaining(words) });
    }
    expect(await request(id, 'first')).toMatchObject({ verified: true });
    const events = await client.events(id);
    expect(events.at(-1)!.data.clientRequests).toEqual(clientRequests);
  });

  it('exports its lines exactly, and an import of the export shows the same', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
    const file = recorded()
      .blob({ role: 'user', content: [image, { type: 'text', text: 'from a blob' }] })
      .user('u2', 'b1', [image])
      .request('images', { base: 'second', keep: 4, tail: [messageHash({ role: 'user', content: [image] })] })
      .request('blob', { tail: [messageHash({ role: 'user', content: [image, { type: 'text', text: 'from a blob' }] })] });
    const lines = file.lines.filter((line) => line.includes('"api-request'));
    const { id, clientRequests } = await imported(file);
    expect(clientRequests.findings).toEqual([]);
    expect(await exported(id)).toEqual(lines);

    const whole = expectStatus(await client.get(`/v1/sessions/${id}/export`), 200).body as string;
    const again = expectStatus(await send(whole), 201).body;
    expect(again).toMatchObject({ source: 'verbatim', clientRequests: { requests: 4, findings: [] }, skippedTotal: 0 });
    for (const name of ['first', 'second', 'images', 'blob']) {
      const { payload, verified } = await request(id, name);
      expect(verified).toBe(true);
      expect((await request(again.id, name)).payload).toEqual(payload);
    }
    expect((await request(id, 'images')).payload.messages.at(-1)).toEqual({ role: 'user', content: [image] });
    const current = expectStatus(await client.get(`/v1/sessions/${id}/export?branches=current`), 200).body as string;
    expect(current).not.toContain('api-request');
  });

  it('shows nothing of a request once one of the messages is erased, but that there was one', async () => {
    const { id } = await imported(recorded());
    const { requestId } = (await listed(id)).client[0];
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${ClaudeFile.uuid('u1')}`), 202);
    expect((await listed(id)).client).toMatchObject([
      { requestId, clientId: 'first', erased: true, model: null, querySource: null },
      { clientId: 'second', erased: true },
    ]);
    expect(await request(id, 'first')).toMatchObject({ erased: true, verified: null, payload: null, parts: [], original: [], parameters: {} });
    expect(await exported(id)).toEqual([]);
    const everything = JSON.stringify(await client.events(id));
    for (const gone of ['Today is Monday', 'You are a program', messageHash(reminder), messageHash(prompt)]) expect(everything).not.toContain(gone);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  });

  it('leaves no hash of erased content among the findings of its import', async () => {
    const hidden = { role: 'user', content: 'altered' };
    const file = recorded()
      .blob(hidden, { hash: 'a'.repeat(64) })
      .request('missing', { tail: [messageHash(prompt), 'b'.repeat(64)] });
    const { id, clientRequests } = await imported(file);
    expect(clientRequests.findingsTotal).toBe(2);
    expect(JSON.stringify(await client.events(id))).not.toContain(messageHash(hidden));
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${ClaudeFile.uuid('u1')}`), 202);
    const everything = JSON.stringify(await client.events(id));
    for (const gone of ['a'.repeat(64), 'b'.repeat(64), messageHash(hidden)]) expect(everything).not.toContain(gone);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  });

  it('is not put together when it names more than the model API accepts', async () => {
    const long = { role: 'user', content: 'x'.repeat(1_000_000) };
    const file = recorded()
      .blob(long)
      .request('repeated', { tail: Array.from({ length: 40 }, () => messageHash(long)) })
      .request('fits', { tail: [messageHash(long), messageHash(long)] });
    const { id } = await imported(file);
    const { requestId } = (await listed(id)).client.find((one: UnknownObject) => one.clientId === 'repeated');
    expect(await client.get(`/v1/sessions/${id}/requests/${requestId}`)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    expect(await request(id, 'fits')).toMatchObject({ verified: true });
  });

  it('marks the message that a marker names, not the same one elsewhere', async () => {
    const again = { role: 'user', content: [text('continue')] };
    const file = recorded()
      .blob(again)
      .request('twice', {
        tail: [messageHash(again), messageHash(answer), messageHash(again)],
        members: { cacheControl: [{ path: 'messages.2.content.0', value: { type: 'ephemeral' } }] },
      });
    const { id } = await imported(file);
    const { payload } = await request(id, 'twice');
    expect(payload.messages[0]).toEqual(again);
    expect(payload.messages[2].content).toEqual([{ ...text('continue'), cache_control: { type: 'ephemeral' } }]);
  });

  it('has its system prompt, tools and messages from what the hashes prove, and its parameters from the parameters', async () => {
    const shape = { ...SHAPE, model: 'another-model', max_tokens: 1 };
    const bare = { tools: [] };
    const unproved = { ...PARAMS, system: 'unproved', tools: [{ name: 'Unproved' }], messages: [] };
    const file = recorded()
      .shape(shape)
      .state('api-request-shape', { shapeHash: sha256(bare), shape: bare })
      .request('wide', { tail: [messageHash(prompt)], members: { shapeHash: shapeHash(shape) } })
      .request('bare', { tail: [messageHash(prompt)], members: { shapeHash: sha256(bare), params: unproved } });
    const { id, clientRequests } = await imported(file);
    expect(clientRequests.findings).toEqual([]);
    expect((await request(id, 'wide')).payload).toMatchObject({ ...SHAPE, model: PARAMS.model, max_tokens: PARAMS.max_tokens });
    const { payload, verified } = await request(id, 'bare');
    expect(verified).toBe(true);
    expect(payload).not.toHaveProperty('system');
    expect(payload).toMatchObject({ tools: [], messages: [{ role: 'user' }] });
  });

  it('is not changed by a marker that is not placed', async () => {
    const shape = { system: 'A text', tools: [] };
    const file = recorded()
      .shape(shape)
      .blob({ role: 'user', content: 'a text' })
      .request('unplaced', {
        tail: [messageHash({ role: 'user', content: 'a text' })],
        members: {
          shapeHash: shapeHash(shape),
          cacheControl: ['system', 'system.5', 'messages.0.content'].map((path) => ({ path, value: { type: 'ephemeral' } })),
        },
      });
    const { id } = await imported(file);
    const { payload, markers } = await request(id, 'unplaced');
    expect(markers.map(({ isPlaced }: UnknownObject) => isPlaced)).toEqual([false, false, false]);
    expect(payload).toMatchObject({ system: 'A text', messages: [{ role: 'user', content: 'a text' }] });
  });

  it('stays with its own session: a fork has its messages, not its requests', async () => {
    const { id } = await imported(recorded());
    const fork = expectStatus(await client.post(`/v1/sessions/${id}/forks`, {}, freshKey()), 201).body;
    expect((await listed(fork.id)).client).toEqual([]);
    expect(await exported(fork.id)).toEqual([]);
    const { requestId } = (await listed(id)).client[0];
    expectStatus(await client.get(`/v1/sessions/${fork.id}/requests/${requestId}`), 404);
    expect(await request(id, 'second')).toMatchObject({ verified: true });
  });

  it('does not let a line add members to anything but the payload', async () => {
    const paths = ['/__proto__/polluted', 'messages.0.__proto__', ['constructor', 'prototype'], 'params', '/messages/9/content/0', 7, 'messages[0].content[0]'];
    const file = new RecordedFile()
      .user('u1', null, 'Two commands, please')
      .shape()
      .request('marked', { tail: [messageHash(prompt)], members: { cacheControl: paths.map((path) => ({ path, value: { type: 'ephemeral' } })) } })
      .piece('a1', 'u1', 'msg_1', text('Done'), { stop: 'end_turn' });
    const { id } = await imported(file);
    const { markers, payload } = await request(id, 'marked');
    expect(markers.map(({ isPlaced }: UnknownObject) => isPlaced)).toEqual([false, false, false, false, false, false, true]);
    expect(payload.messages).toEqual([{ role: 'user', content: [{ ...text('Two commands, please'), cache_control: { type: 'ephemeral' } }] }]);
    expect(({} as UnknownObject)['cache_control']).toBeUndefined();
  });

  it('shows the messages of any chain of requests', async () => {
    const links = fc.array(fc.record({ base: fc.nat(), keep: fc.nat(), tail: fc.array(fc.nat({ max: 7 }), { maxLength: 4 }) }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(links, async (chain) => {
        const words = (index: number) => ({ role: 'user', content: [{ type: 'text', text: `words ${index}` }] });
        const file = new RecordedFile().shape();
        const expected: number[][] = [];
        // Even ones are messages of the transcript, odd ones stand in lines of their own.
        for (let index = 0; index < 8; index += 1) {
          if (index % 2 === 1) file.blob(words(index));
          else
            file
              .user(`u${index}`, index === 0 ? null : `a${index - 2}`, `words ${index}`)
              .piece(`a${index}`, `u${index}`, `m${index}`, text('yes'), { stop: 'end_turn' });
        }
        chain.forEach(({ base, keep, tail }, index) => {
          const at = index === 0 ? null : base % (index + 1);
          const before = at === null || at === index ? [] : expected[at]!;
          const kept = before.length === 0 ? 0 : keep % (before.length + 1);
          expected.push([...before.slice(0, kept), ...tail]);
          const link = at === null || at === index ? {} : { base: `request ${at}`, keep: kept };
          file.request(`request ${index}`, { ...link, tail: tail.map((one) => messageHash(words(one))) });
        });
        const { id, clientRequests } = await imported(file);
        expect(clientRequests).toEqual({ requests: chain.length, findings: [], findingsTotal: 0 });
        for (const [index, messages] of expected.entries()) {
          const view = await request(id, `request ${index}`);
          expect(view).toMatchObject({ verified: true, fault: null });
          expect(view.payload.messages).toEqual(messages.map(words));
        }
      }),
      runs(12),
    );
  });
});

it('is encrypted in the database, and verified as without encryption', async () => {
  const database = await freshDatabase();
  const owner = await connect(database.ownerUrl, 60_000);
  const encrypted = await startTestServer({ ENCRYPTION: 'on', ENCRYPTION_KEYS: textOf(keysOf('one')) }, database);
  try {
    const { id } = expectStatus(await send(recorded().text, encrypted.client), 201).body;
    const { requestId } = (await encrypted.client.get(`/v1/sessions/${id}/requests`)).body.client[0];
    expect((await encrypted.client.get(`/v1/sessions/${id}/requests/${requestId}`)).body).toMatchObject({ verified: true, clientId: 'first' });
    const lines = (await dump(owner)).join('\n');
    for (const secret of ['Today is Monday', 'You are a program', messageHash(reminder)]) {
      expect(formsOf(secret).filter((form) => lines.includes(form))).toEqual([]);
    }
  } finally {
    await encrypted.stop();
    await owner.end();
    await database.drop();
  }
});
