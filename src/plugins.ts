import type { Hook } from './engine/hooks/definition.js';
import { readHooksFile, readPluginHooks } from './engine/hooks/hooks-file.js';
import { filesOf } from './engine/hooks/named-files.js';
import { readPluginServers } from './engine/mcp/mcp-file.js';
import type { McpServer } from './engine/mcp/server.js';
import { type Plugin, readPlugins } from './engine/plugins/installed-plugins.js';
import { type PluginAgent, readAgents } from './engine/skills/plugin-agents.js';
import type { SkillRoot } from './engine/skills/installed-skills.js';
import type { Settings } from './platform/config/env.js';

/** What the plugins of PLUGINS_DIR bring to the other adapters. */
export interface OpenPlugins {
  readonly installed: readonly Plugin[];
  readonly hooks: readonly Hook[];
  readonly servers: readonly McpServer[];
  readonly skillRoots: readonly SkillRoot[];
  readonly agents: readonly PluginAgent[];
}

/** Reads the plugins once, at the start. Each problem is reported with the name of its plugin; what has none works. */
export async function openPlugins(
  { PLUGINS_DIR, HOOK_TIMEOUT_MS, MAX_SKILL_BYTES }: Settings,
  report: (problem: string, error: unknown) => void,
): Promise<OpenPlugins> {
  if (PLUGINS_DIR === undefined) return { installed: [], hooks: [], servers: [], skillRoots: [], agents: [] };
  const { plugins, problems } = await readPlugins(PLUGINS_DIR).catch((error: unknown) => {
    throw new Error(`PLUGINS_DIR ${PLUGINS_DIR} cannot be read (${String((error as { code?: unknown }).code)}).`, { cause: error });
  });
  for (const problem of problems) report(`plugin ${problem}`, null);
  const agents: PluginAgent[] = [];
  for (const plugin of plugins) {
    const found = await readAgents(plugin, MAX_SKILL_BYTES);
    agents.push(...found.agents);
    for (const problem of found.problems) report(`plugin ${plugin.name}: ${problem}`, null);
  }
  const bring = plugins.map((plugin) => {
    const { name, directory } = plugin;
    const none = { hooks: [], servers: [], problems: [] };
    const hooks = plugin.hooks ? readPluginHooks(plugin.hooks.json, plugin, { timeoutMs: HOOK_TIMEOUT_MS, environment: process.env }) : none;
    const mcp = plugin.mcpServers ? readPluginServers(plugin.mcpServers.json, plugin, process.env) : none;
    for (const problem of [...hooks.problems, ...mcp.problems]) report(`plugin ${name}: ${problem}`, null);
    const skillRoots = plugin.skillFolders.map((folder) => ({
      directory: `${directory}/${folder}`,
      path: `${plugin.path}/${folder}`,
      plugin: { name, root: plugin.path },
    }));
    return { hooks: hooks.hooks, servers: mcp.servers, skillRoots };
  });
  return {
    installed: plugins,
    hooks: bring.flatMap(({ hooks }) => hooks),
    servers: bring.flatMap(({ servers }) => servers),
    skillRoots: bring.flatMap(({ skillRoots }) => skillRoots),
    agents,
  };
}

/** The hooks of the operator's file and of plugins, and what the sandbox of sessions has to offer to them. */
export function operatorHooks({ HOOKS_FILE, HOOK_TIMEOUT_MS }: Settings, ofPlugins: readonly Hook[]) {
  const own = HOOKS_FILE ? readHooksFile(HOOKS_FILE, { timeoutMs: HOOK_TIMEOUT_MS, environment: process.env }) : [];
  const all: readonly Hook[] = [...own, ...ofPlugins];
  const sandboxed = all.filter((hook) => hook.type === 'command' && hook.sandbox);
  return { all, use: { forHooks: sandboxed.length > 0, readByHooks: sandboxed.flatMap(filesOf) } };
}
