import { Command } from '@nestjs/cqrs';
import type { SessionView } from '../core/session/session-view.js';
import type { Carried, CommandContext } from './context.js';

/** Closes a session: no prompt is taken until it is reopened. Closing a closed one changes nothing. */
export class CloseSessionCommand extends Command<Carried & SessionView> {
  constructor(
    readonly context: CommandContext,
    readonly reason: string | null,
  ) {
    super();
  }
}
