import { Command } from '@nestjs/cqrs';
import { sessionView, type SessionView } from '../../session/state/session-view.js';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { forwardingHandler } from '../../engine/commands/forwarding-handler.js';

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
