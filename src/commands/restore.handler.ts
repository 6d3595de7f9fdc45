import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Carried } from './context.js';
import { eventOf } from './event-of.js';
import { Executor } from './execute.js';
import { type RestoreAnswer, RestoreCommand } from './restore.command.js';

@CommandHandler(RestoreCommand)
export class RestoreHandler implements ICommandHandler<RestoreCommand> {
  constructor(private readonly executor: Executor) {}

  async execute({ context, rewindId }: RestoreCommand): Promise<Carried & RestoreAnswer> {
    const { state, events, replayed } = await this.executor.execute(context, { type: 'Restore', rewindId });
    const { to, permissionMode } = eventOf(events, 'session.restored');
    return { version: state.version, replayed, id: rewindId, head: to, permissionMode };
  }
}
