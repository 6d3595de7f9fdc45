import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { dump, formsOf } from '../support/dump.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let client: Client;
let owner: Connection;

beforeAll(async () => {
  server = await startTestServer({ ERASURE_INTERVAL_MS: '100' });
  client = server.client;
  owner = await connect(server.database.ownerUrl, 60_000);
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

const audit = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}/audit`), 200).body;
const erase = async (path: string, by = client): Promise<UnknownObject> => expectStatus(await by.call('DELETE', `/v1/sessions/${path}`), 202).body;

async function expectGone(secret: string): Promise<void> {
  const lines = await dump(owner);
  expect(lines.filter((line) => formsOf(secret).some((form) => line.includes(form)))).toEqual([]);
}

async function erasedAll(id: string): Promise<void> {
  const { valid, events, erased, rowMatches } = await audit(id);
  expect({ valid, rowMatches }).toEqual({ valid: true, rowMatches: true });
  expect(erased).toBeGreaterThan(0);
  expect(erased).toBeLessThan(events);
}

describe('the erasure of a session', () => {
  it('leaves nothing of its content in the database or in any answer, and the audit valid', async () => {
    const secret = 'kingfisher-9017';
    const id = await client.session({ title: `about ${secret}`, system: secret, context: { note: secret }, metadata: { note: secret } });
    await client.ask(id, `remember ${secret}`);
    await client.ask(id, [{ type: 'text', text: `see ${secret}` }, image(PIXEL)]);
    await client.post(`/v1/sessions/${id}/feedback`, { requestId: (await client.get(`/v1/sessions/${id}/requests`)).body.data[0].requestId, rating: secret });
    expect((await dump(owner)).some((line) => line.includes(secret))).toBe(true);
    const before = await client.events(id);

    const receipt = await erase(`${id}?reason=asked%20for`);
    expect(receipt).toMatchObject({ scope: 'session', messages: null, reason: 'asked for', blobs: 1, forks: [] });
    expect(receipt.endedAt).not.toBeNull();
    expect(receipt.events).toBeGreaterThan(5);
    expect(receipt.bytes).toBeGreaterThan(secret.length * 5);

    await expectGone(secret);
    expect(await owner.query('SELECT FROM blob_use WHERE session_id = $1', [id])).toMatchObject({ rowCount: 0 });
    await erasedAll(id);
    for (const path of [
      '',
      '/messages?view=full',
      '/messages',
      '/events?limit=500',
      '/requests',
      '/branches',
      '/rewinds',
      '/queue',
      '/export',
      '/markdown?thinking=true',
      '/payload',
    ]) {
      const answer = expectStatus(await client.get(`/v1/sessions/${id}${path}`), 200);
      expect([path, JSON.stringify(answer.body).includes(secret)]).toEqual([path, false]);
    }
    const after = await client.events(id);
    expect(after.map(({ seq, type, id: event }) => [seq, type, event]).slice(0, before.length)).toEqual(
      before.map(({ seq, type, id: event }) => [seq, type, event]),
    );
    expect(after.at(-1)).toMatchObject({ type: 'content.erased', data: { isComplete: true } });
    expect(after.filter(({ erased }) => erased)).toHaveLength(receipt.events);
    const messages = await client.messages(id);
    expect(messages.length).toBeGreaterThan(2);
    expect(messages.every(({ erased }) => erased === true)).toBe(true);
    expect((await client.get(`/v1/sessions/${id}/erasures`)).body.data).toEqual([expect.objectContaining({ id: receipt.id, events: receipt.events })]);
    expect((await client.get(`/v1/search?q=${secret}`)).body.data).toEqual([]);
    const row = (await client.get('/v1/sessions?archived=true')).body.data.find((item: UnknownObject) => item.id === id);
    expect(row).toMatchObject({ title: null, firstText: null, lastText: null, messageCount: 0, status: 'closed' });
  });

  it('has no second effect when it is repeated', async () => {
    const id = await client.session({ title: 'twice' });
    await client.ask(id, 'hello');
    const key = freshKey();
    const first = expectStatus(await client.call('DELETE', `/v1/sessions/${id}`, undefined, key), 202).body;
    expect(expectStatus(await client.call('DELETE', `/v1/sessions/${id}`, undefined, key), 202).body).toEqual(first);
    expect(await erase(id)).toEqual(first);
  });

  it('leaves nothing that confirms a guess of a short text', async () => {
    const pin = String(100_000 + Math.floor(Math.random() * 900_000));
    const id = await client.session();
    const body = { input: pin };
    await client.api.submitPrompt({ id, body }).then(({ turnId }) => client.settled(id, turnId!));
    await erase(id);
    const left = (await dump(owner)).filter((line) => line.includes(id)).join('\n');
    expect(left).not.toContain(pin);
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    const guesses = [pin, JSON.stringify(pin), JSON.stringify(body), JSON.stringify([{ type: 'text', text: pin }])];
    for (const guess of guesses) expect(left).not.toContain(hash(guess));
    // Each remaining digest has lost its salt, and no receipt of the commands is left.
    const salts = await owner.query<{ type: string }>('SELECT DISTINCT type FROM event WHERE session_id = $1 AND salt IS NOT NULL', [id]);
    expect(salts.rows.map(({ type }) => type)).not.toContain('prompt.submitted');
    expect(salts.rows.map(({ type }) => type)).not.toContain('request.sent');
    expect(
      await owner.query(`SELECT FROM receipt r JOIN event e USING (tenant_id, command_id) WHERE e.session_id = $1 AND e.type = 'prompt.submitted'`, [id]),
    ).toMatchObject({
      rowCount: 0,
    });
  });

  it('interrupts a running turn, and drops the queue', async () => {
    const id = await client.session();
    await client.prompt(id, 'secret-running {{slow 1000}} {{long 50}}');
    expect((await client.prompt(id, 'secret-queued')).body.disposition).toBe('queued');
    await erase(id);
    await expectGone('secret-queued');
    await expectGone('secret-running');
    expect((await client.get(`/v1/sessions/${id}`)).body).toMatchObject({ status: 'closed', erased: true, queueLength: 0, turnId: null });
    await erasedAll(id);
  });

  it('accepts nothing more afterwards', async () => {
    const id = await client.session();
    const { turnId } = (await client.prompt(id, 'hello')).body;
    await client.settled(id, turnId);
    await erase(id);
    const refused: readonly (readonly [string, string, object])[] = [
      ['POST', '/prompts', { input: 'again' }],
      ['POST', '/reopen', {}],
      ['POST', '/forks', {}],
      ['PATCH', '', { title: 'again' }],
      ['POST', '/rewinds', { before: randomUUID() }],
    ];
    for (const [method, path, body] of refused) {
      expect([path, expectStatus(await client.call(method, `/v1/sessions/${id}${path}`, body), 409).body.code]).toEqual([path, 'session_erased']);
    }
  });

  it('is refused under a legal hold, which only an admin places', async () => {
    const id = await client.session();
    await client.ask(id, 'evidence');
    expect(expectStatus(await client.post(`/v1/sessions/${id}/hold`, { reason: 'case 17' }), 200).body.held).toBe(true);
    expect(expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 409).body.code).toBe('legal_hold');
    const [message] = await client.messages(id);
    expect(expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${message.uuid}`), 409).body.code).toBe('legal_hold');
    expect(JSON.stringify(await client.messages(id))).toContain('evidence');
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/hold`), 200);
    await erase(id);
    await erasedAll(id);
  });

  it('finds no session of another tenant, and no message that is not there', async () => {
    const id = await client.session();
    const other = await server.tenant('other');
    expect(expectStatus(await other.call('DELETE', `/v1/sessions/${id}`), 404).body.code).toBe('session_not_found');
    expect(expectStatus(await other.get(`/v1/sessions/${id}/erasures`), 404).body.code).toBe('session_not_found');
    expect(expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${randomUUID()}`), 404).body.code).toBe('message_not_found');
  });

  it('names the forks, and erases them when it is told to', async () => {
    const id = await client.session({ title: 'shared-title' });
    await client.ask(id, 'shared-secret');
    const fork = (await client.post(`/v1/sessions/${id}/forks`, {})).body.id;
    const second = (await client.post(`/v1/sessions/${fork}/forks`, {})).body.id;
    await client.ask(second, 'on its own');
    const { code, forks } = expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 409).body;
    expect({ code, forks: new Set(forks) }).toEqual({ code: 'session_has_forks', forks: new Set([fork, second]) });
    const receipt = await erase(`${id}?includeForks=true`);
    expect(new Set(receipt.forks as string[])).toEqual(new Set([fork, second]));
    expect((await erase(`${id}?includeForks=true`)).forks).toEqual(receipt.forks);
    await expectGone('shared-secret');
    for (const session of [id, fork, second]) {
      expect(JSON.stringify(await client.messages(session))).not.toContain('shared-secret');
      expect(await audit(session)).toMatchObject({ valid: true });
    }
  });

  it('of a fork leaves its parent as it is, and shows nothing of it', async () => {
    const id = await client.session();
    await client.ask(id, 'of the parent');
    const fork = (await client.post(`/v1/sessions/${id}/forks`, {})).body.id;
    await client.messages(fork);
    await erase(fork);
    expect(JSON.stringify(await client.messages(fork))).not.toContain('of the parent');
    expect(JSON.stringify(await client.messages(id))).toContain('of the parent');
    expect(await audit(id)).toMatchObject({ valid: true, erased: 0 });
  });

  it('takes no file from a session that has the same one', async () => {
    const bytes = image(PIXEL);
    const [one, two] = [await client.session(), await client.session()];
    for (const id of [one, two]) await client.ask(id, [{ type: 'text', text: 'look' }, bytes]);
    await erase(one);
    const [sha256] = (await owner.query<{ sha256: string }>(`SELECT encode(sha256, 'hex') AS sha256 FROM blob_use WHERE session_id = $1`, [two])).rows;
    expect((await client.get(`/v1/sessions/${two}/blobs/${sha256!.sha256}`)).status).toBe(200);
    expect((await client.get(`/v1/sessions/${one}/blobs/${sha256!.sha256}`)).status).toBe(404);
  });
});

