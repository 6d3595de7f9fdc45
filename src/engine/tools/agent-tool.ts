import { AGENT_TOOL, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import { type Agents, type ToolOutcome, ToolSet } from '../../ports/index.js';
import { agentInputSchema } from '../../session/prompt/agent-input.js';
import type { AgentDefinition } from '../../session/tenants/tenant-settings.js';
import { errorOutcome } from './input.js';

const DESCRIPTION =
  'Has a helper carry out a task in a conversation of its own, and returns the text of its last answer. Use it for work that takes many steps of which you need only the result. The helper begins with an empty conversation and an empty folder, has no more rights than you, and cannot ask you. Make several calls in one answer for tasks that do not depend on each other: they run side by side.';

/** In the order of their names, so that an equal list has equal bytes. */
function definition(agents: Readonly<Record<string, AgentDefinition>>): ToolDefinition {
  const names = Object.keys(agents).toSorted();
  const listed = names.map((name) => `\n- ${name}: ${agents[name]!.description}`).join('');
  return {
    name: AGENT_TOOL,
    description: names.length === 0 ? DESCRIPTION : `${DESCRIPTION}\n\nAgents:${listed}`,
    input_schema: agentInputSchema(names),
    source: 'builtin',
    effect: 'read',
  };
}

/** Lets the model have helpers. The turn carries its calls out (`HelperCalls`), so that `run` is reached only where none can be made. */
export class AgentTool extends ToolSet {
  constructor(private readonly agents: Agents) {
    super();
  }

  override async offered(tenantId: string): Promise<readonly ToolDefinition[]> {
    return this.agents.of(tenantId).then(
      (agents) => [definition(agents)],
      () => [],
    );
  }

  override async run(): Promise<ToolOutcome> {
    return errorOutcome('No helper can be made here.');
  }
}
