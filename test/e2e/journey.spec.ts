import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { describeWithRedis } from '../support/needs.js';
import { type Environment, startTestServer, type TestServer } from '../support/server.js';

describe('a conversation', () => conversation({}));
describeWithRedis('a conversation, with Redis', (url) => conversation({ REDIS_URL: url }));

/** The main job, end to end: a prompt goes in, the model answers, nothing is lost, and it can be rewound, restored and audited. */
function conversation(environment: Environment): void {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer(environment);
    client = server.client;
  });
  afterAll(() => server.stop());

  const texts = (messages: readonly UnknownObject[]): readonly string[] =>
    messages.map((message) =>
      message.type === 'assistant'
        ? message.message.content.map((block: UnknownObject) => block.text ?? block.type).join('')
        : typeof message.content === 'string'
          ? message.content
          : message.content.map((block: UnknownObject) => block.text ?? block.type).join(''),
    );

  it('answers a prompt, streams the answer and records usage', async () => {
    const id = await client.session({ title: 'one', system: 'Be brief.' });
    const stream = await client.stream(id);
    await stream.untilType('synced');
    const turn = await client.ask(id, 'Hello there');
    expect(turn).toMatchObject({ status: 'completed', stopReason: 'end_turn', error: null });
    expect(turn.requests).toHaveLength(1);
    expect(turn.usage.requests).toBe(1);
    expect(turn.checkpoints.map((mark: UnknownObject) => mark.label)).toContain('query_hooks_end');

    await stream.untilType('turn.completed');
    stream.close();
    const deltas = stream.events.filter((event) => event.event === 'message.delta');
    expect(deltas.length).toBeGreaterThan(0);
    expect(deltas.every((event) => event.id === null)).toBe(true);
    expect(stream.stored().map((event) => Number(event.id))).toEqual(stream.stored().map((_, index) => index + 1));

    const messages = await client.messages(id, 'view=transcript');
    expect(messages.map((message: UnknownObject) => message.type)).toEqual(['user', 'assistant']);
    expect(texts(messages)[0]).toBe('Hello there');
    expect(texts(messages)[1]).toContain('Hello there');
    const session = expectStatus(await client.get(`/v1/sessions/${id}`), 200);
    expect(session.body).toMatchObject({ status: 'idle', queueLength: 0, head: messages[1].uuid, title: 'one' });
    expect(session.headers.get('etag')).toBe(`"${session.body.version}"`);
  });

  it('keeps text byte for byte', async () => {
    const id = await client.session();
    const nasty = 'nul \u0000, lone \ud83d and \udc00, é and e\u0301, 🧵, \u2028, "quotes" \\ \t {"a":1}';
    const { body } = await client.prompt(id, [{ type: 'text', text: nasty }]);
    await client.settled(id, body.turnId);
    const [prompt] = await client.messages(id);
    expect(prompt.content[0].text).toBe(nasty);
    const { body: request } = await client.get(`/v1/sessions/${id}/requests`);
    const { body: sent } = await client.get(`/v1/sessions/${id}/requests/${request.data[0].requestId}`);
    expect(sent.verified).toBe(true);
    expect(sent.original[0].content[0].text).toBe(nasty);
    expect(sent.payload.messages[0].content[0].text.isWellFormed()).toBe(true);
    expect(sent.trace.some((entry: UnknownObject) => entry.action === 'changed' && entry.source.uuid === prompt.uuid)).toBe(true);
  });

  it('queues prompts while a turn runs, lists and withdraws them, and keeps their order', async () => {
    const id = await client.session();
    const first = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    expect(first).toMatchObject({ disposition: 'started' });
    const second = (await client.prompt(id, 'second')).body;
    const third = (await client.prompt(id, 'third')).body;
    const fourth = (await client.prompt(id, 'fourth')).body;
    expect([second, third, fourth].map((answer) => [answer.disposition, answer.position])).toEqual([
      ['queued', 1],
      ['queued', 2],
      ['queued', 3],
    ]);
    const queue = expectStatus(await client.get(`/v1/sessions/${id}/queue`), 200).body.data;
    expect(queue.map((waiting: UnknownObject) => waiting.promptId)).toEqual([second.promptId, third.promptId, fourth.promptId]);
    expectStatus(await client.prompt(id, 'no time', { whenBusy: 'reject' }), 409);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/queue/${third.promptId}`), 200);
    await client.asking(id, first.turnId);
    await client.post(`/v1/sessions/${id}/interrupt`);
    await client.settled(id, first.turnId);
    expect((await client.settled(id, fourth.turnId)).status).toBe('completed');
    const prompts = (await client.messages(id)).filter((message) => message.type === 'user');
    expect(texts(prompts)).toEqual(['{{slow 100}}{{long 5000}}', '[Request interrupted by user]', 'second', 'fourth']);
  });

  it('starts exactly one of many concurrent submissions', async () => {
    const id = await client.session();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => client.prompt(id, `racer ${index}`)));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 202));
    expect(answers.filter((answer) => answer.body.disposition === 'started')).toHaveLength(1);
    const turns = await Promise.all(answers.map((answer) => client.settled(id, answer.body.turnId)));
    expect(turns.every((turn) => turn.status === 'completed')).toBe(true);
    const events = await client.events(id);
    const accepted = events.filter((event) => event.type === 'prompt.submitted').map((event) => event.data.submission.promptId);
    const started = events.filter((event) => event.type === 'turn.started').map((event) => event.data.promptId);
    expect(started).toEqual(accepted);
  });

  it('rewinds, continues, and restores the earlier branch', async () => {
    const id = await client.session();
    await client.ask(id, 'first');
    await client.ask(id, '  second with spaces ');
    const before = await client.messages(id);
    const prompt = before[2];
    // The log has no files here.
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: prompt.uuid, files: true }), 400);
    const rewind = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: prompt.uuid, reason: 'a typo' }), 201);
    expect(rewind.body).toMatchObject({
      head: before[1].uuid,
      removed: [before[2].uuid, before[3].uuid],
      permissionMode: 'default',
      prompt: { input: '  second with spaces ', mode: 'prompt' },
    });
    await client.ask(id, 'other');
    const other = await client.messages(id);
    expect(texts(other.filter((message) => message.type === 'user'))).toEqual(['first', 'other']);
    const payload = expectStatus(await client.get(`/v1/sessions/${id}/payload`), 200).body;
    expect(JSON.stringify(payload.payload)).not.toContain('second with spaces');

    const shown = await client.messages(id, 'view=transcript&tombstones=true');
    expect(shown.find((message) => message.type === 'tombstone').removed).toEqual(rewind.body.removed);
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${rewind.body.id}/restore`), 201);
    expect((await client.messages(id)).map((message) => message.uuid)).toEqual(before.map((message) => message.uuid));
    const ledger = expectStatus(await client.get(`/v1/sessions/${id}/rewinds`), 200).body.data;
    expect(ledger).toEqual([expect.objectContaining({ id: rewind.body.id, reason: 'a typo', restoredAt: expect.any(String) })]);
  });

  it('an interrupt keeps the partial answer and starts the next queued prompt; a second one has no effect', async () => {
    const id = await client.session();
    const stream = await client.stream(id);
    const first = (await client.prompt(id, '{{slow 100}}{{long 5000}}')).body;
    const second = (await client.prompt(id, 'after it')).body;
    await stream.untilType('message.delta');
    expect((await client.post(`/v1/sessions/${id}/interrupt`)).body).toMatchObject({ interrupted: true });
    const turn = await client.settled(id, first.turnId);
    expect(turn.status).toBe('interrupted');
    expect((await client.settled(id, second.turnId)).status).toBe('completed');
    stream.close();
    expect((await client.post(`/v1/sessions/${id}/interrupt`)).body).toMatchObject({ interrupted: false });
    const messages = await client.messages(id);
    const partial = messages.find((message) => message.type === 'assistant');
    expect(partial.message.stop_reason).toBeNull();
    expect(partial.message.content[0].text.length).toBeGreaterThan(0);
    expect(texts(messages)).toContain('[Request interrupted by user]');
  });

  it('rewinds a running session with interrupt: true', async () => {
    const id = await client.session();
    await client.ask(id, 'first');
    const [prompt] = await client.messages(id);
    await client.prompt(id, '{{slow 100}}{{long 5000}}');
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { after: prompt.uuid }), 409);
    const rewind = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { after: prompt.uuid, interrupt: true }), 201);
    expect(rewind.body.head).toBe(prompt.uuid);
  });

  it('waits for the results of client tools and continues with them', async () => {
    const id = await client.session({ tools: [{ name: 'lookup', description: 'Looks up.', input_schema: { type: 'object', properties: {} } }] });
    const turn = await client.ask(id, '{{tool lookup {"q":"a"}}}{{tool lookup {"q":"b"}}}{{tool unknown {}}}');
    expect(turn.status).toBe('waiting');
    expect((await client.get(`/v1/sessions/${id}`)).body.status).toBe('waiting');
    const calls = (await client.messages(id))
      .find((message) => message.type === 'assistant')
      .message.content.filter((block: UnknownObject) => block.type === 'tool_use');
    const post = (results: UnknownObject): Promise<UnknownObject> => client.post(`/v1/sessions/${id}/tool-results`, { results });
    expectStatus(await post([{ toolUseId: calls[1].id, content: 'result b' }]), 202);
    expectStatus(await post([{ toolUseId: calls[1].id, content: 'again' }]), 409);
    expectStatus(await post([{ toolUseId: calls[0].id, content: [{ type: 'text', text: 'result a' }], toolUseResult: { rows: 1 } }]), 202);
    expect((await client.settled(id, turn.turnId)).status).toBe('completed');
    const { body } = await client.get(`/v1/sessions/${id}/requests`);
    const last = (await client.get(`/v1/sessions/${id}/requests/${body.data.at(-1).requestId}`)).body;
    expect(last.verified).toBe(true);
    const results = last.payload.messages.at(-1).content.filter((block: UnknownObject) => block.type === 'tool_result');
    expect(results.map((block: UnknownObject) => block.tool_use_id)).toEqual(calls.map((call: UnknownObject) => call.id));
    expect(results[2].is_error).toBe(true);
  });

  it('gives a call by an alias to the client tool that has it, which the model is sent once', async () => {
    const lookup = { name: 'lookup', aliases: ['search', 'find'], description: 'Looks up.', input_schema: { type: 'object', properties: {} } };
    const id = await client.session({ tools: [lookup] });
    const turn = await client.ask(id, '{{tool search {"q":"a"}}}');
    expect(turn).toMatchObject({ status: 'waiting', toolCalls: [{ name: 'lookup', runBy: 'client', status: 'awaiting_client' }] });
    const results = [{ toolUseId: turn.toolCalls[0].toolUseId, content: 'found' }];
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results }), 202);
    expect((await client.settled(id, turn.turnId)).status).toBe('completed');
    const { payload, problems } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    const { aliases: _, ...sent } = lookup;
    expect([payload.tools, problems]).toEqual([[{ ...sent, cache_control: { type: 'ephemeral' } }], []]);
    for (const aliases of [['lookup'], ['a', 'a'], ['no spaces'], ['other']]) {
      const tools = [
        { ...lookup, aliases },
        { ...lookup, name: 'other', aliases: [] },
      ];
      expect((await client.post('/v1/sessions', { tools })).body.code).toBe('invalid_input');
    }
  });

  it('interrupts a turn that waits for the client when a prompt with whenBusy: interrupt arrives', async () => {
    const id = await client.session({ tools: [{ name: 'lookup', description: 'Looks up.', input_schema: { type: 'object', properties: {} } }] });
    const turn = await client.ask(id, '{{tool lookup {"q":"a"}}}');
    expect(turn.status).toBe('waiting');
    expect((await client.ask(id, 'never mind', { whenBusy: 'interrupt' })).status).toBe('completed');
    expect((await client.get(`/v1/sessions/${id}/turns/${turn.turnId}`)).body.status).toBe('interrupted');
  });

  it('retries transient errors; a permanent error fails the turn with a readable message', async () => {
    const id = await client.session();
    expect(await client.ask(id, '{{fail 529}}all well')).toMatchObject({ status: 'completed', requests: [{ status: 'failed' }, { status: 'completed' }] });
    const failed = await client.ask(id, '{{reject poison}} poison');
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_request_error', status: 400 } });
    const prompt = (await client.messages(id)).find((message) => message.content === '{{reject poison}} poison');
    expect((await client.messages(id)).at(-1)).toMatchObject({
      isApiErrorMessage: true,
      apiError: { type: 'block_rejected', blockUuid: prompt.uuid, index: 0 },
    });
    // The rejected block is kept, and not resent: the next prompt is answered.
    expect((await client.ask(id, '{{think hm}}{{say done}}')).status).toBe('completed');
    const problems = (await client.get(`/v1/sessions/${id}/payload`)).body.problems;
    expect(problems).toEqual([]);
  });

  it('omits a block that the provider rejects from all later requests and records it', async () => {
    const id = await client.session();
    await client.ask(id, 'some mercury in here {{say fine}}');
    const turn = await client.ask(id, '{{reject mercury}}go on');
    expect(turn).toMatchObject({ status: 'completed', requests: [{ status: 'failed', error: { status: 400 } }, { status: 'completed' }] });
    const poisoned = (await client.messages(id))[0];
    expect(poisoned.content).toContain('some mercury in here');
    const retried = (await client.get(`/v1/sessions/${id}/requests/${turn.requests[1].requestId}`)).body;
    expect(retried.verified).toBe(true);
    expect(JSON.stringify(retried.payload)).not.toContain('some mercury');
    expect(retried.trace).toContainEqual(
      expect.objectContaining({ source: { uuid: poisoned.uuid, index: 0 }, action: 'dropped', pass: 'drop-rejected-media' }),
    );
    expect(retried.prefix.cause).toBe('drop-rejected-media');
    expect((await client.ask(id, 'and on')).requests).toHaveLength(1);
  });

  it('verifies every request and the hash chain, and names the cause of a broken prefix', async () => {
    const id = await client.session({ context: { instructions: 'Be kind.' } });
    for (const input of ['one', '{{think deeply}}{{say two}}', 'three']) await client.ask(id, input);
    const messages = await client.messages(id);
    await client.post(`/v1/sessions/${id}/rewinds`, { before: messages[2].uuid });
    await client.ask(id, 'instead');
    const requests = (await client.get(`/v1/sessions/${id}/requests`)).body.data;
    const views = await Promise.all(requests.map((request: UnknownObject) => client.get(`/v1/sessions/${id}/requests/${request.requestId}`)));
    expect(views.map((view) => view.body.verified)).toEqual([true, true, true, true]);
    expect(views.map((view) => view.body.prefix.cause)).toEqual([undefined, undefined, undefined, 'rewind']);
    expect(views[2].body.prefix.shared).toBeGreaterThan(views[1].body.prefix.shared);
    const audit = (await client.get(`/v1/sessions/${id}/audit`)).body;
    expect(audit).toMatchObject({ valid: true, events: audit.version });
  });

  it('builds the payload of an earlier version or another model without sending it', async () => {
    const id = await client.session();
    await client.ask(id, 'one');
    const { version } = (await client.get(`/v1/sessions/${id}`)).body;
    await client.ask(id, 'two');
    const then = (await client.get(`/v1/sessions/${id}/payload?at=${version}`)).body;
    expect(JSON.stringify(then.payload)).not.toContain('two');
    const other = (await client.get(`/v1/sessions/${id}/payload?model=claude-haiku-4-5`)).body;
    expect(other.payload.model).toBe('claude-haiku-4-5');
    expect(other.problems).toEqual([]);
    expect((await client.get(`/v1/sessions/${id}/requests`)).body.data).toHaveLength(2);
    expectStatus(await client.get(`/v1/sessions/${id}/payload?at=9999`), 400);
  });

  it('closes on an exit word, rejects prompts while closed, and reopens', async () => {
    const id = await client.session();
    expect((await client.prompt(id, ' :q ')).body).toMatchObject({ disposition: 'answered' });
    expect(expectStatus(await client.prompt(id, 'anyone?'), 409).body.code).toBe('session_closed');
    expectStatus(await client.post(`/v1/sessions/${id}/reopen`), 200);
    expect((await client.ask(id, 'hello again')).status).toBe('completed');
  });
}
