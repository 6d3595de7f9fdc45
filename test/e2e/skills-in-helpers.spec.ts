import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call, expectVerified, resultsIn } from '../support/tool-server.js';
import { until } from '../support/until.js';

const skill = (name: string, args = ''): string => call('Skill', { skill: name, args });

describe('skills that say `context: fork`, and agents of plugins', () => {
  let data: string;
  let server: TestServer;
  let client: Client;

  const put = async (file: string, content: string): Promise<void> => {
    const at = path.join(data, file);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, content);
  };

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-forked-skills-'));
    await put('skills/look/SKILL.md', '---\ndescription: Looks\ncontext: fork\nallowed-tools: Write\n---\n{{say saw $ARGUMENTS}}');
    await put('skills/note/SKILL.md', `---\ncontext: fork\nallowed-tools: Write\n---\n${call('Write', { file_path: 'a', content: 'x' })}`);
    await put('skills/judge/SKILL.md', '---\ncontext: fork\nagent: critic\n---\n{{say fine}}');
    await put('skills/lost/SKILL.md', '---\ncontext: fork\nagent: none\n---\n{{say fine}}');
    await put('skills/by-hand/SKILL.md', '---\ncontext: fork\ndisable-model-invocation: true\n---\n{{say by hand}}');
    await put('plugins/house/.claude-plugin/plugin.json', '{"name":"house","agents":"./more/second.md"}');
    await put('plugins/house/skills/sweep/SKILL.md', '---\ncontext: fork\nagent: sweeper\n---\n{{say swept}}');
    await put(
      'plugins/house/agents/sweeper.md',
      '---\nname: sweeper\ndescription: sweeps\ntools: Read, Grep\nmodel: haiku\n---\nSweep from ${CLAUDE_PLUGIN_ROOT}.',
    );
    await put('plugins/house/more/second.md', '---\ndescription: comes second\nmodel: inherit\n---\nBe second.');
    await put('plugins/house/agents/broken.md', '---\nname: two words\ndescription: x\n---\nText.');
    server = await startTestServer({
      SKILLS_DIR: path.join(data, 'skills'),
      PLUGINS_DIR: path.join(data, 'plugins'),
      TOOLS: 'Agent,Read,Write',
      HELPER_CONCURRENCY: '2',
    });
    client = server.client;
    const critic = { description: 'finds faults', prompt: 'Name the faults.', tools: ['Read'] };
    expectStatus(await client.call('PATCH', '/v1/settings', { agents: { critic, sweeper: critic }, plugins: { house: true } }), 200);
  });
  afterAll(async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  const ask = async (by: Client, id: string, prompt: string): Promise<UnknownObject> => {
    const { turnId } = expectStatus(await by.prompt(id, prompt), 202).body;
    const turn = async (): Promise<UnknownObject> => (await by.get(`/v1/sessions/${id}/turns/${turnId}`)).body;
    await until('the turn is over', async () => (await turn()).endedAt !== null);
    return turn();
  };
  const results = async (by: Client, id: string): Promise<readonly unknown[]> => resultsIn(await by.messages(id)).map(({ content }) => content);
  const session = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}`), 200).body;
  const offered = async (id: string): Promise<readonly string[]> =>
    (await client.get(`/v1/sessions/${id}/payload`)).body.payload.tools.map(({ name }: UnknownObject) => name);

  it('run in a helper that expands the skill, whose last text is the result; its conversation has the text of the skill, and that of the caller has not', async () => {
    const id = await client.session({ system: 'Be brief.' });
    const turn = await ask(client, id, skill('look', 'two birds'));
    expect(turn).toMatchObject({ status: 'completed', toolCalls: [{ name: 'Skill', outcome: 'finished', isError: false, helper: expect.any(String) }] });
    expect(await results(client, id)).toEqual(['saw two birds']);
    const made = turn.toolCalls[0].helper;
    expect(await session(made)).toMatchObject({ title: 'look two birds', system: 'Be brief.', parent: { sessionId: id } });
    const [header, body] = await client.messages(made);
    expect(header!.content).toBe('<command-message>look</command-message>\n<command-name>/look</command-name>\n<command-args>two birds</command-args>');
    expect(body).toMatchObject({ isMeta: true, content: 'Base directory for this skill: /skills/look\n\n{{say saw two birds}}' });
    expect(JSON.stringify(await client.messages(id))).not.toContain('Base directory');
    for (const one of [id, made]) await expectVerified(client, one);
  });

  it('grant the helper what they allow, and nothing that the rules of its parent deny', async () => {
    const id = await client.session();
    const ofWrite = async (parent: string): Promise<UnknownObject> => {
      const { helper } = (await ask(client, parent, skill('note'))).toolCalls[0];
      return (await client.events(helper)).find(({ type }) => type === 'tool.decided')!.data;
    };
    expect(await ofWrite(id)).toMatchObject({ name: 'Write', decision: 'allow' });
    const denied = await client.session({ permissions: { deny: ['Write(a)'] } });
    expect(await ofWrite(denied)).toMatchObject({ name: 'Write', decision: 'deny' });
  });

  it('run as the agent that they name: of the tenant, or first of the plugin that brings them', async () => {
    const id = await client.session();
    const turn = await ask(client, id, ['judge', 'house:sweep', 'lost'].map((name) => skill(name)).join(''));
    const [judge, sweep, lost] = turn.toolCalls;
    expect(await results(client, id)).toEqual([
      'fine',
      'swept',
      'The skill lost runs as the agent none, which there is not. Agents: critic, house:second, house:sweeper, sweeper.',
    ]);
    expect(lost).toMatchObject({ helper: null, isError: true });
    expect(await session(judge.helper)).toMatchObject({ system: 'Name the faults.' });
    expect(await session(sweep.helper)).toMatchObject({ system: 'Sweep from /plugins/house.', model: 'claude-haiku-5-5' });
    expect(await offered(sweep.helper)).toEqual(['Read']);
  });

  it('are called by a person through the model, also those that the model may not call by itself', async () => {
    const id = await client.session();
    expect(await ask(client, id, skill('by-hand'))).toMatchObject({ toolCalls: [{ helper: null, isError: true }] });
    const turn = await ask(client, id, `/by-hand ${skill('by-hand')}`);
    const called = { name: 'Skill', isError: false, helper: expect.any(String) };
    expect(turn).toMatchObject({ status: 'completed', toolCalls: [called, called] }); // the scripted model reads its call in the command, and in what it is told
    expect((await results(client, id)).slice(1)).toEqual(['by hand', 'by hand']);
  });

  it('run in the conversation of a session that is offered no helpers', async () => {
    const id = await client.session({ permissions: { deny: ['Agent'] } });
    expect(await ask(client, id, skill('look', 'a bird'))).toMatchObject({ toolCalls: [{ helper: null }] });
    expect(await results(client, id)).toEqual(['Launching skill: look']);
    for (const tool of ['Agent', 'Skill']) {
      const without = await client.session({ permissions: { deny: [tool] } });
      expect(await ask(client, without, '/by-hand')).toMatchObject({ status: 'completed', toolCalls: [] });
      expect((await client.messages(without))[1]).toMatchObject({ isMeta: true, content: expect.stringContaining('{{say by hand}}') });
    }
  });

  it('of a plugin are offered to the tenants that have enabled it, beside their own agents', async () => {
    const tool = async (by: Client): Promise<UnknownObject> => {
      const id = await by.session();
      await ask(by, id, '{{say x}}');
      return (await by.get(`/v1/sessions/${id}/payload`)).body.payload.tools.find(({ name }: UnknownObject) => name === 'Agent');
    };
    expect((await tool(client)).input_schema.properties.agent.enum).toEqual(['critic', 'house:second', 'house:sweeper', 'sweeper']);
    expect((await tool(client)).description).toContain('\n- house:second: comes second\n- house:sweeper: sweeps\n');
    expect((await tool(await server.tenant('without'))).input_schema.properties.agent).toBeUndefined();
    const id = await client.session();
    const { toolCalls } = await ask(client, id, call('Agent', { description: 'sweep', prompt: '{{say swept}}', agent: 'house:second' }));
    expect(await session(toolCalls[0].helper)).toMatchObject({ system: 'Be second.' });
  });
});
