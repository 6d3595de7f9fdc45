import { z } from 'zod';
import { EXIT_PLAN_MODE, type ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import { type ToolCall, type ToolOutcome, ToolSet } from '../../ports/index.js';
import { errorOutcome, inputSchema, parseInput } from './input.js';

const schema = z.strictObject({
  plan: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .describe('The plan, in Markdown: what you will change, in which order, and how you will check it'),
});

const EXIT: ToolDefinition = {
  name: EXIT_PLAN_MODE,
  description:
    'Shows the user your finished plan and asks to leave plan mode. Call it only in plan mode, and only when the task needs changes that you have planned. Once the user agrees, make the changes. When the user declines, improve the plan.',
  input_schema: inputSchema(schema),
  source: 'builtin',
  effect: 'run',
};

/** Lets the model ask to leave plan mode. In this mode a person decides about every such call; one that was allowed in another mode, and runs when plan mode is on, leaves it on. */
export class PlanTool extends ToolSet {
  override async offered(): Promise<readonly ToolDefinition[]> {
    return [EXIT];
  }

  override async run({ input, permissionMode, isApproved }: ToolCall): Promise<ToolOutcome> {
    if (permissionMode !== 'plan') return errorOutcome('Plan mode is not on: changes may be made without this call.');
    if (isApproved !== true) return errorOutcome('Plan mode was turned on after this call was allowed, so no person has agreed to the plan. Call it again.');
    const parsed = parseInput(EXIT.name, schema, input);
    if ('fault' in parsed) return errorOutcome(parsed.fault);
    return { content: 'The user agrees to the plan. Plan mode is over; make the planned changes.', isError: false, leavesPlanMode: true };
  }
}
