import { Command } from '@nestjs/cqrs';
import { sessionView, type SessionView } from '../core/session/session-view.js';
import type { CommandContext, CommandResult } from './context.js';
import { forwardingHandler } from './forwarding-handler.js';

/** Lets a closed session accept prompts again. */
export class ReopenSessionCommand extends Command<CommandResult & SessionView> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

export const ReopenSessionHandler = forwardingHandler(
  ReopenSessionCommand,
  () => ({ type: 'ReopenSession' }),
  ({ state }, { context }) => sessionView(context.sessionId, state),
);
