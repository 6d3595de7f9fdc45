import { Command } from '@nestjs/cqrs';
import { sessionView, type SessionView } from '../core/session/session-view.js';
import type { CommandContext, CommandResult } from './context.js';
import { forwardingHandler } from './forwarding-handler.js';

/** Places a legal hold, or releases it. A session that is held already, or is not, does not change. */
export class HoldCommand extends Command<CommandResult & SessionView> {
  constructor(
    readonly context: CommandContext,
    readonly isHeld: boolean,
    readonly reason: string | null,
  ) {
    super();
  }
}

export const HoldHandler = forwardingHandler(
  HoldCommand,
  ({ isHeld, reason }) => ({ type: isHeld ? 'PlaceHold' : 'ReleaseHold', reason }),
  ({ state }, { context }) => sessionView(context.sessionId, state),
);
