import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CANCELLED, INTERRUPTED_FOR_TOOL_USE, REJECTED } from '../../packages/protocol/message/wire-texts.js';
import { type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { call, expectVerified, resultsIn, startToolServer, type ToolServer } from '../support/tool-server.js';

describe('tools of the server', () => {
  let server: ToolServer;
  let client: Client;

  beforeAll(async () => {
    server = await startToolServer({ MAX_TOOL_RESULT_CHARACTERS: '1000', TOOL_CONCURRENCY: '3' });
    client = server.client;
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.hooks.answer = () => null;
    server.hooks.events = [];
    server.hooks.calls.length = 0;
    server.tools.runs.length = 0;
  });

  const allowing = (settings: object = {}): Promise<string> => client.session({ permissionMode: 'bypassPermissions', ...settings });
  const decide = (id: string, body: object): Promise<UnknownObject> => client.post(`/v1/sessions/${id}/tool-decisions`, body);
  const everySentVerifies = (id: string): Promise<void> => expectVerified(client, id);

  it('need a decision in mode bypassPermissions when the tenant does not allow that mode', async () => {
    const id = await allowing();
    expectStatus(await client.call('PATCH', '/v1/settings', { bypassPermissions: false }), 200);
    try {
      const turn = await client.ask(id, call('Work', { label: 'one' }));
      expect(turn).toMatchObject({
        status: 'waiting',
        toolCalls: [{ status: 'awaiting_decision', reason: 'Permission mode default asks before a call of Work.' }],
      });
    } finally {
      expectStatus(await client.call('PATCH', '/v1/settings', { bypassPermissions: true }), 200);
    }
    expect((await client.ask(await allowing(), call('Work', { label: 'two' }))).status).toBe('completed');
  });

  it('run a call and send its result to the model', async () => {
    const id = await allowing();
    const stream = await client.stream(id);
    const turn = await client.ask(id, call('Work', { label: 'one', result: { rows: 1 } }));
    expect(turn).toMatchObject({ status: 'completed', stopReason: 'end_turn', requests: [{ ordinal: 1 }, { ordinal: 2 }] });
    expect(turn.toolCalls).toMatchObject([
      {
        name: 'Work',
        input: { label: 'one' },
        runBy: 'server',
        status: 'settled',
        decision: 'allow',
        decidedBy: { kind: 'mode', mode: 'bypassPermissions' },
        outcome: 'finished',
        isError: false,
      },
    ]);
    // The answer that only calls the tool, and the result, are no messages with text.
    expect((await client.messages(id)).map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    const { data: rows } = expectStatus(await client.get('/v1/sessions'), 200).body;
    expect(rows.find((row: UnknownObject) => row.id === id).messageCount).toBe(2);
    expect(expectStatus(await client.get(`/v1/sessions/${id}/branches`), 200).body.data).toMatchObject([{ messages: 4, texts: 2, ownTexts: 2 }]);
    const types = (await client.events(id)).map(({ type }) => type);
    expect(types.slice(types.indexOf('session.tools_changed'))).toEqual([
      'session.tools_changed',
      'request.sent',
      'message.appended',
      'request.completed',
      'tool.decided',
      'tool.started',
      'tool.completed',
      'message.appended',
      'request.sent',
      'message.appended',
      'request.completed',
      'turn.completed',
    ]);
    const messages = await client.messages(id);
    expect(messages.find((message) => message.toolUseResult)).toMatchObject({
      isMeta: true,
      toolUseResult: { rows: 1 },
      content: [{ type: 'tool_result', content: 'did one' }],
    });
    const progress = await stream.until((event) => event.event === 'tool.progress');
    expect(JSON.stringify(progress)).toContain('one');
    stream.close();
    const { payload } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(payload.tools.map(({ name, source, effect }: UnknownObject) => [name, source, effect])).toEqual([
      ['Look', undefined, undefined],
      ['Change', undefined, undefined],
      ['Work', undefined, undefined],
    ]);
    await everySentVerifies(id);
  });

  it('run calls concurrently up to the limit, and store results in the order of the calls', async () => {
    const id = await allowing();
    const labels = ['a', 'b', 'c', 'd'].map((label) => `${label}-${id}`);
    const { turnId } = (await client.prompt(id, labels.map((label) => call('Work', { label, hold: true })).join(''))).body;
    await Promise.all(labels.slice(0, 3).map((label) => server.tools.running(label)));
    expect(server.tools.runs).toHaveLength(3);
    server.tools.finish(labels[2]!);
    await server.tools.running(labels[3]!);
    const running = (await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body;
    expect(running.toolCalls.map(({ status }: UnknownObject) => status)).toEqual(['running', 'running', 'settled', 'running']);
    expect(resultsIn(await client.messages(id))).toEqual([]);
    for (const label of [labels[3]!, labels[1]!, labels[0]!]) server.tools.finish(label);
    expect((await client.settled(id, turnId)).status).toBe('completed');
    expect(resultsIn(await client.messages(id)).map(({ content }) => content)).toEqual(labels.map((label) => `did ${label}`));
    expect(server.tools.labels().toSorted()).toEqual(labels.toSorted());
    await everySentVerifies(id);
  });

  it('that fail, return too much or do not exist do no harm', async () => {
    const id = await allowing();
    const turn = await client.ask(id, call('Work', { label: 'x', fail: true }) + call('Work', { label: 'y', say: 'z'.repeat(3_000) }) + call('None', {}));
    expect(turn.status).toBe('completed');
    const byContent = resultsIn(await client.messages(id)).map(({ content, is_error: isError }) => [String(content).slice(0, 30), isError ?? false]);
    expect(byContent).toEqual([
      ['There is no tool named None in', true],
      ['did x', true],
      ['z'.repeat(30), false],
    ]);
    const long = resultsIn(await client.messages(id)).at(-1).content;
    expect(long).toMatch(/^z{1000}\n\n\[Cut: the result had 3000 characters, of which the first 1000 are kept/);
  });

  it('are offered from the next turn on when they change, and every request still verifies', async () => {
    const id = await allowing();
    await client.ask(id, 'one');
    const before = server.tools.definitions;
    server.tools.definitions = before.slice(1);
    await client.ask(id, 'two');
    server.tools.definitions = before;
    const equipped = (await client.events(id)).filter(({ type }) => type === 'session.tools_changed');
    expect(equipped.map(({ data }) => data.tools.length)).toEqual([3, 2]);
    await everySentVerifies(id);
  });

  it('do not change the payload of a session that has none', async () => {
    const before = server.tools.definitions;
    server.tools.definitions = [];
    const id = await client.session();
    await client.ask(id, 'hello');
    server.tools.definitions = before;
    expect((await client.events(id)).map(({ type }) => type)).toEqual([
      'session.created',
      'prompt.submitted',
      'turn.started',
      'message.appended',
      'turn.prepared',
      'request.sent',
      'message.appended',
      'request.completed',
      'turn.completed',
    ]);
    expect((await client.get(`/v1/sessions/${id}/payload`)).body.payload).not.toHaveProperty('tools');
  });

  it('denied entirely are not offered; denied in part are rejected with the rule', async () => {
    const id = await allowing({ permissions: { deny: ['Work', 'Change(x)'] } });
    const turn = await client.ask(id, call('Change', { label: 'no' }) + call('Look', { label: 'yes' }));
    expect(turn.toolCalls).toMatchObject([
      { decision: 'deny', decidedBy: { kind: 'rule', rule: 'Change(x)', source: 'session' }, status: 'settled', startedAt: null },
      { decision: 'allow', status: 'settled' },
    ]);
    expect(server.tools.labels()).toEqual(['yes']);
    const { payload } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(payload.tools.map(({ name }: UnknownObject) => name)).toEqual(['Look', 'Change']);
  });

  describe('that need a person', () => {
    it('wait, are listed with their reason, and run once allowed', async () => {
      const id = await client.session();
      const waiting = await client.ask(id, call('Work', { label: 'w' }) + call('Look', { label: 'l' }));
      expect(waiting.status).toBe('waiting');
      expect((await client.get(`/v1/sessions/${id}`)).body.status).toBe('waiting');
      expect(waiting.toolCalls).toMatchObject([
        { name: 'Work', input: { label: 'w' }, status: 'awaiting_decision', decision: 'ask', reason: expect.stringContaining('asks before') },
        { name: 'Look', status: 'settled', decision: 'allow' },
      ]);
      expect(server.tools.labels()).toEqual(['l']);
      await client.prompt(id, 'and then');
      expect((await client.get(`/v1/sessions/${id}/queue`)).body.data).toMatchObject([{ reason: 'turn_waiting' }]);
      const { toolUseId } = waiting.toolCalls[0];
      expect(expectStatus(await decide(id, { toolUseId, decision: 'allow', updatedInput: { label: 'changed' } }), 202).body).toMatchObject({
        toolUseId,
        decision: 'allow',
      });
      const turn = await client.settled(id, waiting.turnId);
      expect(turn).toMatchObject({
        status: 'completed',
        toolCalls: [{ input: { label: 'changed' }, requestedInput: { label: 'w' }, decidedBy: { kind: 'person' } }, {}],
      });
      expect(server.tools.labels()).toEqual(['l', 'changed']);
      await everySentVerifies(id);
    });

    it('continue after a rejection with feedback, and end the turn after one without or a cancel', async () => {
      for (const [body, status, text] of [
        [{ decision: 'reject', feedback: 'use the other one' }, 'completed', expect.stringMatching(/use the other one$/)],
        [{ decision: 'reject' }, 'interrupted', REJECTED],
        [{ decision: 'cancel' }, 'interrupted', CANCELLED],
      ] as const) {
        const id = await client.session();
        const { turnId, toolCalls } = await client.ask(id, call('Work', { label: 'w' }));
        const next = (await client.prompt(id, 'next')).body;
        expectStatus(await decide(id, { toolUseId: toolCalls[0].toolUseId, ...body }), 202);
        expect((await client.settled(id, turnId)).status).toBe(status);
        expect((await client.settled(id, next.turnId)).status).toBe('completed');
        const messages = await client.messages(id);
        expect(resultsIn(messages)).toMatchObject([{ content: text, is_error: true }]);
        expect(JSON.stringify(messages).includes(INTERRUPTED_FOR_TOOL_USE)).toBe(status === 'interrupted');
        expect(server.tools.runs).toEqual([]);
        await everySentVerifies(id);
      }
    });

    it('reject invalid decisions', async () => {
      const id = await client.session();
      const { turnId, toolCalls } = await client.ask(id, call('Work', { label: 'w' }) + call('Look', { label: 'l' }));
      const [asked, done] = toolCalls.map(({ toolUseId }: UnknownObject) => toolUseId);
      const foreign = await server.tenant('foreign');
      expect((await foreign.post(`/v1/sessions/${id}/tool-decisions`, { toolUseId: asked, decision: 'allow' })).body.code).toBe('session_not_found');
      expect((await decide(id, { toolUseId: 'none', decision: 'allow' })).body).toMatchObject({ status: 404, code: 'tool_call_not_found' });
      expect((await decide(id, { toolUseId: done, decision: 'allow' })).body).toMatchObject({ status: 409, code: 'tool_call_not_waiting' });
      expect((await decide(id, { toolUseId: asked, decision: 'allow', feedback: 'x' })).body).toMatchObject({
        status: 400,
        errors: [{ pointer: '/feedback' }],
      });
      expect((await decide(id, { toolUseId: asked, decision: 'maybe' })).status).toBe(400);
      const key = freshKey();
      const first = await client.post(`/v1/sessions/${id}/tool-decisions`, { toolUseId: asked, decision: 'allow' }, key);
      const again = await client.post(`/v1/sessions/${id}/tool-decisions`, { toolUseId: asked, decision: 'allow' }, key);
      expect([first.status, again.status]).toEqual([202, 202]);
      expect((await decide(id, { toolUseId: asked, decision: 'cancel' })).body.code).toBe('tool_call_not_waiting');
      expect((await client.settled(id, turnId)).status).toBe('completed');
    });

    it('never let a user override a deny rule', async () => {
      const id = await client.session({ permissions: { deny: ['Change(secret)'] } });
      const { turnId, toolCalls } = await client.ask(id, call('Work', { label: 'w' }));
      await client.call('PATCH', `/v1/sessions/${id}`, { permissions: { deny: ['Work(x)'] } });
      await decide(id, { toolUseId: toolCalls[0].toolUseId, decision: 'allow', updatedInput: { label: 'other' } });
      expect(await client.settled(id, turnId)).toMatchObject({ status: 'completed', toolCalls: [{ decision: 'deny', decidedBy: { rule: 'Work(x)' } }] });
      expect(server.tools.runs).toEqual([]);
    });

    it('are decided once, by the first caller; with a concurrent interrupt the turn has one end', async () => {
      for (let round = 0; round < 8; round += 1) {
        const id = await client.session();
        const { turnId, toolCalls } = await client.ask(id, call('Work', { label: `race-${round}` }));
        const { toolUseId } = toolCalls[0];
        const answers = await Promise.all([
          decide(id, { toolUseId, decision: 'allow' }),
          decide(id, { toolUseId, decision: round % 2 === 0 ? 'allow' : 'reject' }),
          ...(round < 4 ? [] : [client.post(`/v1/sessions/${id}/interrupt`, {})]),
        ]);
        const statuses = answers.slice(0, 2).map(({ status }) => status);
        expect(statuses.filter((status) => status === 202).length).toBeLessThanOrEqual(1);
        expect(statuses.every((status) => status === 202 || status === 409)).toBe(true);
        if (round < 4) expect(statuses).toContain(202);
        await client.settled(id, turnId);
        const decided = (await client.events(id)).filter(({ type, data }) => type === 'tool.decided' && data.by.kind === 'person');
        expect(decided).toHaveLength(statuses.filter((status) => status === 202).length);
        expect(server.tools.labels().filter((label) => label === `race-${round}`).length).toBeLessThanOrEqual(1);
        expect(resultsIn(await client.messages(id))).toHaveLength(1);
      }
    });
  });

  describe('beside tools of the client', () => {
    const lookup = { name: 'lookup', input_schema: { type: 'object' } };

    it('wait for both, in any order', async () => {
      const id = await allowing({ tools: [lookup] });
      const { turnId } = (await client.prompt(id, call('Work', { label: `m-${id}`, hold: true }) + call('lookup', { q: 1 }))).body;
      await server.tools.running(`m-${id}`);
      const { toolCalls } = (await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body;
      expect(toolCalls.map(({ status }: UnknownObject) => status)).toEqual(['running', 'awaiting_client']);
      expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: toolCalls[1].toolUseId, content: 'found' }] }), 202);
      server.tools.finish(`m-${id}`);
      expect((await client.settled(id, turnId)).status).toBe('completed');

      const waiting = await client.ask(id, call('Work', { label: 'n' }) + call('lookup', { q: 2 }));
      expect(waiting).toMatchObject({ status: 'waiting', toolCalls: [{ status: 'settled' }, { status: 'awaiting_client' }] });
      await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: waiting.toolCalls[1].toolUseId, content: 'found' }] });
      expect((await client.settled(id, waiting.turnId)).status).toBe('completed');
      await everySentVerifies(id);
    });

    it('are replaced by a client tool of the same name', async () => {
      const id = await allowing({ tools: [{ name: 'Work', description: 'mine', input_schema: { type: 'object' } }] });
      expect(await client.ask(id, call('Work', { label: 'c' }))).toMatchObject({
        status: 'waiting',
        toolCalls: [{ runBy: 'client', status: 'awaiting_client' }],
      });
      expect(server.tools.runs).toEqual([]);
    });
  });

  it('are run by one worker only, however often their turn is requeued', async () => {
    const id = await client.session();
    const { turnId, toolCalls } = await client.ask(id, call('Work', { label: `s-${id}`, hold: true }));
    await decide(id, { toolUseId: toolCalls[0].toolUseId, decision: 'allow' });
    await server.tools.running(`s-${id}`);
    expect(await server.stalled.sweep(-60_000)).toBe(0); // it has its job
    const stale = { tenantId: server.tools.runs[0]!.tenantId, sessionId: id, turnId, claim: { jobId: turnId, fence: 1 } }; // of the segment before the decision
    await server.driver.drive(stale, new AbortController().signal);
    await client.ask(await client.session(), 'whatever was queued before this has begun by now');
    server.tools.finish(`s-${id}`);
    expect(await client.settled(id, turnId)).toMatchObject({ status: 'completed', toolCalls: [{ outcome: 'finished' }] });
    expect(server.tools.runs).toHaveLength(1);
  });

  it('that are not answered expire', async () => {
    const id = await client.session({ tools: [{ name: 'lookup', input_schema: { type: 'object' } }] });
    const { turnId } = await client.ask(id, call('Work', { label: 'w' }) + call('lookup', {}));
    await server.expiredWaits.expire(60_000);
    expect((await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body.status).toBe('waiting');
    await server.expiredWaits.expire(-60_000);
    expect((await client.settled(id, turnId)).status).toBe('completed');
    expect(resultsIn(await client.messages(id)).map(({ content }) => content)).toEqual([
      expect.stringContaining('did not answer'),
      expect.stringContaining('was not allowed or rejected within'),
    ]);
  });
});
