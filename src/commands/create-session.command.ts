import { Command } from '@nestjs/cqrs';
import type { SessionSettings } from '../core/session/events.js';
import type { SessionView } from '../core/session/session-view.js';
import type { Carried, CommandContext } from './context.js';

/** Opens a session. Its id comes with the context, so that a repeat finds the session that the first one made. */
export class CreateSessionCommand extends Command<Carried & SessionView> {
  constructor(
    readonly context: CommandContext,
    readonly settings: SessionSettings,
  ) {
    super();
  }
}
