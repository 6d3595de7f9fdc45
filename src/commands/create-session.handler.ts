import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sessionView, type SessionView } from '../core/session/session-view.js';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import { CreateSessionCommand } from './create-session.command.js';

@CommandHandler(CreateSessionCommand)
export class CreateSessionHandler implements ICommandHandler<CreateSessionCommand> {
  constructor(private readonly executor: Executor) {}

  async execute(command: CreateSessionCommand): Promise<Carried & SessionView> {
    const { state, replayed } = await this.executor.execute(command.context, { type: 'CreateSession', settings: command.settings });
    return { ...sessionView(command.context.sessionId, state), replayed };
  }
}
