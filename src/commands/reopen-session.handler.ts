import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sessionView, type SessionView } from '../core/session/session-view.js';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import { ReopenSessionCommand } from './reopen-session.command.js';

@CommandHandler(ReopenSessionCommand)
export class ReopenSessionHandler implements ICommandHandler<ReopenSessionCommand> {
  constructor(private readonly executor: Executor) {}

  async execute(command: ReopenSessionCommand): Promise<Carried & SessionView> {
    const { state, replayed } = await this.executor.execute(command.context, { type: 'ReopenSession' });
    return { ...sessionView(command.context.sessionId, state), replayed };
  }
}
