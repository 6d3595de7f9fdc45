import { Command } from '@nestjs/cqrs';
import type { SessionSettings } from '../core/session/events.js';
import type { SessionView } from '../core/session/session-view.js';
import type { Carried, CommandContext } from './context.js';

/** Changes the settings that `changes` names and leaves the others. */
export class ConfigureSessionCommand extends Command<Carried & SessionView> {
  constructor(
    readonly context: CommandContext,
    readonly changes: Partial<SessionSettings>,
  ) {
    super();
  }
}
