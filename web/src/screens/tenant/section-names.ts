import { visible } from '../../text/plain.tsx';

/** Sections by the name that the page has for them. */
const NAMES: Readonly<Record<string, string>> = {
  agents: 'agents',
  bypassPermissions: 'tools without asking',
  gates: 'feature gates',
  hooks: 'hooks',
  hookSecret: 'secret of the hooks',
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

export const sectionsInWords = (sections: readonly string[]): string => sections.map((name) => visible(NAMES[name] ?? name)).join(', ');
