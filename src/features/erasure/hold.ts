import { Command } from '@nestjs/cqrs';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { forwardingHandler } from '../../engine/commands/forwarding-handler.js';

/** Without content of the session: an admin who places a hold may not read it. */
export interface HoldView {
  readonly id: string;
  readonly held: boolean;
}

/** Places a legal hold, or releases it. A session that is held already, or is not, does not change. */
export class HoldCommand extends Command<CommandResult & HoldView> {
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
  ({ state }, { context }) => ({ id: context.sessionId, held: state.hold !== null }),
);
