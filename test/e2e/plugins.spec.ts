import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BUBBLEWRAP, itWith } from '../support/needs.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call, resultsIn } from '../support/tool-server.js';

const DEMO_SERVER = pathToFileURL(fileURLToPath(new URL('../mcp/servers/stdio-demo.js', import.meta.url))).href;
const maybe = itWith(BUBBLEWRAP);

describe('skills and plugins of the operator', () => {
  let data: string;
  let server: TestServer;
  let client: Client;

  const put = async (file: string, content: string | object, mode = 0o644): Promise<void> => {
    const at = path.join(data, file);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  };

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-plugins-'));
    await chmod(data, 0o711); // for the accounts of sessions
    await put('skills/forms/SKILL.md', '---\ndescription: Fills forms\n---\nSee [the reference](reference.md); run `${CLAUDE_SKILL_DIR}/scripts/fill.sh`.');
    await put('skills/forms/reference.md', 'Fields are named in capitals.');
    await put('skills/forms/scripts/fill.sh', '#!/bin/sh\necho "filled $1 beside $(cat "$(dirname "$0")/../reference.md")"\n', 0o755);
    await put('plugins/house/.claude-plugin/plugin.json', { name: 'house', description: 'Rules of the house' });
    await put('plugins/house/hooks/hooks.json', {
      description: 'House rules',
      hooks: {
        UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/rule.sh"' }] }],
        Notification: [{ hooks: [{ type: 'command', command: 'true' }] }],
      },
    });
    await put('plugins/house/hooks/rule.sh', 'echo "house rule from $(basename "$CLAUDE_PLUGIN_ROOT")"');
    await put('plugins/house/commands/tidy.md', '---\ndescription: Tidies up\n---\nTidy $ARGUMENTS with ${CLAUDE_PLUGIN_ROOT}/bin/tidy.sh.');
    await put('plugins/house/bin/tidy.sh', '#!/bin/sh\necho "tidied $1"\n', 0o755);
    await put('plugins/house/skills/sweep/SKILL.md', '---\ndescription: Sweeps\n---\nSweep.');
    await put('plugins/house/.mcp.json', { mcpServers: { demo: { command: process.execPath, args: ['${CLAUDE_PLUGIN_ROOT}/server.mjs'] } } });
    await put('plugins/house/server.mjs', `await import(${JSON.stringify(DEMO_SERVER)});`);
    await put('plugins/broken/.claude-plugin/plugin.json', '{"name": ');
    await put('plugins/nameless/.claude-plugin/plugin.json', { name: 'two words' });
    await put('plugins/empty/readme.md', 'nothing');
    server = await startTestServer({
      DATA_DIR: data,
      WORKSPACES_DIR: path.join(data, 'workspaces'),
      SKILLS_DIR: path.join(data, 'skills'),
      PLUGINS_DIR: path.join(data, 'plugins'),
      TOOLS: 'Bash,Read,Glob',
      BASH_MEMORY_MB: '256',
    });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  const allowing = (by: Client): Promise<string> => by.session({ permissionMode: 'bypassPermissions' });
  const shell = async (by: Client, id: string, command: string): Promise<string> => {
    await by.ask(id, command, { mode: 'bash' });
    return (await by.messages(id)).at(-1).content;
  };
  const names = async (by: Client, route: string): Promise<readonly string[]> =>
    expectStatus(await by.get(route), 200).body.data.map(({ name }: UnknownObject) => name);

  maybe('a skill names its folder by a stable path, at which the tools find its files and run its scripts', async () => {
    const id = await allowing(client);
    await client.ask(id, '/forms');
    const [, body] = await client.messages(id);
    expect(body.content).toBe('Base directory for this skill: /skills/forms\n\nSee [the reference](reference.md); run `/skills/forms/scripts/fill.sh`.');
    await client.ask(id, call('Read', { file_path: '/skills/forms/reference.md' }) + call('Glob', { pattern: '**/*', path: '/skills/forms' }));
    const results = resultsIn(await client.messages(id)).map(({ content }) => content);
    expect(results).toContain('     1\tFields are named in capitals.');
    expect(results).toContain('/skills/forms/SKILL.md\n/skills/forms/reference.md\n/skills/forms/scripts/fill.sh');
    expect(await shell(client, id, '/skills/forms/scripts/fill.sh A1')).toContain('filled A1 beside Fields are named in capitals.');
    expect(await shell(client, id, 'touch /skills/forms/x; ls /plugins')).toMatch(/Read-only file system[^]*No such file/);
    expect(JSON.stringify((await client.events(id)).filter(({ type }) => type !== 'hook.completed'))).not.toContain(path.join(data, 'skills'));
  });

  it('a plugin is off until a tenant enables it', async () => {
    const other = await server.tenant('without');
    expect(await names(other, '/v1/skills')).toEqual(['forms']);
    expect(expectStatus(await other.get('/v1/hooks'), 200).body.data).toEqual([]);
    expect((await names(other, '/v1/tools')).some((name) => name.startsWith('mcp__'))).toBe(false);
    const id = await other.session();
    expect(JSON.stringify((await other.prompt(id, '/house:tidy up')).body)).toMatch(/unknown/i);
    await other.ask(id, 'hello');
    expect(JSON.stringify(await other.messages(id))).not.toContain('house rule');
  });

  maybe('a plugin brings its hooks, commands, skills and MCP servers to a tenant that enables it', async () => {
    const tenant = await server.tenant('with');
    expectStatus(await tenant.call('PATCH', '/v1/settings', { plugins: { house: true } }), 200);
    expect([...(await names(tenant, '/v1/skills'))].sort()).toEqual(['forms', 'house:sweep', 'house:tidy']);
    const plugin = { name: 'house', description: 'Rules of the house', brings: ['hooks', 'mcpServers', 'skills'] };
    expect(expectStatus(await tenant.get('/v1/plugins'), 200).body).toEqual({ data: [{ ...plugin, enabled: true }] });
    expect(expectStatus(await client.get('/v1/plugins'), 200).body).toEqual({ data: [{ ...plugin, enabled: false }] });
    expect(expectStatus(await tenant.get('/v1/hooks'), 200).body.data).toMatchObject([{ source: 'deployment', plugin: 'house', event: 'UserPromptSubmit' }]);
    expect(await names(tenant, '/v1/tools')).toContain('mcp__plugin_house_demo__echo');
    const id = await allowing(tenant);
    await tenant.ask(id, '/house:tidy the hall');
    const messages = await tenant.messages(id);
    expect(messages[0].content).toContain('<command-name>/house:tidy</command-name>');
    expect(messages[1].content).toBe('Tidy the hall with /plugins/house/bin/tidy.sh.');
    await tenant.ask(id, `${call('mcp__plugin_house_demo__echo', { text: 'from the plugin' })}`);
    expect(resultsIn(await tenant.messages(id)).map(({ content }) => content)).toContain('from the plugin');
    expect(JSON.stringify(await tenant.messages(id))).toContain('house rule from house');
    expect(await shell(tenant, id, '/plugins/house/bin/tidy.sh hall')).toContain('tidied hall');
    expect(await shell(tenant, id, 'touch /plugins/house/x')).toContain('Read-only file system');
  });

  it('a skill that a tenant has switched off is listed on request, with those of enabled plugins only', async () => {
    const tenant = await server.tenant('choosing');
    const listed = async () =>
      (expectStatus(await tenant.get('/v1/skills?disabled=true'), 200).body.data as readonly UnknownObject[])
        .map(({ name, enabled, plugin }) => [name, enabled, plugin])
        .sort();
    expect(await listed()).toEqual([['forms', true, null]]);
    expectStatus(await tenant.call('PATCH', '/v1/settings', { plugins: { house: true }, skills: { forms: false, 'house:tidy': false } }), 200);
    expect(await listed()).toEqual([
      ['forms', false, null],
      ['house:sweep', true, 'house'],
      ['house:tidy', false, 'house'],
    ]);
    expect(await names(tenant, '/v1/skills')).toEqual(['house:sweep']);
    expectStatus(await tenant.get('/v1/skills?disabled=perhaps'), 400);
  });
});
