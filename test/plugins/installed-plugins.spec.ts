import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readPluginHooks } from '../../src/engine/hooks/hooks-file.js';
import { readPluginServers } from '../../src/engine/mcp/mcp-file.js';
import { readPlugins } from '../../src/engine/plugins/installed-plugins.js';

describe('the plugins of a directory', () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'plugins-')));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const put = async (file: string, content: unknown): Promise<void> => {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
  };

  it('are read with the usual places and those that the manifest names', async () => {
    await put('a/.claude-plugin/plugin.json', { name: 'first', version: '1.0.0', skills: './more', mcpServers: { one: { command: 'x' } } });
    await put('a/commands/go.md', 'Go.');
    await put('a/more/s/SKILL.md', 'Skill.');
    await put('a/hooks/hooks.json', { hooks: {} });
    const { plugins, problems } = await readPlugins(root);
    expect(problems).toEqual([]);
    expect(plugins).toEqual([
      {
        name: 'first',
        description: '',
        directory: path.join(root, 'a'),
        path: '/plugins/first',
        hooks: { file: 'hooks/hooks.json', json: { hooks: {} } },
        mcpServers: { file: '.claude-plugin/plugin.json', json: { one: { command: 'x' } } },
        skillFolders: ['commands', 'more'],
        agentPlaces: ['./agents'],
      },
    ]);
  });

  it('are left out when they are not valid, and each problem names its plugin', async () => {
    await put('a/.claude-plugin/plugin.json', { name: 'same' });
    await put('b/.claude-plugin/plugin.json', { name: 'same' });
    await put('c/.claude-plugin/plugin.json', '{');
    await put('d/.claude-plugin/plugin.json', { name: 'd', hooks: '../a/hooks.json' });
    await put('e/readme.md', 'no manifest');
    await put('secret.json', { hooks: {} });
    await put('f/.claude-plugin/plugin.json', { name: 'f' });
    await mkdir(path.join(root, 'f/hooks'));
    await symlink(path.join(root, 'secret.json'), path.join(root, 'f/hooks/hooks.json'));
    const { plugins, problems } = await readPlugins(root);
    expect(plugins.map(({ directory }) => path.basename(directory))).toEqual(['a']);
    expect(problems).toEqual([
      'b: the name same is already used by another plugin.',
      expect.stringMatching(/^c: \.claude-plugin\/plugin\.json is not valid JSON: /),
      expect.stringMatching(/^d: \.claude-plugin\/plugin\.json is not valid: hooks /),
      'e: .claude-plugin/plugin.json does not exist.',
      'f: hooks/hooks.json is a link to a place outside of the plugin.',
    ]);
  });

  it('keep the hooks and servers that this server supports, and list the others', () => {
    const plugin = { name: 'house', directory: '/opt/house' };
    const command = { type: 'command', command: '"${CLAUDE_PLUGIN_ROOT}/go.sh"' };
    const hooks = readPluginHooks(
      { hooks: { Stop: [{ hooks: [command, { type: 'prompt', prompt: 'Done?' }] }], PreToolUse: [{ matcher: 'Bash', hooks: [command] }], SessionEnd: [] } },
      plugin,
      { timeoutMs: 1_000, environment: {} },
    );
    expect(hooks.hooks).toMatchObject([{ event: 'PreToolUse', plugin: 'house', environment: { CLAUDE_PLUGIN_ROOT: '/opt/house' } }]);
    expect(hooks.problems).toEqual([expect.stringContaining('hooks.Stop.0.hooks.1'), expect.stringContaining('hooks.SessionEnd')]);
    const { servers, problems } = readPluginServers(
      { good: { command: '${CLAUDE_PLUGIN_ROOT}/s', args: ['${MISSING:-x}'] }, bad: { type: 'sse', url: 'x' }, unset: { command: '${UNSET}' } },
      plugin,
      {},
    );
    expect(servers).toEqual([
      { kind: 'stdio', name: 'plugin_house_good', plugin: 'house', command: '/opt/house/s', args: ['x'], env: { CLAUDE_PLUGIN_ROOT: '/opt/house' } },
    ]);
    expect(problems).toEqual([expect.stringContaining('mcpServers.bad'), expect.stringContaining('UNSET')]);
  });
});
