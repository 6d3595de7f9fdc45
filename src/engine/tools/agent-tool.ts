import { AGENT_TOOL, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import { type ToolOutcome, ToolSet } from '../../ports/index.js';
import { AGENT_INPUT_SCHEMA } from '../../session/prompt/agent-input.js';
import { errorOutcome } from './input.js';

const AGENT: ToolDefinition = {
  name: AGENT_TOOL,
  description:
    'Has a helper carry out a task in a conversation of its own, and returns the text of its last answer. Use it for work that takes many steps of which you need only the result. The helper begins with an empty conversation and an empty folder, has no more rights than you, and cannot ask you. Make several calls in one answer for tasks that do not depend on each other: they run side by side.',
  input_schema: AGENT_INPUT_SCHEMA,
  source: 'builtin',
  effect: 'read',
};

/** Lets the model have helpers. The turn carries its calls out (`HelperCalls`), so that `run` is reached only where none can be made. */
export class AgentTool extends ToolSet {
  override async offered(): Promise<readonly ToolDefinition[]> {
    return [AGENT];
  }

  override async run(): Promise<ToolOutcome> {
    return errorOutcome('No helper can be made here.');
  }
}