describe('the erasure of a message', () => {
  const uuidOf = async (id: string, text: string): Promise<string> =>
    (await client.messages(id)).find((message) => message.type === 'user' && JSON.stringify(message).includes(text)).uuid;

  it('takes a pasted password out of everything, and the conversation continues', async () => {
    const secret = 'tr0ub4dor-7719';
    const id = await client.session({ system: 'Be brief.' });
    await client.ask(id, 'first question');
    await client.ask(id, '[Pasted text #1]', {
      pastedContents: { 1: { type: 'text', content: `password ${secret}` } },
      attachments: [{ type: 'selected_lines_in_ide', filename: 'a', content: secret }],
    });
    await client.ask(id, 'third question');
    const uuid = await uuidOf(id, secret);
    const receipt = await erase(`${id}/messages/${uuid}`);
    expect(receipt).toMatchObject({ scope: 'message', blobs: 0, forks: [] });
    expect(receipt.messages[0]).toBe(uuid);
    // The offline model repeats what it is told: the answer is its own message.
    const quoting = (await client.messages(id)).filter((message) => JSON.stringify(message).includes(secret));
    expect(new Set(quoting.map(({ type }) => type))).toEqual(new Set(quoting.length > 0 ? ['assistant'] : []));
    for (const message of quoting) await erase(`${id}/messages/${message.uuid}`);
    await expectGone(secret);
    await erasedAll(id);

    expect(JSON.stringify(await client.messages(id))).toContain('first question');
    expect(await client.ask(id, 'fourth question')).toMatchObject({ status: 'completed' });
    const { payload, problems } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(problems).toEqual([]);
    expect(JSON.stringify(payload)).toContain('[Erased]');
    expect(JSON.stringify(payload)).toContain('third question');
    const requests = (await client.get(`/v1/sessions/${id}/requests`)).body.data;
    const views = await Promise.all(requests.map(async ({ requestId }: UnknownObject) => (await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body));
    expect(views.map(({ erased, verified }) => [erased, verified])).toEqual([
      [false, true],
      [true, null],
      [true, null],
      [false, true],
    ]);
    expect(await erase(`${id}/messages/${uuid}`)).toMatchObject({ id: receipt.id, events: receipt.events });
    expect((await client.get(`/v1/sessions/${id}/erasures`)).body.data.length).toBeGreaterThan(0);
    await erase(id);
    await erasedAll(id);
  });

  it('takes what became no message, by the id of its prompt: a command that does not exist, a withdrawn prompt', async () => {
    const [unknown, withdrawn] = ['hunter2-unknown-4711', 'hunter2-withdrawn-4712'];
    const id = await client.session({ tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    const answered = expectStatus(await client.prompt(id, `/login ${unknown}`), 202).body;
    expect(answered.disposition).toBe('answered');
    expect((await client.ask(id, '{{tool lookup {}}}')).status).toBe('waiting');
    const queued = expectStatus(await client.prompt(id, withdrawn), 202).body;
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/queue/${queued.promptId}`), 200);
    for (const { promptId } of [answered, queued]) {
      const receipt = await erase(`${id}/messages/${promptId}`);
      expect(await erase(`${id}/messages/${promptId}`)).toMatchObject({ id: receipt.id });
    }
    for (const secret of [unknown, withdrawn]) await expectGone(secret);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    await erase(id);
    await erasedAll(id);
  });

  it('of a prompt leaves nothing to regenerate, which is said', async () => {
    const id = await client.session();
    await client.ask(id, 'to be erased');
    const uuid = await uuidOf(id, 'to be erased');
    await erase(`${id}/messages/${uuid}`);
    const named = expectStatus(await client.post(`/v1/sessions/${id}/regenerate`, { prompt: uuid }), 404).body;
    expect(named).toMatchObject({ code: 'prompt_not_found', errors: [{ pointer: '/prompt' }] });
    expect(named.detail).toContain('was erased');
    expect(expectStatus(await client.post(`/v1/sessions/${id}/regenerate`, {}), 404).body).not.toHaveProperty('errors');
  });

  it('takes a picture with its bytes', async () => {
    const id = await client.session();
    await client.ask(id, [{ type: 'text', text: 'a private picture' }, image(PIXEL)]);
    expect(await erase(`${id}/messages/${await uuidOf(id, 'a private picture')}`)).toMatchObject({ blobs: 1 });
    expect(await owner.query('SELECT FROM blob_use WHERE session_id = $1', [id])).toMatchObject({ rowCount: 0 });
    expect(await client.ask(id, 'and now?')).toMatchObject({ status: 'completed' });
    await erasedAll(id);
  });

  it('of an answer with tool calls takes their inputs, and the results stay acceptable', async () => {
    const id = await client.session({ tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    const turn = await client.ask(id, 'use it {{tool lookup {"key":"call-secret"}}}');
    expect(turn.status).toBe('waiting');
    const toolUseId = turn.toolCalls[0].toolUseId;
    await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId, content: 'result-secret' }] });
    await client.settled(id, turn.turnId);
    const all = await client.messages(id);
    const call = all.find(({ message }) => JSON.stringify(message ?? null).includes('call-secret'));
    await erase(`${id}/messages/${call.uuid}`);
    const left = (await client.events(id)).filter((event) => JSON.stringify(event).includes('call-secret'));
    expect(new Set(left.map(({ type }) => type))).toEqual(new Set(['prompt.submitted', 'message.appended'])); // the prompt itself
    expect(left.filter(({ data }) => data.message?.type === 'assistant')).toEqual([]);
    expect((await client.get(`/v1/sessions/${id}/payload`)).body.problems).toEqual([]);
    const result = all.find((message) => JSON.stringify(message.content ?? null).includes('result-secret'));
    await erase(`${id}/messages/${result.uuid}`);
    expect((await client.get(`/v1/sessions/${id}/payload`)).body.problems).toEqual([]);
    expect(await client.ask(id, 'go on')).toMatchObject({ status: 'completed' });
    await erasedAll(id);
  });

  it('takes it out of the forks that show it', async () => {
    const id = await client.session();
    await client.ask(id, 'fork-secret');
    const uuid = await uuidOf(id, 'fork-secret');
    const fork = (await client.post(`/v1/sessions/${id}/forks`, {})).body.id;
    await client.ask(fork, 'on its own');
    expect(expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${uuid}`), 409).body).toMatchObject({
      code: 'session_has_forks',
      forks: [fork],
    });
    expect(expectStatus(await client.call('DELETE', `/v1/sessions/${fork}/messages/${uuid}`), 404).body.code).toBe('message_not_found');
    for (let repeat = 0; repeat < 2; repeat += 1) expect((await erase(`${id}/messages/${uuid}?includeForks=true`)).forks).toEqual([fork]);
    const shown = (await client.messages(fork)).find((message) => message.uuid === uuid);
    expect(shown).toMatchObject({ erased: true, content: '[Erased]' });
    expect((await client.get(`/v1/sessions/${fork}/payload`)).body.problems).toEqual([]);
    expect(await audit(fork)).toMatchObject({ valid: true });
  });
});

describe('the audit of an erased session', () => {
  it('finds an event that was erased without an event that says so, and one with other data left', async () => {
    const [one, two] = [await client.session(), await client.session()];
    for (const id of [one, two]) await client.ask(id, 'hello');
    await erase(two);
    await owner.query('DROP TRIGGER event_immutable ON event');
    await owner.query(`UPDATE event SET salt = NULL, data = '{"promptId":"x"}' WHERE session_id = $1 AND type = 'turn.started'`, [one]);
    await owner.query(`UPDATE event SET data = '{"turnId":"x"}' WHERE session_id = $1 AND type = 'request.sent'`, [two]);
    const seqOf = async (id: string, type: string): Promise<number> =>
      Number((await owner.query('SELECT seq FROM event WHERE session_id = $1 AND type = $2', [id, type])).rows[0].seq);
    expect((await audit(one)).firstInvalidSeq).toBe(await seqOf(one, 'turn.started'));
    expect((await audit(two)).firstInvalidSeq).toBe(await seqOf(two, 'request.sent'));
  });
});
