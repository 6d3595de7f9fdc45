import { Command } from '@nestjs/cqrs';
import type { Carried, CommandContext } from './context.js';

/** Takes a waiting prompt out of the queue. Repeating is harmless. */
export class WithdrawPromptCommand extends Command<Carried & { readonly withdrawn: true }> {
  constructor(
    readonly context: CommandContext,
    readonly promptId: string,
  ) {
    super();
  }
}
