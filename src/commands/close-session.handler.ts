import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sessionView, type SessionView } from '../core/session/session-view.js';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import { CloseSessionCommand } from './close-session.command.js';

@CommandHandler(CloseSessionCommand)
export class CloseSessionHandler implements ICommandHandler<CloseSessionCommand> {
  constructor(private readonly executor: Executor) {}

  async execute(command: CloseSessionCommand): Promise<Carried & SessionView> {
    const { state, replayed } = await this.executor.execute(command.context, { type: 'CloseSession', reason: command.reason });
    return { ...sessionView(command.context.sessionId, state), replayed };
  }
}
