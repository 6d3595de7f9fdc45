import { Command } from '@nestjs/cqrs';
import { sessionView, type SessionView } from '../../session/state/session-view.js';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { forwardingHandler } from '../../engine/commands/forwarding-handler.js';

/** Closes a session: it accepts no prompt until it is reopened. Closing a closed session changes nothing. */
export class CloseSessionCommand extends Command<CommandResult & SessionView> {
  constructor(
    readonly context: CommandContext,
    readonly reason: string | null,
  ) {
    super();
  }
}

export const CloseSessionHandler = forwardingHandler(
  CloseSessionCommand,
  ({ reason }) => ({ type: 'CloseSession', reason }),
  ({ state }, { context }) => sessionView(context.sessionId, state),
);
