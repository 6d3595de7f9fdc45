import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call, expectVerified, resultsIn } from '../support/tool-server.js';
import { until } from '../support/until.js';

const WORD = 'marmalade';
const agent = (prompt: string, description = 'a task'): string => call('Agent', { description, prompt });
const SLOW = '{{long 5000}}{{slow 1000}}';

describe('helpers', () => {
  let server: TestServer;
  let client: Client;
  let owner: Connection;

  beforeAll(async () => {
    server = await startTestServer({ TOOLS: 'Agent,Write,Read', HELPER_DEPTH: '3', HELPER_CONCURRENCY: '2', ERASURE_INTERVAL_MS: '50' });
    client = server.client;
    owner = await connect(server.database.ownerUrl, 60_000);
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
  });

  const session = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}`), 200).body;
  const turnOf = async (id: string, turnId: string): Promise<UnknownObject> => (await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body;
  const over = async (id: string, turnId: string): Promise<UnknownObject> => {
    await until(`turn ${turnId} is over`, async () => (await turnOf(id, turnId)).endedAt !== null);
    return turnOf(id, turnId);
  };
  const started = async (id: string, prompt: string): Promise<string> => expectStatus(await client.prompt(id, prompt), 202).body.turnId;
  const ask = async (id: string, prompt: string): Promise<UnknownObject> => over(id, await started(id, prompt));
  const helpersOf = async (id: string, of = client): Promise<readonly UnknownObject[]> =>
    expectStatus(await of.get(`/v1/sessions?parent=${id}`), 200).body.data;
  const results = async (id: string): Promise<readonly unknown[]> => resultsIn(await client.messages(id)).map(({ content }) => content);
  const offered = async (id: string): Promise<readonly string[]> =>
    ((await client.get(`/v1/sessions/${id}/payload`)).body.payload.tools ?? []).map(({ name }: UnknownObject) => name);
  /** The first helper of a session, once its turn has the status. */
  const helper = async (id: string, status: string): Promise<UnknownObject> => {
    await until(`a helper of ${id} is ${status}`, async () => (await helpersOf(id))[0]?.status === status);
    return (await helpersOf(id))[0]!;
  };

  it('carry a call out in a session of their own, whose last text is the result', async () => {
    const id = await client.session({ system: 'Be brief.', metadata: { kept: true } });
    const turn = await ask(id, agent(`{{say ${WORD}}}`, 'say a word'));
    expect(turn).toMatchObject({
      status: 'completed',
      stopReason: 'end_turn',
      toolCalls: [{ name: 'Agent', status: 'settled', outcome: 'finished', isError: false }],
    });
    expect(await results(id)).toEqual([WORD]);
    const [listed, another] = await helpersOf(id);
    expect(another).toBeUndefined();
    expect(turn.toolCalls[0].helper).toBe(listed!.id);
    const made = await session(listed!.id);
    expect(made).toMatchObject({ title: 'say a word', system: 'Be brief.', metadata: {}, status: 'idle', userId: (await session(id)).userId });
    expect(made.parent).toEqual({ sessionId: id, toolUseId: turn.toolCalls[0].toolUseId });
    expect((await session(id)).parent).toBeNull();
    expect((await client.messages(made.id, 'view=transcript')).map(({ type }) => type)).toEqual(['user', 'assistant']);
    const all = (await client.get('/v1/sessions?limit=200')).body.data.map((row: UnknownObject) => row.id);
    expect(all).toContain(id);
    expect(all).not.toContain(made.id);
    for (const one of [id, made.id]) await expectVerified(client, one);
    const types = (await client.events(id)).map(({ type }) => type);
    expect(types.slice(types.indexOf('tool.decided'))).toEqual([
      'tool.decided',
      'tool.started',
      'turn.waiting',
      'turn.resumed',
      'tool.completed',
      'message.appended',
      'request.sent',
      'message.appended',
      'request.completed',
      'turn.completed',
    ]);
    const link = (await client.events(id)).find(({ type }) => type === 'tool.started')!;
    expect(link.data).toMatchObject({ helper: made.id, toolUseId: made.parent.toolUseId });
    expect((await client.events(made.id))[0]).toMatchObject({
      type: 'session.created',
      data: { parent: { sessionId: id, depth: 1, tools: ['Write', 'Read', 'Agent'] } },
    });
  });

  it('take a text that begins with a slash, or is the word exit, as a task', async () => {
    const id = await client.session();
    expect(await ask(id, agent('/status') + agent('exit'))).toMatchObject({ status: 'completed' });
    for (const { id: made } of await helpersOf(id)) expect(await session(made)).toMatchObject({ status: 'idle', usage: { requests: 1 } });
    expect(await results(id)).toHaveLength(2);
  });

  it('have helpers of their own down to the depth of the setting, where they are offered none', async () => {
    const id = await client.session();
    const turn = await ask(id, agent(agent(agent(agent(`{{say ${WORD}}}`)))));
    expect(turn.status).toBe('completed');
    const depths: string[] = [];
    for (let [below] = await helpersOf(id); below; [below] = await helpersOf(below.id)) depths.push(below.id);
    expect(depths).toHaveLength(3);
    expect(await Promise.all(depths.map(offered))).toEqual([
      ['Write', 'Read', 'Agent'],
      ['Write', 'Read', 'Agent'],
      ['Write', 'Read'],
    ]);
    expect(await results(depths[2]!)).toEqual(['There is no tool named Agent in this session.']);
    expect(String((await results(id))[0])).toContain('There is no tool named Agent');
    for (const one of [id, ...depths]) await expectVerified(client, one);
  });

  it('work side by side up to the limit, and their results are in the order of the calls', async () => {
    const id = await client.session();
    const words = ['one', 'two', 'three', 'four', 'five'];
    expect((await ask(id, words.map((word) => agent(`{{say ${word}}}`)).join(''))).status).toBe('completed');
    expect(await results(id)).toEqual(words);
    let [now, most] = [0, 0];
    for (const { type } of await client.events(id)) {
      now += type === 'tool.started' ? 1 : type === 'tool.completed' ? -1 : 0;
      most = Math.max(most, now);
    }
    expect(most).toBe(2);
    await expectVerified(client, id);
  });

  it('are not made of a call that is not valid', async () => {
    const id = await client.session();
    await ask(id, call('Agent', { prompt: ' ', more: 1 }));
    expect(await results(id)).toEqual([
      'The input of Agent is not valid:\n- description: must be a text that is not empty\n- prompt: must be a text that is not empty\n- more: is not a member of the input',
    ]);
    expect(await helpersOf(id)).toEqual([]);
  });

  it('work as an agent of the tenant says, with fewer tools at most', async () => {
    const other = await server.tenant('agents');
    const agents = {
      critic: { description: 'finds faults', prompt: 'Name the faults.', tools: ['Read', 'Bash'], model: 'claude-haiku-4-5' },
      b: { description: 'x', prompt: 'y' },
    };
    expectStatus(await other.call('PATCH', '/v1/settings', { agents: { 'not a name': agents.b } }), 400);
    expectStatus(await other.call('PATCH', '/v1/settings', { agents }), 200);
    const id = await other.session();
    const by = (name: string): string => call('Agent', { description: 'judge', prompt: '{{say fine}}', agent: name });
    const { turnId } = (await other.prompt(id, by('critic') + by('none'))).body;
    await until('the turn is over', async () => (await other.get(`/v1/sessions/${id}/turns/${turnId}`)).body.endedAt !== null);
    expect(resultsIn(await other.messages(id)).map(({ content }) => content)).toEqual([
      'fine',
      'The input of Agent is not valid:\n- agent: must be one of critic, b',
    ]);
    const [made] = await helpersOf(id, other);
    expect((await other.get(`/v1/sessions/${made!.id}`)).body).toMatchObject({ system: 'Name the faults.', model: 'claude-haiku-4-5' });
    const { tools } = (await other.get(`/v1/sessions/${made!.id}/payload`)).body.payload;
    expect(tools.map(({ name }: UnknownObject) => name)).toEqual(['Read']);
    const asked = (await other.get(`/v1/sessions/${id}/payload`)).body.payload.tools.find(({ name }: UnknownObject) => name === 'Agent');
    expect(asked.description).toContain('\n- b: x\n- critic: finds faults');
    expect(asked.input_schema.properties.agent.enum).toEqual(['b', 'critic']);
  });

  it('may do at most what their parent may: tools that it is forbidden are not offered, its rules and its mode hold for them as they are now', async () => {
    const id = await client.session({ permissions: { deny: ['Read'] } });
    const write = (file: string): string => call('Write', { file_path: file, content: 'x' });
    const turnId = await started(id, agent(write('a')));
    const made = await helper(id, 'waiting');
    expect(await offered(made.id)).toEqual(['Write', 'Agent']);
    expect(await turnOf(id, turnId)).toMatchObject({ status: 'waiting', toolCalls: [{ status: 'awaiting_helper', helper: made.id }] });
    expect((await client.events(id)).findLast(({ type }) => type === 'turn.waiting')!.data).toMatchObject({ toolUseIds: [], helpers: [expect.any(String)] });

    const own = (await session(made.id)).turnId;
    const { toolCalls } = await turnOf(made.id, own);
    expect(toolCalls).toMatchObject([{ name: 'Write', status: 'awaiting_decision' }]);
    expectStatus(
      await client.call('PATCH', `/v1/sessions/${made.id}`, { permissionMode: 'bypassPermissions', permissions: { allow: ['Read', 'Write'] } }),
      200,
    );
    expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { permissions: { deny: ['Read', 'Write'] } }), 200);
    const decision = { toolUseId: toolCalls[0].toolUseId, decision: 'allow', updatedInput: { file_path: 'b', content: 'y' } };
    expectStatus(await client.post(`/v1/sessions/${made.id}/tool-decisions`, decision), 202);
    expect((await over(id, turnId)).status).toBe('completed');
    expect((await turnOf(made.id, own)).toolCalls).toMatchObject([{ decision: 'deny', outcome: null, isError: null }]);

    await client.call('PATCH', `/v1/sessions/${id}`, { permissions: { deny: ['Read'] } });
    await client.call('PATCH', `/v1/sessions/${made.id}`, { permissions: {} });
    expect(await client.ask(made.id, write('c'))).toMatchObject({ status: 'waiting', toolCalls: [{ status: 'awaiting_decision' }] });
    await client.post(`/v1/sessions/${made.id}/interrupt`);
  });

  it('give no right to their forks, or to forks of these, that their parent does not have', async () => {
    const id = await client.session({ permissions: { deny: ['Read'] } });
    await ask(id, agent(`{{say ${WORD}}}`));
    const [made] = await helpersOf(id);
    for (let [from, depth] = [made!.id as string, 0]; depth < 2; depth += 1) {
      from = expectStatus(await client.post(`/v1/sessions/${from}/forks`, {}), 201).body.id;
      const all = { permissionMode: 'bypassPermissions', permissions: { allow: ['Read'] } };
      expectStatus(await client.call('PATCH', `/v1/sessions/${from}`, all), 200);
      expect(await client.ask(from, call('Write', { file_path: 'a', content: 'x' }))).toMatchObject({
        status: 'waiting',
        toolCalls: [{ status: 'awaiting_decision' }],
      });
      expect(await offered(from)).toEqual(['Write', 'Agent']);
      await client.post(`/v1/sessions/${from}/interrupt`);
      const below = await ask(from, agent(call('Read', { file_path: 'a' })));
      expect(await offered(below.toolCalls[0].helper)).toEqual(['Write', 'Agent']);
      expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { permissions: { deny: ['Read', 'Write(a)'] } }), 200);
      expect(await client.ask(from, call('Write', { file_path: 'a', content: 'x' }))).toMatchObject({ toolCalls: [{ decision: 'deny' }] });
      expectStatus(await client.call('PATCH', `/v1/sessions/${id}`, { permissions: { deny: ['Read'] } }), 200);
      await expectVerified(client, from);
    }
    expect((await session(made!.id)).parent).not.toBeNull();
  });

  it('are interrupted with their parent, and what they had done stays readable when it is rewound', async () => {
    const id = await client.session();
    const turnId = await started(id, agent(agent(SLOW)));
    const made = await helper(id, 'waiting');
    const below = await helper(made.id, 'running');
    const prompt = (await client.messages(id)).find(({ type }) => type === 'user')!;
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: prompt.uuid, interrupt: true }), 201);
    expect(await turnOf(id, turnId)).toMatchObject({ status: 'interrupted', toolCalls: [{ outcome: 'interrupted', status: 'settled' }] });
    for (const one of [made, below]) {
      await until(`helper ${one.id} is idle`, async () => (await session(one.id)).status === 'idle', 120);
      expect(await turnOf(one.id, one.turnId)).toMatchObject({ status: 'interrupted' });
      expect((await client.messages(one.id)).length).toBeGreaterThan(1);
      await expectVerified(client, one.id);
    }
    await until('nothing is open', async () => (await owner.query('SELECT FROM session WHERE helper_turn_id IS NOT NULL')).rowCount === 0);
    expect((await client.ask(id, '{{say again}}')).status).toBe('completed');
    await expectVerified(client, id);
  });

  it('that a person interrupts, or whose content is erased, fail their call, and the parent continues', async () => {
    const id = await client.session();
    for (const [end, text] of [
      [(made: string) => client.post(`/v1/sessions/${made}/interrupt`), 'was interrupted by a person'],
      [(made: string) => client.call('DELETE', `/v1/sessions/${made}`), 'content of the helper was erased'],
    ] as const) {
      const turnId = await started(id, agent(SLOW));
      const [made] = await (async () => {
        await until('a helper runs', async () => (await helpersOf(id)).some(({ status }) => status === 'running'));
        return (await helpersOf(id)).filter(({ status }) => status === 'running');
      })();
      expect((await end(made!.id)).status).toBeLessThan(300);
      expect(await over(id, turnId)).toMatchObject({ status: 'completed', toolCalls: [{ isError: true }] });
      expect(String((await results(id)).at(-1))).toMatch(new RegExp(text === 'content of the helper was erased' ? `${text}|interrupted` : text));
    }
  });

  it('are erased with their parent, or with the message that has the call, and a hold of the parent holds them', async () => {
    const secret = async (id: string): Promise<boolean> => JSON.stringify(await client.events(id)).includes(WORD);
    const [whole, part] = [await client.session(), await client.session()];
    for (const id of [whole, part]) await ask(id, agent(agent(`{{say ${WORD}}}`)));
    const made = new Map<string, readonly string[]>();
    for (const id of [whole, part]) {
      const [first] = await helpersOf(id);
      const [second] = await helpersOf(first!.id);
      made.set(id, [first!.id, second!.id]);
      expect(await Promise.all([first!.id, second!.id].map(secret))).toEqual([true, true]);
    }
    expectStatus(await client.post(`/v1/sessions/${whole}/hold`, { reason: 'case 17' }), 200);
    for (const id of made.get(whole)!) expect(expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 409).body.code).toBe('legal_hold');
    await expect(
      owner.query('SELECT erase_content($1, tenant_id, session_id, 1, NULL) FROM session WHERE session_id = $2', ['appended', made.get(whole)![1]]),
    ).rejects.toThrow();
    expectStatus(await client.call('DELETE', `/v1/sessions/${whole}/hold`), 200);

    expectStatus(await client.call('DELETE', `/v1/sessions/${made.get(whole)![1]}`), 202); // as the background may do, at any moment
    const receipt = expectStatus(await client.call('DELETE', `/v1/sessions/${whole}`), 202).body;
    expect(new Set(receipt.helpers)).toEqual(new Set(made.get(whole)));
    expect(expectStatus(await client.call('DELETE', `/v1/sessions/${whole}`), 202).body.helpers).toEqual(receipt.helpers);
    const { rows } = await owner.query('SELECT FROM session WHERE session_id = ANY ($1) AND is_orphaned', [made.get(whole)]); // what another process would find
    expect(rows).toHaveLength(2);
    const answer = (await client.messages(part)).find(({ type }) => type === 'assistant')!;
    expect(new Set(expectStatus(await client.call('DELETE', `/v1/sessions/${part}/messages/${answer.uuid}`), 202).body.helpers)).toEqual(
      new Set(made.get(part)),
    );
    const [first] = made.get(part)!;
    expect((await owner.query('SELECT FROM session WHERE session_id = $1 AND is_orphaned', [first])).rowCount).toBe(1);
    for (const id of [whole, ...made.get(whole)!, ...made.get(part)!]) {
      expect(await session(id)).toMatchObject({ erased: true });
      expect(await secret(id)).toBe(false);
      expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    }
  });

  it('whose parent was erased by a process that died before them are erased by another', async () => {
    const id = await client.session();
    await ask(id, agent(`{{say ${WORD}}}`));
    const [made] = await helpersOf(id);
    await owner.query('UPDATE session SET is_orphaned = true WHERE session_id = $1', [made!.id]); // as erase_content and start_helper do
    await until('the helper is erased', async () => (await session(made!.id)).erased);
  });

  it('that are made when the turn of their call is over are erased: the message with the call may be', async () => {
    const id = await client.session();
    await ask(id, agent(`{{say ${WORD}}}`));
    const [made] = await helpersOf(id);
    await owner.query(`SELECT start_helper('appended', tenant_id, session_id, parent_id, parent_turn_id, NULL) FROM session WHERE session_id = $1`, [made!.id]);
    await until('the helper is erased', async () => (await session(made!.id)).erased);
    expect((await session(id)).erased).toBe(false);
  });

  it('may call no tool when their parent is erased and they are held: its rules are not known any more', async () => {
    const id = await client.session({ permissions: { deny: ['Read'] } });
    await ask(id, agent(`{{say ${WORD}}}`));
    const [made] = await helpersOf(id);
    expectStatus(await client.call('PATCH', `/v1/sessions/${made!.id}`, { permissionMode: 'bypassPermissions' }), 200);
    expect(await client.ask(made!.id, call('Write', { file_path: 'a', content: 'x' }))).toMatchObject({ toolCalls: [{ status: 'awaiting_decision' }] });
    await client.post(`/v1/sessions/${made!.id}/interrupt`);
    expectStatus(await client.post(`/v1/sessions/${made!.id}/hold`, { reason: 'case 17' }), 200);
    // The end of a retention reaches the parent all the same.
    await until('the parent is erased', async () => {
      // Whatever was written into it meanwhile, such as its title, and whatever a sweep has calculated from that.
      await owner.query(`UPDATE session SET updated_at = now() - interval '3 days' WHERE session_id = $1`, [id]);
      await owner.query(
        `INSERT INTO session_retention (session_id, tenant_id, days, not_before) SELECT session_id, tenant_id, 1, now() - interval '1 minute' FROM session WHERE session_id = $1 AND NOT is_erased
          ON CONFLICT (tenant_id, session_id) DO UPDATE SET not_before = excluded.not_before`,
        [id],
      );
      return (await session(id)).erased;
    });
    expect((await session(made!.id)).erased).toBe(false);
    expect(await client.ask(made!.id, call('Write', { file_path: 'b', content: 'x' }))).toMatchObject({
      status: 'completed',
      toolCalls: [{ status: 'settled', outcome: null }],
    });
    expect(await offered(made!.id)).toEqual([]);
  });

  it('are not erased at the end of a retention before their parent, and then with it', async () => {
    const other = await server.tenant('retention of helpers');
    const [id, plain] = [await other.session(), await other.session()];
    const { turnId } = (await other.prompt(id, agent(`{{say ${WORD}}}`))).body;
    await until('the turn is over', async () => (await other.get(`/v1/sessions/${id}/turns/${turnId}`)).body.endedAt !== null);
    const [made] = await helpersOf(id, other);
    const age = (one: string) => owner.query(`UPDATE session SET updated_at = updated_at - interval '3 days' WHERE session_id = $1`, [one]);
    const isErased = async (one: string): Promise<boolean> => (await other.get(`/v1/sessions/${one}`)).body.erased;
    for (const one of [made!.id, plain]) await age(one);
    expectStatus(await other.call('PATCH', '/v1/settings', { retentionDays: 2 }), 200);
    await until('the other session is erased', () => isErased(plain));
    expect(await isErased(made!.id)).toBe(false);
    await age(id);
    for (const one of [id, made!.id]) await until('it is erased', () => isErased(one));
    expect((await other.get(`/v1/sessions/${made!.id}/audit`)).body).toMatchObject({ valid: true });
  });

  it('count once: their requests for the user of the prompt, their own prompt for no user', async () => {
    const other = await server.tenant('usage of helpers');
    const id = await other.session();
    const { turnId } = (await other.prompt(id, agent(agent(`{{say ${WORD}}}`)))).body;
    await until('the turn is over', async () => (await other.get(`/v1/sessions/${id}/turns/${turnId}`)).body.endedAt !== null);
    const [first] = await helpersOf(id, other);
    const [second] = await helpersOf(first!.id, other);
    const { data, total } = (await other.get('/v1/usage?groupBy=session')).body;
    const bySession = Object.fromEntries(data.map(({ key, prompts, requests }: UnknownObject) => [key, [prompts, requests]]));
    expect(bySession).toEqual({ [id]: [1, 2], [first!.id]: [0, 2], [second!.id]: [0, 1] });
    expect(total).toMatchObject({ prompts: 1, requests: 5 });
    const tokens = await Promise.all([id, first!.id, second!.id].map(async (one) => (await other.get(`/v1/sessions/${one}`)).body.usage.outputTokens));
    expect(total.outputTokens).toBe(tokens.reduce((sum, one) => sum + one, 0));
  });

  it('of another tenant are neither listed nor read, and the parent of another user lists none', async () => {
    const id = await client.session();
    await ask(id, agent('{{say x}}'));
    const [made] = await helpersOf(id);
    const stranger = await server.tenant('stranger');
    expect(await helpersOf(id, stranger)).toEqual([]);
    expect((await stranger.get(`/v1/sessions/${made!.id}`)).status).toBe(404);
    const member = client.as(expectStatus(await client.post('/v1/tokens', { userName: 'a member' }), 201).body.token);
    expect(await helpersOf(id, member)).toEqual([]);
    expect((await member.get(`/v1/sessions/${made!.id}`)).status).toBe(404);
  });

  it('have requests and tokens up to their limits, and the call says so', async () => {
    for (const [setting, text] of [
      ['HELPER_REQUESTS', 'has made 1 model requests, which is its limit'],
      ['HELPER_TOKENS', 'its limit is 1'],
    ] as const) {
      const limited = await startTestServer({ TOOLS: 'Agent', [setting]: '1' }, server.database, client.token);
      try {
        const id = await client.session();
        const { turnId } = expectStatus(await limited.client.prompt(id, agent(`{{say ${WORD}}}${agent('{{say x}}')}`)), 202).body;
        await until('the turn is over', async () => (await turnOf(id, turnId)).endedAt !== null);
        const [result] = await results(id);
        expect(result).toContain(text);
        expect(result).toContain(WORD);
      } finally {
        await limited.stop();
      }
    }
  });
});
