import { Command } from '@nestjs/cqrs';
import type { CommandContext, CommandResult } from './context.js';
import { forwardingHandler } from './forwarding-handler.js';

/** Removes a queued prompt from the queue. Withdrawing a withdrawn prompt changes nothing. */
export class WithdrawPromptCommand extends Command<CommandResult & { readonly withdrawn: true }> {
  constructor(
    readonly context: CommandContext,
    readonly promptId: string,
  ) {
    super();
  }
}

export const WithdrawPromptHandler = forwardingHandler(
  WithdrawPromptCommand,
  ({ promptId }) => ({ type: 'WithdrawPrompt', promptId }),
  () => ({ withdrawn: true as const }),
);
