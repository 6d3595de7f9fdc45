import { Command } from '@nestjs/cqrs';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { CommandContext, CommandResult } from './context.js';
import { forwardingHandler } from './forwarding-handler.js';

export interface ToolDecision {
  readonly toolUseId: string;
  readonly decision: 'allow' | 'reject' | 'cancel';
  /** With `reject`: text for the model. */
  readonly feedback: string | null;
  /** With `allow`: replaces the input of the call. */
  readonly updatedInput: { readonly [key: string]: Json } | null;
}

/** A user's decision about a tool call that awaits one. */
export class DecideToolCommand extends Command<CommandResult & Pick<ToolDecision, 'toolUseId' | 'decision'>> {
  constructor(
    readonly context: CommandContext,
    readonly decision: ToolDecision,
  ) {
    super();
  }
}

export const DecideToolHandler = forwardingHandler(
  DecideToolCommand,
  async ({ context: { principal }, decision }, { clock, gates }) => ({
    type: 'DecideTool',
    ...decision,
    by: principal.userId,
    at: clock.timestamp(),
    seed: clock.uuid(),
    gates: await gates.intake(principal.tenantId),
  }),
  (_, { decision: { toolUseId, decision } }) => ({ toolUseId, decision }),
);
