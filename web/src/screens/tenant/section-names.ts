import { visible } from '../../text/plain.tsx';

const list = new Intl.ListFormat('en');

/** Sections by the name that the page has for them. */
const NAMES: Readonly<Record<string, string>> = {
  agents: 'agents',
  bypassPermissions: 'tools without asking',
  gates: 'feature gates',
  hooks: 'hooks',
  hookSecret: 'the secret of the hooks',
  instructions: 'instructions',
  mcpServers: 'MCP servers',
  memory: 'memory',
  models: 'models',
  permissions: 'permissions',
  plugins: 'plugins',
  quotas: 'limits',
  retentionDays: 'retention',
  skills: 'skills',
  upstreamKey: 'key for the model API',
};

export const sectionsInWords = (sections: readonly string[]): string => list.format(inOrder(sections).map((name) => visible(NAMES[name] ?? name)));

/** Those that are known in the order above: `hooks and the secret of the hooks`. */
const inOrder = (sections: readonly string[]): readonly string[] => sections.toSorted((one, other) => placeOf(one) - placeOf(other));

const placeOf = (name: string): number => Object.keys(NAMES).indexOf(name) + 1 || Infinity;
