import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('edits, regenerations and branches', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
  });
  afterAll(() => server.stop());

  const textsOf = async (id: string): Promise<readonly string[]> =>
    (await client.messages(id))
      .filter((message) => message.type === 'user' && !message.isMeta)
      .map((message) => (typeof message.content === 'string' ? message.content : message.content.map((block: UnknownObject) => block.text).join('')));
  const branches = async (id: string): Promise<readonly UnknownObject[]> => expectStatus(await client.get(`/v1/sessions/${id}/branches`), 200).body.data;

  it('an edit takes the place of a prompt in one append', async () => {
    const id = await client.session();
    await client.ask(id, 'one');
    await client.ask(id, 'two');
    const before = await client.messages(id);
    const key = freshKey();
    const answer = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { input: 'two, edited', replaces: before[2].uuid.toUpperCase() }, key), 202);
    expect(answer.body).toMatchObject({ disposition: 'started', rewind: { removed: [before[2].uuid, before[3].uuid] } });
    await client.settled(id, answer.body.turnId);
    expect(await textsOf(id)).toEqual(['one', 'two, edited']);

    const events = await client.events(id);
    const at = events.findIndex(({ type }) => type === 'session.rewound');
    const edit = events.slice(at, at + 3);
    expect(edit.map(({ type }) => type)).toEqual(['session.rewound', 'prompt.submitted', 'turn.started']);
    expect(new Set(edit.map(({ time }) => time)).size).toBe(1);
    const replacing = (await client.messages(id))[2];
    expect(edit[0].data).toMatchObject({ before: before[2].uuid, cause: 'edit', replacedBy: replacing.uuid });

    const repeated = await client.post(`/v1/sessions/${id}/prompts`, { input: 'two, edited', replaces: before[2].uuid.toUpperCase() }, key);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(repeated.body).toEqual(answer.body);
    expect((await client.events(id)).filter(({ type }) => type === 'session.rewound')).toHaveLength(1);

    const found = await branches(id);
    expect(found).toEqual([
      {
        tip: before[3].uuid,
        isCurrent: false,
        messages: 4,
        texts: 4,
        forkedAfter: before[1].uuid,
        ownMessages: 2,
        ownTexts: 2,
        begins: { uuid: before[2].uuid, timestamp: before[2].timestamp },
        insteadOf: { uuid: replacing.uuid, timestamp: replacing.timestamp },
        first: { uuid: before[2].uuid, preview: 'two' },
        updatedAt: expect.any(String),
        left: { at: edit[0].time, by: edit[0].actor.id, cause: 'edit', reason: null, rewindId: answer.body.rewind.id, files: false },
      },
      {
        tip: (await client.messages(id)).at(-1).uuid,
        isCurrent: true,
        messages: 4,
        texts: 4,
        forkedAfter: before[1].uuid,
        ownMessages: 2,
        ownTexts: 2,
        begins: { uuid: replacing.uuid, timestamp: replacing.timestamp },
        insteadOf: null,
        first: { uuid: replacing.uuid, preview: 'two, edited' },
        updatedAt: expect.any(String),
        left: null,
      },
    ]);
  });

  it('while a turn runs an edit is rejected, or interrupts the turn first', async () => {
    const id = await client.session();
    await client.ask(id, 'one');
    const [prompt] = await client.messages(id);
    const running = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    const edit = { input: 'edited', replaces: prompt.uuid };
    for (const whenBusy of [undefined, 'enqueue', 'reject']) {
      expect((await client.post(`/v1/sessions/${id}/prompts`, { ...edit, ...(whenBusy ? { whenBusy } : {}) })).body.code).toBe('session_busy');
    }
    expect((await client.post(`/v1/sessions/${id}/regenerate`)).body.code).toBe('session_busy');
    const key = freshKey();
    const answer = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { ...edit, whenBusy: 'interrupt' }, key), 202).body;
    expect((await client.settled(id, running.turnId)).status).toBe('interrupted');
    await client.settled(id, answer.turnId);
    expect(await textsOf(id)).toEqual(['edited']);
    // A repeat must not interrupt the turn that runs now.
    const later = (await client.prompt(id, '{{slow 5}}{{long 200}}')).body;
    const repeated = expectStatus(await client.post(`/v1/sessions/${id}/prompts`, { ...edit, whenBusy: 'interrupt' }, key), 202);
    expect(repeated.body.promptId).toBe(answer.promptId);
    expect((await client.settled(id, later.turnId)).status).toBe('completed');
  });

  it('regenerates the newest answer, or that of an earlier prompt, with pastes and images', async () => {
    const id = await client.session();
    const image = { type: 'image', content: PIXEL, mediaType: 'image/png' };
    const pastedContents = { '1': { type: 'text', content: 'a long text' }, '2': image };
    await client.ask(id, 'Sum up [Pasted text #1] and [Image #2]', { pastedContents });
    await client.ask(id, 'next');
    const before = await client.messages(id);
    const key = freshKey();
    const last = expectStatus(await client.post(`/v1/sessions/${id}/regenerate`, {}, key), 202).body;
    await client.settled(id, last.turnId);
    expect(await textsOf(id)).toHaveLength(2);
    expect((await client.post(`/v1/sessions/${id}/regenerate`, {}, key)).body.promptId).toBe(last.promptId);

    const prompt = before[0];
    const first = expectStatus(await client.post(`/v1/sessions/${id}/regenerate`, { prompt: prompt.uuid }), 202).body;
    await client.settled(id, first.turnId);
    const [again, ...rest] = await client.messages(id);
    expect(rest.map(({ type, isMeta }) => [type, isMeta])).toEqual([
      ['user', true],
      ['assistant', undefined],
    ]);
    expect(again.uuid).not.toBe(prompt.uuid);
    expect(again.content).toEqual(prompt.content);
    expect(again.imagePasteIds).toEqual(prompt.imagePasteIds);

    const causes = (await branches(id)).map(({ left, isCurrent }) => (isCurrent ? 'current' : left.cause));
    expect(causes).toEqual(['regenerate', 'regenerate', 'current']);
  });

  it('every branch can be restored, also one that a restore has left', async () => {
    const id = await client.session();
    await client.ask(id, 'one');
    const one = (await client.messages(id)).at(-1).uuid;
    const [prompt] = await client.messages(id);
    const edit = expectStatus(await client.prompt(id, 'two', { replaces: prompt.uuid }), 202).body;
    await client.settled(id, edit.turnId);
    const two = (await client.messages(id)).at(-1).uuid;

    const key = freshKey();
    const restored = expectStatus(await client.post(`/v1/sessions/${id}/branches/${one}/restore`, {}, key), 201).body;
    expect(restored.head).toBe(one);
    expect(await textsOf(id)).toEqual(['one']);
    expect(await branches(id)).toEqual([
      expect.objectContaining({ tip: two, isCurrent: false, left: expect.objectContaining({ cause: 'restore', rewindId: null }) }),
      expect.objectContaining({ tip: one, isCurrent: true }),
    ]);
    expectStatus(await client.post(`/v1/sessions/${id}/branches/${two}/restore`), 201);
    expect(await textsOf(id)).toEqual(['two']);
    expect((await client.post(`/v1/sessions/${id}/branches/${one}/restore`, {}, key)).body.head).toBe(one);
    expect(await textsOf(id)).toEqual(['two']);
    expectStatus(await client.post(`/v1/sessions/${id}/branches/${two}/restore`), 201);
  });

  it('a prompt of an imported file can be replaced and regenerated', async () => {
    const messages = ['one', 'two'].flatMap((text, index) => [
      { type: 'user', uuid: uuidAt(index * 2), parentUuid: index === 0 ? null : uuidAt(1), timestamp: TIME, message: { role: 'user', content: text } },
      {
        type: 'assistant',
        uuid: uuidAt(index * 2 + 1),
        parentUuid: uuidAt(index * 2),
        timestamp: TIME,
        message: { id: `m${index}`, type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'so' }], stop_reason: 'end_turn' },
      },
    ]);
    const file = messages.map((line) => JSON.stringify({ sessionId: 's', ...line })).join('\n');
    const made = expectStatus(await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' }), 201).body;
    const again = expectStatus(await client.post(`/v1/sessions/${made.id}/regenerate`), 202).body;
    await client.settled(made.id, again.turnId);
    expect(await textsOf(made.id)).toEqual(['one', 'two']);
    const edit = expectStatus(await client.prompt(made.id, 'edited', { replaces: uuidAt(0) }), 202).body;
    await client.settled(made.id, edit.turnId);
    expect(await textsOf(made.id)).toEqual(['edited']);
  });

  it('rejects what cannot be replaced, and changes nothing', async () => {
    const id = await client.session();
    expect((await client.post(`/v1/sessions/${id}/regenerate`)).body.code).toBe('prompt_not_found');
    await client.ask(id, 'one');
    const other = await client.session();
    await client.ask(other, 'elsewhere');
    const [prompt, answer] = await client.messages(id);
    const [foreign] = await client.messages(other);
    const { version } = (await client.get(`/v1/sessions/${id}`)).body;
    const codes = async (answers: readonly Promise<UnknownObject>[]): Promise<readonly unknown[]> =>
      (await Promise.all(answers)).map(({ status, body }) => [status, body.code]);
    expect(
      await codes([
        client.prompt(id, 'x', { replaces: foreign.uuid }),
        client.prompt(id, 'x', { replaces: randomUUID() }),
        client.prompt(id, 'x', { replaces: answer.uuid }),
        client.prompt(id, 'x', { replaces: 'x' }),
        client.prompt(id, '/help', { replaces: prompt.uuid }),
        client.prompt(id, '/nothing-of-that-name', { replaces: prompt.uuid }),
        client.prompt(id, 'exit', { replaces: prompt.uuid }),
        client.prompt(id, 'x', { replaces: prompt.uuid, uuid: prompt.uuid }),
        client.post(`/v1/sessions/${id}/regenerate`, { prompt: foreign.uuid }),
        client.post(`/v1/sessions/${id}/regenerate`, { prompt: answer.uuid }),
        client.post(`/v1/sessions/${id}/regenerate`, { whenBusy: 'enqueue' }),
        client.post(`/v1/sessions/${id}/branches/${prompt.uuid}/restore`),
        client.post(`/v1/sessions/${id}/branches/${foreign.uuid}/restore`),
        client.post(`/v1/sessions/${randomUUID()}/regenerate`),
      ]),
    ).toEqual([
      [409, 'message_not_on_path'],
      [409, 'message_not_on_path'],
      [404, 'prompt_not_found'],
      [400, 'invalid_input'],
      [422, 'unsupported_input'],
      [422, 'unsupported_input'],
      [422, 'unsupported_input'],
      [409, 'message_exists'],
      [409, 'message_not_on_path'],
      [404, 'prompt_not_found'],
      [400, 'invalid_input'],
      [404, 'branch_not_found'],
      [404, 'branch_not_found'],
      [404, 'session_not_found'],
    ]);
    const outsider = await server.tenant('another tenant');
    expect((await outsider.get(`/v1/sessions/${id}/branches`)).body.code).toBe('session_not_found');
    expect((await outsider.post(`/v1/sessions/${id}/regenerate`)).body.code).toBe('session_not_found');
    expect((await outsider.prompt(id, 'x', { replaces: prompt.uuid })).body.code).toBe('session_not_found');
    expect((await client.get(`/v1/sessions/${id}`)).body.version).toBe(version);
  });
});

const TIME = '2026-01-01T00:00:00.000Z';
const uuidAt = (index: number): string => `00000000-0000-4000-8000-00000000000${index}`;

/** One pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
