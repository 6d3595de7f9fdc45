import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { expectSound, payloadText, provenRequests } from '../support/proofs.js';
import { startTestServer, type TestServer } from '../support/server.js';

const typesOf = (messages: readonly UnknownObject[]): readonly string[] =>
  messages.map(({ type, subtype, isCompactSummary }) => (isCompactSummary ? 'summary' : (subtype ?? type)));
const count = (events: readonly UnknownObject[], type: string): number => events.filter((event) => event.type === type).length;

describe('a requested compaction', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
  });
  afterAll(() => server.stop());

  const compact = async (id: string, instructions?: string): Promise<UnknownObject> =>
    expectStatus(await client.post(`/v1/sessions/${id}/compactions`, instructions === undefined ? {} : { instructions }), 202).body;
  const compacted = async (id: string, instructions?: string): Promise<UnknownObject> => client.settled(id, (await compact(id, instructions)).turnId);
  const talk = async (turns: number, settings: object = {}): Promise<string> => {
    const id = await client.session(settings);
    for (let turn = 1; turn <= turns; turn += 1) await client.ask(id, `question ${turn}`);
    return id;
  };

  it('continues with the summary and the latest turns, keeps all messages for readers, and verifies each request', async () => {
    const id = await talk(4, { tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    const before = await client.messages(id);
    const turn = await compacted(id, 'Keep the numbers.');
    expect(turn).toMatchObject({ status: 'completed', stopReason: 'compacted', requests: [{ purpose: 'compaction', status: 'completed' }] });
    const after = await client.messages(id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(typesOf(after.slice(before.length))).toEqual(['compact_boundary', 'summary']);
    const [boundary, summary] = after.slice(before.length);
    expect(boundary.compactMetadata).toMatchObject({
      trigger: 'manual',
      keptFrom: before[4].uuid,
      keptAfter: summary.uuid,
      omitted: 0,
      preTokens: expect.any(Number),
    });

    const event = (await client.events(id)).find(({ type }) => type === 'session.compacted');
    expect(event.data).toMatchObject({
      boundary: boundary.uuid,
      summary: summary.uuid,
      keptFrom: before[4].uuid,
      trigger: 'manual',
      instructions: 'Keep the numbers.',
      turnId: turn.turnId,
    });

    await client.ask(id, 'question 5');
    const sent = (await client.get(`/v1/sessions/${id}/payload`)).body.payload.messages;
    expect(sent[0].content[0].text).toContain(summary.content[0].text);
    expect(sent.map((message: UnknownObject) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user']);
    expect(JSON.stringify(sent)).toContain('question 3');
    expect(sent.slice(1).some((message: UnknownObject) => JSON.stringify(message).includes('question 1'))).toBe(false);

    const requests = await provenRequests(client, id);
    const asked = requests[4];
    expect(asked).toMatchObject({ purpose: 'compaction', payload: { tool_choice: { type: 'none' }, tools: requests[3].payload.tools } });
    expect(JSON.stringify(asked.payload.messages.at(-1))).toContain('Keep the numbers.');
    expect(asked.prefix.shared).toBeGreaterThanOrEqual(requests[3].payload.messages.length - 1);
    expect(requests.map(({ prefix }) => prefix.cause)).toEqual([undefined, undefined, undefined, undefined, undefined, 'compaction']);
    await expectSound(client, id);

    const shown = await client.messages(id, 'view=transcript&tombstones=true');
    expect(shown.find(({ type }) => type === 'tombstone')).toMatchObject({
      uuid: event.data.compactionId,
      cause: 'compaction',
      removed: before.slice(0, 4).map(({ uuid }) => uuid),
    });
    expect(shown.filter(({ type }) => type !== 'tombstone')).toHaveLength((await client.messages(id)).length);
  });

  it('is queued while a turn runs', async () => {
    const id = await talk(3);
    const first = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    const waiting = await compact(id, 'short');
    expect(waiting).toMatchObject({ disposition: 'queued', position: 1 });
    const last = (await client.prompt(id, 'after it')).body;
    expect((await client.get(`/v1/sessions/${id}/queue`)).body.data[0]).toMatchObject({ mode: 'compact', input: 'short', promptId: waiting.promptId });
    await client.asking(id, first.turnId);
    await client.post(`/v1/sessions/${id}/interrupt`);
    expect((await client.settled(id, first.turnId)).status).toBe('interrupted');
    for (const { turnId } of [waiting, last]) expect((await client.settled(id, turnId)).status).toBe('completed');
    expect(typesOf(await client.messages(id)).slice(-4)).toEqual(['compact_boundary', 'summary', 'user', 'assistant']);
    await provenRequests(client, id);
  });

  it('can be withdrawn, and is idempotent under its key', async () => {
    const id = await talk(3);
    const running = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    const waiting = await compact(id);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/queue/${waiting.promptId}`), 200);
    await client.asking(id, running.turnId);
    await client.post(`/v1/sessions/${id}/interrupt`);
    const key = { 'idempotency-key': `compact-${id}` };
    const one = (await client.post(`/v1/sessions/${id}/compactions`, {}, key)).body;
    const again = await client.post(`/v1/sessions/${id}/compactions`, {}, key);
    expect(again.body.promptId).toBe(one.promptId);
    expect((await client.settled(id, one.turnId)).stopReason).toBe('compacted');
    expect(count(await client.events(id), 'session.compacted')).toBe(1);
  });

  it('reports that there is nothing to compact, at once or in its turn', async () => {
    const id = await talk(2);
    const empty = await client.session();
    for (const session of [empty, id]) expect(expectStatus(await client.post(`/v1/sessions/${session}/compactions`), 409).body.code).toBe('nothing_to_compact');
    await client.ask(id, 'third');
    await compacted(id);
    expect(expectStatus(await client.post(`/v1/sessions/${id}/compactions`), 409).body.code).toBe('nothing_to_compact');

    const other = await client.session();
    await client.prompt(other, '{{slow 100}}{{long 5000}}');
    const { turnId } = await compact(other);
    await client.post(`/v1/sessions/${other}/interrupt`);
    const late = await client.settled(other, turnId);
    expect(late).toMatchObject({ status: 'completed', stopReason: 'nothing_to_compact', requests: [] });
    expect((await client.messages(other)).at(-1)).toMatchObject({ type: 'system', level: 'info' });
    expectStatus(await client.post(`/v1/sessions/${id}/close`), 200);
    expect(expectStatus(await client.post(`/v1/sessions/${id}/compactions`), 409).body.code).toBe('session_closed');
  });

  it('leaves the conversation unchanged when it is interrupted', async () => {
    const id = await talk(4);
    const before = await client.messages(id);
    const sent = await payloadText(client, id);
    const stream = await client.stream(id);
    const { turnId } = await compact(id, '{{slow 100}}{{long 1000}}');
    expect((await stream.untilType('message.delta')).data.purpose).toBe('compaction');
    stream.close();
    await client.post(`/v1/sessions/${id}/interrupt`);
    expect((await client.settled(id, turnId)).status).toBe('interrupted');
    expect(await client.messages(id)).toEqual(before);
    expect(await payloadText(client, id)).toBe(sent);
    await client.ask(id, 'and on');
    expect((await provenRequests(client, id)).at(-1).prefix.cause).toBeUndefined();
  });

  it.each([
    ['calls a tool', '{{tool lookup {}}}', 'compaction_failed'],
    ['is cut off', '{{long 20000}}', 'compaction_failed'],
    ['is rejected', '{{reject question 1}}', 'invalid_request_error'],
  ])('fails in words, and changes nothing, when the answer %s', async (_, instructions, code) => {
    const id = await talk(4);
    const sent = await payloadText(client, id);
    const before = await client.messages(id);
    expect(await compacted(id, instructions)).toMatchObject({ status: 'failed', error: { code } });
    const after = await client.messages(id);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ type: 'system', subtype: 'api_error', content: expect.stringContaining('not compacted') });
    expect(await payloadText(client, id)).toBe(sent);
    await provenRequests(client, id);
    expect((await client.ask(id, 'and on')).status).toBe('completed');
  });

  it('retries after a transient error', async () => {
    const id = await talk(3);
    expect(await compacted(id, '{{fail 529}}')).toMatchObject({
      stopReason: 'compacted',
      requests: [{ status: 'failed', error: { status: 529 } }, { status: 'completed' }],
    });
  });

  it('summarizes less when the conversation does not fit, and reports the omitted messages', async () => {
    const id = await client.session();
    for (let turn = 1; turn <= 6; turn += 1) await client.ask(id, `question ${turn} ${'word '.repeat(400)}`);
    const turn = await compacted(id, '{{window 1600}}');
    expect(turn).toMatchObject({ status: 'completed', stopReason: 'compacted' });
    expect(turn.requests.length).toBeGreaterThan(1);
    expect(turn.requests[0]).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long' } });
    const { data } = (await client.events(id)).find(({ type }) => type === 'session.compacted');
    expect(data.omitted).toBeGreaterThan(0);
    const summary = (await client.messages(id)).find(({ isCompactSummary }) => isCompactSummary).content[0].text;
    expect(summary).toContain('question 4');
    expect(summary).not.toContain('question 1 ');
    await provenRequests(client, id);
    await expectSound(client, id);
  });

  it('fails as too long when one turn alone does not fit', async () => {
    const id = await client.session();
    for (let turn = 1; turn <= 4; turn += 1) await client.ask(id, `question ${turn} ${'word '.repeat(200)}`);
    expect(await compacted(id, '{{window 100}}')).toMatchObject({ status: 'failed', error: { code: 'prompt_too_long', status: 400 } });
    expect(count(await client.events(id), 'session.compacted')).toBe(0);
  });

  it('is undone by a rewind, redone by its restore, and summarizes an earlier summary', async () => {
    const id = await talk(4);
    const full = await client.messages(id);
    const sent = await payloadText(client, id);
    await compacted(id);
    const short = await payloadText(client, id);
    expect(short).not.toBe(sent);
    const boundary = (await client.messages(id)).find(({ subtype }) => subtype === 'compact_boundary');
    const undone = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: boundary.uuid }), 201).body;
    expect(undone.head).toBe(full.at(-1).uuid);
    expect(await payloadText(client, id)).toBe(sent);
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${undone.id}/restore`), 201);
    expect(await payloadText(client, id)).toBe(short);

    await client.ask(id, 'question 5');
    await compacted(id);
    expect((await client.messages(id)).filter(({ isCompactSummary }) => isCompactSummary)).toHaveLength(2);
    const twice = await payloadText(client, id);
    expect(twice.match(/This conversation began earlier/g)).toHaveLength(1);
    expect(twice).toContain('- question 1');
    expect(twice).toContain('question 4');

    // To a message that no request has held since: on the path all the same.
    const back = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: full[2].uuid }), 201).body;
    expect(back).toMatchObject({ head: full[1].uuid, prompt: { input: 'question 2' } });
    expect(await payloadText(client, id)).not.toContain('This conversation began earlier');
    // Into the middle of what a compaction wrote: it does not count then.
    const summary = boundary.uuid;
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${back.id}/restore`), 201);
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { after: summary }), 201);
    expect(await payloadText(client, id)).toBe(sent);
    await provenRequests(client, id);
    await expectSound(client, id);
  });

  it('can be submitted as /compact', async () => {
    const id = await talk(3);
    expect(await client.ask(id, '/compact  Keep the numbers. ')).toMatchObject({ status: 'completed', stopReason: 'compacted' });
    expect((await client.events(id)).find(({ type }) => type === 'session.compacted').data.instructions).toBe('Keep the numbers.');
    const nothing = expectStatus(await client.prompt(id, '/compact'), 202).body;
    expect(nothing).toMatchObject({ disposition: 'answered', display: { level: 'error', text: expect.stringContaining('nothing to compact') } });
    expect((await client.get('/v1/commands')).body.data.map(({ name }: UnknownObject) => name)).toContain('compact');
    await provenRequests(client, id);
  });

  it('is preserved by export and import', async () => {
    const id = await talk(4);
    await compacted(id);
    await client.ask(id, 'question 5');
    await compacted(id);
    const file = (await client.get(`/v1/sessions/${id}/export`)).body;
    const made = expectStatus(await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' }), 201).body;
    expect(await client.messages(made.id)).toEqual(await client.messages(id));
    expect(await payloadText(client, made.id)).toBe(await payloadText(client, id));
  });

  it('never separates a call from its result', async () => {
    const id = await client.session({ tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    for (let turn = 1; turn <= 3; turn += 1) {
      const asked = await client.ask(id, `{{tool lookup {"n":${turn}}}}`);
      const call = (await client.messages(id))
        .findLast(({ type }) => type === 'assistant')
        .message.content.find((block: UnknownObject) => block.type === 'tool_use');
      await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: call.id, content: `result ${turn}` }] });
      await client.settled(id, asked.turnId);
    }
    await compacted(id);
    const text = await payloadText(client, id);
    expect(text).toContain('result 2');
    expect(text).not.toContain('result 1');
    expect(text).not.toContain('missing');
    await expectSound(client, id);
  });
});
