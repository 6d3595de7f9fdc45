import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type PluginSummary, Plugins, type ReadOnlyFolder, type TenantConfiguration } from '../../ports/index.js';
import { shorten } from '../../../packages/protocol/message/text.js';
import { isPluginEnabled } from '../../session/tenants/tenant-settings.js';

/** A plugin of the operator: a folder with `.claude-plugin/plugin.json`. */
export interface Plugin {
  readonly name: string;
  /** From its manifest; empty when it has none. */
  readonly description: string;
  /** An absolute path without links. */
  readonly directory: string;
  /** The path by which the model and its tools reach the folder. */
  readonly path: string;
  /** The JSON of its hooks and of its MCP servers, with the file they are from; null where it has none. */
  readonly hooks: PluginJson | null;
  readonly mcpServers: PluginJson | null;
  /** Folders of skills and commands that exist, relative to the plugin. */
  readonly skillFolders: readonly string[];
  /** Files of agents, and folders with such, relative to the plugin; some may not exist. */
  readonly agentPlaces: readonly string[];
}

export interface PluginJson {
  readonly file: string;
  readonly json: unknown;
}

export interface InstalledPlugins {
  readonly plugins: readonly Plugin[];
  /** Each begins with the name of its plugin. */
  readonly problems: readonly string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const MANIFEST = '.claude-plugin/plugin.json';
const MAX_JSON_BYTES = 1024 * 1024;

/** Characters of a description in lists. */
const MAX_DESCRIPTION = 1_024;

/** A place that the manifest may name instead of the usual one. */
const relative = z.string().regex(/^\.\/(?!.*\.\.)/, 'must be a path that begins with ./ and does not contain ..');

const manifest = z.looseObject({
  name: z.string().regex(NAME, 'must be 1 to 64 letters, digits, - and _'),
  description: z.string().optional(),
  hooks: z.union([relative, z.looseObject({})]).optional(),
  mcpServers: z.union([relative, z.looseObject({})]).optional(),
  commands: z.union([relative, z.array(relative)]).optional(),
  skills: z.union([relative, z.array(relative)]).optional(),
  agents: z.union([relative, z.array(relative)]).optional(),
});

/** Reads the plugins in a directory, sorted by folder. A plugin that cannot be read is left out, and its problem is listed. Rejects when the directory cannot be read. */
export async function readPlugins(directory: string): Promise<InstalledPlugins> {
  const home = await realpath(directory);
  const plugins = new Map<string, Plugin>();
  const problems: string[] = [];
  for (const entry of (await readdir(home)).filter((name) => !name.startsWith('.')).sort()) {
    const folder = path.join(home, entry);
    if (!(await stat(folder).catch(() => null))?.isDirectory()) continue;
    try {
      const plugin = await readPlugin(await realpath(folder));
      if (plugins.has(plugin.name)) problems.push(`${entry}: the name ${plugin.name} is already used by another plugin.`);
      else plugins.set(plugin.name, plugin);
    } catch (error) {
      problems.push(`${entry}: ${(error as { readonly message: string }).message}`);
    }
  }
  return { plugins: [...plugins.values()], problems };
}

async function readPlugin(directory: string): Promise<Plugin> {
  const written = await readJson(directory, MANIFEST);
  if (written === null) throw new Error(`${MANIFEST} does not exist.`);
  const read = manifest.safeParse(written.json);
  if (!read.success)
    throw new Error(`${MANIFEST} is not valid: ${read.error.issues.map((issue) => `${issue.path.join('.') || 'it'} ${issue.message}`).join('; ')}.`);
  const { name, description = '', hooks, mcpServers, commands, skills, agents } = read.data;
  const member = (given: string | object | undefined, usual: string): Promise<PluginJson | null> =>
    typeof given === 'object' ? Promise.resolve({ file: MANIFEST, json: given }) : readJson(directory, given ?? usual);
  const folders = ['./commands', commands ?? [], './skills', skills ?? []].flat();
  const found = await Promise.all(
    folders.map(async (folder) => ((await isFolderInside(directory, folder)) ? [path.normalize(folder).replace(/\/$/, '')] : [])),
  );
  return {
    name,
    description: shorten(description, MAX_DESCRIPTION - 1),
    directory,
    path: `/plugins/${name}`,
    hooks: await member(hooks, 'hooks/hooks.json'),
    mcpServers: await member(mcpServers, '.mcp.json'),
    skillFolders: [...new Set(found.flat())],
    agentPlaces: ['./agents', agents ?? []].flat(),
  };
}

/** Null when the file does not exist. */
async function readJson(directory: string, file: string): Promise<PluginJson | null> {
  const at = await realpath(path.join(directory, file)).catch(() => null);
  if (at === null) return null;
  if (!at.startsWith(`${directory}/`)) throw new Error(`${file} is a link to a place outside of the plugin.`);
  if ((await stat(at)).size > MAX_JSON_BYTES) throw new Error(`${file} has more than ${MAX_JSON_BYTES} bytes.`);
  try {
    return { file, json: JSON.parse(await readFile(at, 'utf8')) as unknown };
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as { readonly message: string }).message}`, { cause: error });
  }
}

async function isFolderInside(directory: string, folder: string): Promise<boolean> {
  const at = await realpath(path.join(directory, folder)).catch(() => null);
  return at !== null && at.startsWith(`${directory}/`) && (await stat(at)).isDirectory();
}

/** The folders of the plugins that a tenant has enabled, read-only for the tools of its sessions. */
export async function pluginFolders(
  plugins: readonly Plugin[],
  tenants: Pick<TenantConfiguration, 'read'>,
  tenantId: string,
): Promise<readonly ReadOnlyFolder[]> {
  if (plugins.length === 0) return [];
  const settings = await tenants.read(tenantId);
  return plugins.flatMap(({ name, path: visible, directory }) => (isPluginEnabled(settings, name) ? [{ path: visible, directory }] : []));
}

/** The plugins that were read at the start, and each tenant's selection. */
export class ReadPlugins extends Plugins {
  constructor(
    private readonly plugins: readonly Plugin[],
    private readonly tenants: Pick<TenantConfiguration, 'read'>,
  ) {
    super();
  }

  override async list(tenantId: string): Promise<readonly PluginSummary[]> {
    const settings = await this.tenants.read(tenantId);
    return this.plugins.map(({ name, description, hooks, mcpServers, skillFolders }) => ({
      name,
      description,
      enabled: isPluginEnabled(settings, name),
      brings: [
        ...(hooks ? (['hooks'] as const) : []),
        ...(mcpServers ? (['mcpServers'] as const) : []),
        ...(skillFolders.length > 0 ? (['skills'] as const) : []),
      ],
    }));
  }
}
