import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import { WithdrawPromptCommand } from './withdraw-prompt.command.js';

@CommandHandler(WithdrawPromptCommand)
export class WithdrawPromptHandler implements ICommandHandler<WithdrawPromptCommand> {
  constructor(private readonly executor: Executor) {}

  async execute({ context, promptId }: WithdrawPromptCommand): Promise<Carried & { readonly withdrawn: true }> {
    const { state, replayed } = await this.executor.execute(context, { type: 'WithdrawPrompt', promptId });
    return { version: state.version, replayed, withdrawn: true };
  }
}
