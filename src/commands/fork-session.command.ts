import { Command } from '@nestjs/cqrs';
import type { SessionView } from '../core/session/session-view.js';
import type { Carried, CommandContext } from './context.js';

/** Makes a new session that goes on from a message of this one, and shares what was before it. This one stays as it is, and may run meanwhile. */
export class ForkSessionCommand extends Command<Carried & SessionView> {
  constructor(
    /** Of the session that is forked. */
    readonly context: CommandContext,
    /** The new session's id: the same for every repeat of one request. */
    readonly forkId: string,
    /** The last message that the two share; null = the newest. */
    readonly at: string | null,
    /** Null = the session's own. */
    readonly title: string | null,
  ) {
    super();
  }
}
