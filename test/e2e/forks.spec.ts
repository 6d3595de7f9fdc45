import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { expectSound, payloadText, provenRequests } from '../support/proofs.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('a fork', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
  });
  afterAll(() => server.stop());

  const fork = async (id: string, body: object = {}, by = client): Promise<UnknownObject> =>
    expectStatus(await by.post(`/v1/sessions/${id}/forks`, body), 201).body;
  const talk = async (turns: number, settings: object = {}): Promise<string> => {
    const id = await client.session(settings);
    for (let turn = 1; turn <= turns; turn += 1) await client.ask(id, `question ${turn}`);
    return id;
  };
  const get = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}`), 200).body;

  it('continues from the newest message, independent of its parent', async () => {
    const id = await talk(2, { title: 'one', system: 'Be brief.', context: { a: 'b' }, metadata: { mine: 1 } });
    const parent = await get(id);
    const answer = expectStatus(await client.post(`/v1/sessions/${id}/forks`, { title: 'two' }), 201);
    const made = answer.body;
    expect(answer.headers.get('location')).toBe(`/v1/sessions/${made.id}`);
    expect(made).toMatchObject({
      title: 'two',
      system: 'Be brief.',
      context: { a: 'b' },
      metadata: { mine: 1 },
      status: 'idle',
      head: parent.head,
      version: 2,
    });
    expect(made.forkedFrom).toEqual({ sessionId: id, at: parent.head, seq: parent.version });
    expect(await get(made.id)).toEqual(made);
    expect(await get(id)).toEqual(parent);
    expect(await client.messages(made.id)).toEqual(await client.messages(id));

    await Promise.all([client.ask(id, 'on this side'), client.ask(made.id, 'on that side')]);
    expect(await payloadText(client, id)).not.toContain('that side');
    expect(await payloadText(client, made.id)).not.toContain('this side');
    expect((await client.messages(made.id)).slice(0, 4)).toEqual((await client.messages(id)).slice(0, 4));
    for (const session of [id, made.id]) {
      await provenRequests(client, session);
      await expectSound(client, session);
    }
    expect((await client.get(`/v1/sessions/${made.id}/requests`)).body.data).toHaveLength(1);
    const events = await client.events(made.id);
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['session.created', 'session.forked']);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const listed = (await client.get('/v1/sessions')).body.data;
    expect(listed.find((row: UnknownObject) => row.id === made.id)).toMatchObject({ title: 'two', status: 'idle' });
  });

  it('costs the same for a long and a short conversation', async () => {
    const sizeOf = async (turns: number): Promise<number> =>
      JSON.stringify((await client.events((await fork(await talk(turns))).id)).map(({ data }) => data)).replace(/"seq":\d+/g, '').length;
    expect(await sizeOf(5)).toBe(await sizeOf(1));
  });

  it('starts at any message of the path, with its permission mode, and rewinds into the shared history', async () => {
    const id = await talk(1);
    await client.call('PATCH', `/v1/sessions/${id}`, { permissionMode: 'plan' });
    await client.ask(id, '  question 2 ');
    await client.ask(id, 'question 3');
    const messages = await client.messages(id);
    const early = await fork(id, { at: messages[1].uuid });
    expect(early).toMatchObject({ head: messages[1].uuid, permissionMode: 'default' });
    const made = await fork(id, { at: messages[3].uuid.toUpperCase() });
    expect(made).toMatchObject({ head: messages[3].uuid, permissionMode: 'plan' });
    await client.ask(made.id, 'other');
    const back = expectStatus(await client.post(`/v1/sessions/${made.id}/rewinds`, { before: messages[2].uuid }), 201).body;
    expect(back).toMatchObject({ head: messages[1].uuid, prompt: { input: '  question 2 ', mode: 'prompt' } });
    await client.ask(made.id, 'instead');
    expectStatus(await client.post(`/v1/sessions/${made.id}/rewinds/${back.id}/restore`), 201);
    expect(await payloadText(client, made.id)).toContain('other');
    await provenRequests(client, made.id);
    await expectSound(client, made.id);
    expect(await client.messages(id)).toEqual(messages);
  });

  it('rejects a message that is not on the path', async () => {
    const id = await talk(2);
    const messages = await client.messages(id);
    await client.post(`/v1/sessions/${id}/rewinds`, { after: messages[1].uuid });
    const gone = expectStatus(await client.post(`/v1/sessions/${id}/forks`, { at: messages[3].uuid }), 409).body;
    expect(gone).toMatchObject({ code: 'message_not_on_path', detail: expect.stringContaining('rewind') });
    const unknown = expectStatus(await client.post(`/v1/sessions/${id}/forks`, { at: '00000000-0000-4000-8000-000000000000' }), 409).body;
    expect(unknown).toMatchObject({ code: 'message_not_on_path', errors: [{ pointer: '/at' }] });
    expectStatus(await client.post(`/v1/sessions/${id}/forks`, { at: 'x' }), 400);
    expectStatus(await client.post(`/v1/sessions/${id}/forks`, {}, { 'if-match': '"1"' }), 412);
  });

  it('of a running session shares complete turns and leaves the session running', async () => {
    const id = await talk(1);
    const head = (await get(id)).head;
    const stream = await client.stream(id);
    const running = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    await stream.untilType('message.delta');
    const made = await fork(id);
    expect(made.head).toBe(head);
    expect((await client.ask(made.id, 'meanwhile')).status).toBe('completed');
    expect(await get(id)).toMatchObject({ status: 'running', turnId: running.turnId });
    await client.post(`/v1/sessions/${id}/interrupt`);
    expect((await client.settled(id, running.turnId)).status).toBe('interrupted');
    stream.close();
    expect(await payloadText(client, made.id)).not.toContain('{{long');
    for (const session of [id, made.id]) await provenRequests(client, session);
  });

  it('is created once per idempotency key, even if the session changes in between', async () => {
    const id = await talk(2);
    const messages = await client.messages(id);
    const key = freshKey();
    const made = expectStatus(await client.post(`/v1/sessions/${id}/forks`, { at: messages[3].uuid }, key), 201).body;
    await client.post(`/v1/sessions/${id}/rewinds`, { before: messages[0].uuid });
    const again = expectStatus(await client.post(`/v1/sessions/${id}/forks`, { at: messages[3].uuid }, key), 201);
    expect(again.body.id).toBe(made.id);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(expectStatus(await client.post(`/v1/sessions/${id}/forks`, {}, key), 422).body.code).toBe('idempotency_mismatch');
    expect(await client.messages(made.id)).toEqual(messages);
  });

  it('of a fork, of nothing, and of a compacted conversation', async () => {
    const empty = await fork(await client.session());
    expect(empty).toMatchObject({ head: null, forkedFrom: { at: null } });
    expect((await client.ask(empty.id, 'hello')).status).toBe('completed');

    const id = await talk(4);
    const before = await client.messages(id);
    const { turnId } = (await client.post(`/v1/sessions/${id}/compactions`)).body;
    await client.settled(id, turnId);
    const short = await fork(id);
    expect(await payloadText(client, short.id)).toBe(await payloadText(client, id));
    const full = await fork(id, { at: before.at(-1).uuid });
    expect(await payloadText(client, full.id)).toContain('question 1');
    await client.ask(short.id, 'question 5');
    const deeper = await fork(short.id);
    const deepest = await fork(deeper.id, { at: before[1].uuid });
    expect(await client.messages(deepest.id)).toEqual(before.slice(0, 2));
    for (const session of [full.id, deeper.id, deepest.id]) {
      expect((await client.ask(session, 'on')).status).toBe('completed');
      await provenRequests(client, session);
      await expectSound(client, session);
    }
    const audit = (await client.get(`/v1/sessions/${deepest.id}/audit`)).body;
    expect(audit.parents.map(({ sessionId }: UnknownObject) => sessionId)).toEqual([deeper.id, short.id, id]);

    for (let turn = 6; turn <= 8; turn += 1) await client.ask(deeper.id, `question ${turn}`);
    const again = (await client.post(`/v1/sessions/${deeper.id}/compactions`)).body;
    expect(await client.settled(deeper.id, again.turnId)).toMatchObject({ stopReason: 'compacted' });
    await provenRequests(client, deeper.id);
    await expectSound(client, deeper.id);
  });

  it('keeps thinking after the prefix it was signed with', async () => {
    const id = await client.session({ model: 'claude-opus-5-5' });
    await client.ask(id, '{{think deeply}}{{say one}}');
    await client.ask(id, '{{think more}}{{say two}}');
    const messages = await client.messages(id);
    const made = await fork(id, { at: messages[3].uuid });
    expect((await client.ask(made.id, 'three')).status).toBe('completed');
    const text = await payloadText(client, made.id);
    expect(text).toContain('deeply');
    expect(text).toContain('more');
    const { body } = await client.post(`/v1/sessions/${made.id}/compactions`);
    await client.settled(made.id, body.turnId);
    expect((await client.ask(made.id, 'four')).status).toBe('completed');
    expect(await payloadText(client, made.id)).not.toContain('"thinking"');
    await provenRequests(client, made.id);
    await expectSound(client, made.id);
  });

  it('is exported completely, and only to those who may read it', async () => {
    const id = await talk(2);
    const made = await fork(id);
    await client.ask(made.id, 'and on');
    const lines = (await client.get(`/v1/sessions/${made.id}/export`)).body as string;
    expect(lines.trim().split('\n')).toHaveLength(1 + 6);
    expect(lines).toContain('question 1');
    const member = client.as((await client.post('/v1/tokens', { userName: 'somebody else' })).body.token);
    const outsider = await server.tenant('another');
    for (const other of [member, outsider]) {
      expectStatus(await other.post(`/v1/sessions/${id}/forks`), 404);
      expectStatus(await other.get(`/v1/sessions/${made.id}`), 404);
    }
    const own = expectStatus(await member.post('/v1/sessions', {}), 201).body.id;
    await member.ask(own, 'mine');
    const theirs = await fork(own, {}, member);
    expect(theirs.userId).not.toBe(made.userId);
    // An editor who forks a session has their own session.
    expectStatus(await member.call('PUT', `/v1/sessions/${own}/grants/user:${made.userId}`, { role: 'editor' }), 200);
    const editorsFork = await fork(own);
    expectStatus(await member.get(`/v1/sessions/${editorsFork.id}`), 404);
  });

  it('serves the images of the shared history to those who may read it only', async () => {
    const id = await client.session();
    await client.ask(id, [{ type: 'text', text: 'look' }, image()]);
    const picture = (await client.messages(id))[0].content.find(({ type }: UnknownObject) => type === 'image');
    expect(picture.source).toMatchObject({ type: 'blob', sha256: expect.any(String) });
    const made = await fork(id);
    expect(await payloadText(client, made.id)).toContain(PIXEL.slice(0, 40));
    await client.ask(made.id, 'again');
    await provenRequests(client, made.id);

    // A key that has been used for a fork of one's own opens no door to another session.
    const member = client.as((await client.post('/v1/tokens', { userName: 'curious' })).body.token);
    const own = await member.session();
    const key = freshKey();
    const theirs = expectStatus(await member.post(`/v1/sessions/${own}/forks`, {}, key), 201).body;
    expect((await member.post(`/v1/sessions/${id}/forks`, {}, key)).status).toBe(422);
    expect((await member.prompt(theirs.id, [picture])).status).toBeGreaterThanOrEqual(400);
    expect((await client.prompt(made.id, [picture])).status).toBe(202);
  });

  it('fails its audit exactly when its shared history was altered', async () => {
    const id = await talk(1);
    const made = await fork(id);
    const deeper = await fork(made.id);
    await client.ask(id, 'later');
    const { seq } = made.forkedFrom;
    const owner = await connect(server.database.ownerUrl, 60_000);
    const tamper = (at: number): Promise<unknown> =>
      owner.query(`UPDATE event SET actor = '{"kind":"user","id":"somebody else"}' WHERE session_id = $1 AND seq = $2`, [id, at]);
    const audit = async (session: string): Promise<UnknownObject> => (await client.get(`/v1/sessions/${session}/audit`)).body;
    try {
      await owner.query('ALTER TABLE event DISABLE TRIGGER USER');
      await tamper(seq + 1);
      expect(await audit(id)).toMatchObject({ valid: false, firstInvalidSeq: seq + 1 });
      for (const session of [made.id, deeper.id]) expect((await audit(session)).valid).toBe(true);
      await tamper(seq);
      for (const session of [made.id, deeper.id]) {
        const told = await audit(session);
        expect(told.valid).toBe(false);
        expect(told).not.toHaveProperty('firstInvalidSeq');
        expect(told.parents.at(-1)).toMatchObject({ sessionId: id, seq, valid: false });
      }
    } finally {
      await owner.query('ALTER TABLE event ENABLE ALWAYS TRIGGER event_immutable, ENABLE ALWAYS TRIGGER event_no_truncate');
      await owner.end();
    }
  });

  it('answers queries of the compute pool', async () => {
    const id = await client.session();
    for (let turn = 0; turn < 3; turn += 1) await client.ask(id, `${turn} ${'text '.repeat(20_000)}`);
    const made = await fork(id);
    await client.ask(made.id, 'small');
    await provenRequests(client, made.id);
    expect((await client.get(`/v1/sessions/${made.id}/payload`)).body.problems).toEqual([]);
  });
});
