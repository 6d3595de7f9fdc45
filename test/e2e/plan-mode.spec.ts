import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client, UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call, expectVerified, resultsIn } from '../support/tool-server.js';

const PLAN = 'Rename `a` to `b`, then run the tests.';
const asking = call('ExitPlanMode', { plan: PLAN });

describe('plan mode', () => {
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    server = await startTestServer();
    client = server.client;
  });
  afterAll(() => server.stop());

  const decide = (id: string, body: object): Promise<UnknownObject> => client.post(`/v1/sessions/${id}/tool-decisions`, body);
  const modeOf = async (id: string): Promise<string> => (await client.get(`/v1/sessions/${id}`)).body.permissionMode;
  const offered = async (id: string): Promise<readonly string[]> =>
    ((await client.get(`/v1/sessions/${id}/payload`)).body.payload.tools ?? []).map(({ name }: UnknownObject) => name);
  const planning = async (): Promise<{ readonly id: string; readonly turnId: string; readonly toolUseId: string }> => {
    const id = await client.session({ permissionMode: 'plan' });
    const turn = await client.ask(id, asking);
    expect(turn).toMatchObject({ status: 'waiting', toolCalls: [{ name: 'ExitPlanMode', input: { plan: PLAN }, status: 'awaiting_decision' }] });
    return { id, turnId: turn.turnId, toolUseId: turn.toolCalls[0].toolUseId };
  };

  it('ends when a person agrees to the plan, within the turn, and the model is told', async () => {
    const { id, turnId, toolUseId } = await planning();
    expect((await decide(id, { toolUseId, decision: 'allow' })).status).toBe(202);
    expect((await client.settled(id, turnId)).status).toBe('completed');
    expect(await modeOf(id)).toBe('default');
    const messages = await client.messages(id);
    expect(resultsIn(messages).map(({ content }) => content)).toEqual([expect.stringContaining('agrees to the plan')]);
    expect(messages.flatMap(({ attachment }) => attachment?.type ?? []).filter((type: string) => type.startsWith('plan_mode'))).toEqual([
      'plan_mode',
      'plan_mode_exit',
    ]);
    expect(await offered(id)).toContain('ExitPlanMode'); // the list of tools stays as it is cached
    await expectVerified(client, id);
  });

  it('stays on when the plan is declined', async () => {
    const { id, turnId, toolUseId } = await planning();
    await decide(id, { toolUseId, decision: 'reject', feedback: 'Keep `a` as an alias.' });
    expect((await client.settled(id, turnId)).status).toBe('completed');
    expect(await modeOf(id)).toBe('plan');
    expect(resultsIn(await client.messages(id)).map(({ content }) => content)).toEqual([expect.stringContaining('Keep `a` as an alias.')]);
  });

  it('is not left by a rule that allows the call', async () => {
    const id = await client.session({ permissionMode: 'plan', permissions: { allow: ['ExitPlanMode'], deny: [], ask: [] } });
    expect((await client.ask(id, asking)).status).toBe('waiting');
    expect(await modeOf(id)).toBe('plan');
  });

  it('keeps a mode that was set while the plan was looked at', async () => {
    const { id, turnId, toolUseId } = await planning();
    await client.call('PATCH', `/v1/sessions/${id}`, { permissionMode: 'acceptEdits' });
    await decide(id, { toolUseId, decision: 'allow' });
    await client.settled(id, turnId);
    expect(await modeOf(id)).toBe('acceptEdits');
    expect(resultsIn(await client.messages(id))).toMatchObject([{ is_error: true, content: expect.stringContaining('Plan mode is not on') }]);
  });

  it('has a tool to leave it, which other sessions are not offered', async () => {
    const id = await client.session();
    await client.ask(id, 'one');
    expect(await offered(id)).not.toContain('ExitPlanMode');
    await client.call('PATCH', `/v1/sessions/${id}`, { permissionMode: 'plan' });
    await client.ask(id, 'two');
    expect(await offered(id)).toContain('ExitPlanMode');
    const forbidding = await client.session({ permissionMode: 'plan', permissions: { allow: [], deny: ['ExitPlanMode'], ask: [] } });
    await client.ask(forbidding, 'three');
    expect(await offered(forbidding)).not.toContain('ExitPlanMode');
  });

  it('needs a plan', async () => {
    const id = await client.session({ permissionMode: 'plan' });
    const turn = await client.ask(id, call('ExitPlanMode', { plan: ' ' }));
    await decide(id, { toolUseId: turn.toolCalls[0].toolUseId, decision: 'allow' });
    await client.settled(id, turn.turnId);
    expect(await modeOf(id)).toBe('plan');
    expect(resultsIn(await client.messages(id))).toMatchObject([{ is_error: true }]);
  });
});
