import type { AgentDefinition } from '../session/tenants/tenant-settings.js';

/** How helpers work that are asked for by the name of an agent. */
export abstract class Agents {
  /** Those of the tenant's settings, and as `PLUGIN:NAME` those of the plugins that it has enabled. */
  abstract of(tenantId: string): Promise<Readonly<Record<string, AgentDefinition>>>;
}
