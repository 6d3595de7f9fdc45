import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { sessionView, type SessionView } from '../core/session/session-view.js';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import { ConfigureSessionCommand } from './configure-session.command.js';

@CommandHandler(ConfigureSessionCommand)
export class ConfigureSessionHandler implements ICommandHandler<ConfigureSessionCommand> {
  constructor(private readonly executor: Executor) {}

  async execute(command: ConfigureSessionCommand): Promise<Carried & SessionView> {
    const { state, replayed } = await this.executor.execute(command.context, { type: 'ConfigureSession', changes: command.changes });
    return { ...sessionView(command.context.sessionId, state), replayed };
  }
}
