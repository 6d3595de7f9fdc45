import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { modelOfAlias } from '../../../packages/normalizer/models/aliases.js';
import { shorten } from '../../../packages/protocol/message/text.js';
import { Agents, type TenantConfiguration } from '../../ports/index.js';
import { type AgentDefinition, isPluginEnabled } from '../../session/tenants/tenant-settings.js';
import { parseFrontMatter, ruleList, SkillFault } from './front-matter.js';
import { readText } from './read-text.js';

/** An agent that a plugin brings. */
export interface PluginAgent {
  readonly plugin: string;
  /** `PLUGIN:NAME`. */
  readonly name: string;
  readonly definition: AgentDefinition;
}

/** A plugin, as far as its agents are concerned. */
export interface AgentSource {
  readonly name: string;
  /** An absolute path without links, and the path by which the model and its tools reach it. */
  readonly directory: string;
  readonly path: string;
  /** Files of agents, and folders with such, relative to the plugin; some may not exist. */
  readonly agentPlaces: readonly string[];
}

export interface FoundAgents {
  readonly agents: readonly PluginAgent[];
  readonly problems: readonly string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Characters of a description: it is part of the definition of a tool. */
const MAX_DESCRIPTION = 1_000;

/** The public members of an agent's front matter that this server uses; others are ignored. */
const members = z.looseObject({
  name: z.string().trim().nullish(),
  description: z.string().trim().min(1),
  tools: ruleList,
  model: z.string().trim().min(1).nullish(),
});

/** Reads the agents of a plugin, a file each. One that cannot be read is left out, and its problem is listed. */
export async function readAgents(plugin: AgentSource, maxBytes: number): Promise<FoundAgents> {
  const agents = new Map<string, PluginAgent>();
  const problems: string[] = [];
  for (const file of await agentFiles(plugin)) {
    try {
      const at = await realpath(path.join(plugin.directory, file));
      if (!at.startsWith(`${plugin.directory}/`)) throw new SkillFault('It is a link to a place outside of the plugin.');
      const agent = agentOf(plugin, path.basename(file, '.md'), await readText(at, maxBytes));
      if (agents.has(agent.name)) throw new SkillFault(`The name ${agent.name} is already used.`);
      agents.set(agent.name, agent);
    } catch (fault) {
      problems.push(`${file}: ${fault instanceof SkillFault ? fault.message : `It cannot be read (${String((fault as { code?: unknown }).code)}).`}`);
    }
  }
  return { agents: [...agents.values()], problems };
}

/** In the order of the manifest, and in a folder by name. */
async function agentFiles({ directory, agentPlaces }: AgentSource): Promise<readonly string[]> {
  const found = agentPlaces.map(async (place) => {
    const at = await realpath(path.join(directory, place)).catch(() => null);
    if (at === null || !at.startsWith(`${directory}/`)) return [];
    if (!(await stat(at)).isDirectory()) return [path.normalize(place)];
    const entries = (await readdir(at)).filter((name) => name.endsWith('.md') && !name.startsWith('.') && name !== 'README.md');
    return entries.sort().map((name) => path.join(place, name));
  });
  return [...new Set((await Promise.all(found)).flat())];
}

function agentOf({ name: plugin, path: root }: AgentSource, fileName: string, text: string): PluginAgent {
  const { front, body } = parseFrontMatter(text, members);
  const { description, tools, model } = front;
  const name = front.name ?? fileName;
  if (!NAME.test(name)) throw new SkillFault(`The name ${JSON.stringify(shorten(name, 64))} must be 1 to 64 letters, digits, - and _.`);
  const prompt = body.replaceAll('${CLAUDE_PLUGIN_ROOT}', root).trim();
  if (prompt === '') throw new SkillFault('It has no text after its front matter.');
  const definition = {
    description: shorten(description, MAX_DESCRIPTION - 1),
    prompt,
    ...(tools === null || tools === undefined ? {} : { tools }),
    ...(model === null || model === undefined || model === 'inherit' ? {} : { model: modelOfAlias(model) ?? model }),
  };
  return { plugin, name: `${plugin}:${name}`, definition };
}

/** The agents in the settings of a tenant, and those of plugins that were read at the start. */
export class InstalledAgents extends Agents {
  constructor(
    private readonly ofPlugins: readonly PluginAgent[],
    private readonly tenants: Pick<TenantConfiguration, 'read'>,
  ) {
    super();
  }

  override async of(tenantId: string): Promise<Readonly<Record<string, AgentDefinition>>> {
    const settings = await this.tenants.read(tenantId);
    const enabled = this.ofPlugins.filter(({ plugin }) => isPluginEnabled(settings, plugin));
    return { ...settings.agents, ...Object.fromEntries(enabled.map(({ name, definition }) => [name, definition])) };
  }
}
