import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call, expectVerified, resultsIn } from '../support/tool-server.js';
import { until } from '../support/until.js';

const agent = (prompt: string, more: object = {}): string => call('Agent', { description: 'a task', prompt, ...more });

describe('helpers within the limits of a tenant', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ TOOLS: 'Agent,Write', HELPER_DEPTH: '2', QUOTA_REFRESH_MS: '1' });
  });
  afterAll(() => server.stop());

  const over = async (client: Client, id: string, prompt: string): Promise<UnknownObject> => {
    const { turnId } = expectStatus(await client.prompt(id, prompt), 202).body;
    await until('the turn is over', async () => (await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body.endedAt !== null);
    return (await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body;
  };
  const results = async (client: Client, id: string): Promise<readonly string[]> => resultsIn(await client.messages(id)).map(({ content }) => String(content));
  const helpersOf = async (client: Client, id: string): Promise<readonly UnknownObject[]> =>
    expectStatus(await client.get(`/v1/sessions?parent=${id}`), 200).body.data;

  it('have a title that can be stored, whatever the model writes', async () => {
    const client = await server.tenant('titles');
    for (const [description, title] of [
      ['a\0b\ud800', 'ab\ufffd'],
      ['\0', null],
    ] as const) {
      const id = await client.session();
      expect(await over(client, id, agent('{{say done}}', { description }))).toMatchObject({ status: 'completed', toolCalls: [{ isError: false }] });
      expect(await results(client, id)).toEqual(['done']);
      expect((await helpersOf(client, id)).map((one) => one.title)).toEqual([title]);
      await expectVerified(client, id);
    }
  });

  it('work as agents whose settings are checked: an error names the agent and the member', async () => {
    const client = await server.tenant('checked agents');
    const good = { description: 'x', prompt: 'y' };
    for (const [agents, pointer] of [
      [{ 'not a name': good }, '/agents/not a name'],
      [{ a: { prompt: 'y' } }, '/agents/a/description'],
      [{ a: { ...good, description: '' } }, '/agents/a/description'],
      [{ a: { ...good, prompt: 7 } }, '/agents/a/prompt'],
      [{ a: { ...good, prompt: 'z\0' } }, '/agents/a/prompt'],
      [{ a: { ...good, model: 'z\0' } }, '/agents/a/model'],
      [{ a: { ...good, model: '' } }, '/agents/a/model'],
      [{ a: { ...good, tools: ['Read', ''] } }, '/agents/a/tools/1'],
      [{ a: { ...good, tools: 'Read' } }, '/agents/a/tools'],
      [{ a: good, b: { ...good, more: true } }, '/agents/b/more'],
      [{ a: { ...good, description: 'x'.repeat(1_001) } }, '/agents/a/description'],
    ] as const) {
      const { status, body } = await client.call('PATCH', '/v1/settings', { agents });
      expect([status, body.code, body.errors.map((error: UnknownObject) => error.pointer)]).toEqual([400, 'invalid_input', [pointer]]);
      expect(body.errors[0].detail).toMatch(/\S/);
    }
    expect((await client.get('/v1/settings')).body.agents).toEqual({});
  });

  it('are not made of a setting that cannot be stored: the call fails, and the turn ends', async () => {
    const client = await server.tenant('agents');
    const owner = await connect(server.database.ownerUrl, 60_000);
    await owner.query(
      `INSERT INTO tenant_setting (tenant_id, name, value) SELECT tenant_id, 'agents', '{"odd":{"description":"x","prompt":"y","model":"z\\u0000"}}' FROM tenant WHERE name = 'agents'`,
    ); // as earlier builds have stored it
    await owner.end();
    const id = await client.session();
    expect(await over(client, id, agent('{{say done}}', { agent: 'odd' }))).toMatchObject({ status: 'completed', toolCalls: [{ isError: true }] });
    expect(await helpersOf(client, id)).toEqual([]);
  });

  it('are not made when a quota of the day is used up', async () => {
    const client = await server.tenant('quotas');
    const id = await client.session();
    expectStatus(await client.call('PATCH', '/v1/settings', { quotas: { user: { tokensPerDay: 1 } } }), 200);
    expect(await over(client, id, agent('{{say done}}'))).toMatchObject({ status: 'completed', toolCalls: [{ isError: true }] });
    expect((await results(client, id))[0]).toMatch(/^The helper could not be made: You have used \d+ of 1 tokens per day/);
    expect(await helpersOf(client, id)).toEqual([]);
  });

  it('ask no model that who spoke may not use', async () => {
    const client = await server.tenant('models');
    const { token, userId } = expectStatus(await client.post('/v1/tokens', { userName: 'an editor' }), 201).body;
    const editor = client.as(token);
    const id = await client.session({ model: 'claude-opus-5' });
    expectStatus(await client.call('PUT', `/v1/sessions/${id}/grants/user:${userId}`, { role: 'editor' }), 200);
    const agents = { small: { description: 'x', prompt: 'y', model: 'claude-haiku-4-5' } };
    expectStatus(await client.call('PATCH', '/v1/settings', { agents, models: { users: { [userId]: ['claude-opus-5'] } } }), 200);
    const prompt = agent('{{say done}}', { agent: 'small' });
    expect(await over(client, id, prompt)).toMatchObject({ toolCalls: [{ isError: false }] });
    expect(await over(editor, id, prompt)).toMatchObject({ status: 'completed', toolCalls: [{ isError: true }] });
    expect((await results(client, id))[1]).toContain('may not use the model claude-haiku-4-5');
  });
});
