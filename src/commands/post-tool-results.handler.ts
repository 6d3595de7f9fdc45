import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../core/ports.js';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import { PostToolResultsCommand } from './post-tool-results.command.js';

@CommandHandler(PostToolResultsCommand)
export class PostToolResultsHandler implements ICommandHandler<PostToolResultsCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly clock: Clock,
  ) {}

  async execute({ context, results }: PostToolResultsCommand): Promise<Carried & { readonly accepted: number }> {
    const { state, replayed } = await this.executor.execute(context, {
      type: 'PostToolResults',
      results: results.map((result) => ({ ...result, uuid: this.clock.uuid() })),
      at: this.clock.timestamp(),
    });
    return { version: state.version, replayed, accepted: results.length };
  }
}
