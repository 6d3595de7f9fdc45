import type { FieldError } from '../../../packages/protocol/errors.js';
import type { TenantSettings } from '../../session/tenants/tenant-settings.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import { type ToolCall, type ToolOutcome, type ToolProblem, Tools, type ToolSet, type TriedServer } from '../../ports/index.js';
import type { ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';

/** Several sets of tools as one. Of two tools with the same name, the one of the earlier set is used. */
export class ToolRegistry extends Tools {
  constructor(private readonly sets: readonly ToolSet[]) {
    super();
  }

  override async offered(tenantId: string): Promise<readonly ToolDefinition[]> {
    const found = new Map<string, ToolDefinition>();
    for (const offered of await Promise.all(this.sets.map((set) => set.offered(tenantId)))) {
      for (const tool of offered) if (!found.has(tool.name)) found.set(tool.name, tool);
    }
    return [...found.values()];
  }

  override async problems(tenantId: string): Promise<readonly ToolProblem[]> {
    return (await Promise.all(this.sets.map((set) => set.problems(tenantId)))).flat();
  }

  override faultsIn(servers: TenantSettings['mcpServers']): readonly FieldError[] {
    return this.sets.flatMap((set) => set.faultsIn(servers));
  }

  override async tryServer(tenantId: string, name: string, server: TenantSettings['mcpServers'][string]): Promise<TriedServer | null> {
    for (const set of this.sets) {
      const tried = await set.tryServer(tenantId, name, server);
      if (tried !== null) return tried;
    }
    return null;
  }

  override async run(call: ToolCall, onProgress: (data: Json) => void, signal: AbortSignal): Promise<ToolOutcome> {
    for (const set of this.sets) {
      const offered = await set.offered(call.tenantId);
      if (offered.some((tool) => tool.name === call.name)) return set.run(call, onProgress, signal);
    }
    return { content: `There is no tool named ${call.name} on this server.`, isError: true };
  }
}
