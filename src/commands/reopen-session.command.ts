import { Command } from '@nestjs/cqrs';
import type { SessionView } from '../core/session/session-view.js';
import type { Carried, CommandContext } from './context.js';

/** Lets a closed session take prompts again. */
export class ReopenSessionCommand extends Command<Carried & SessionView> {
  constructor(readonly context: CommandContext) {
    super();
  }
}
