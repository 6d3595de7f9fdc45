import { Command } from '@nestjs/cqrs';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { sessionView, type SessionView } from '../../session/state/session-view.js';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { forwardingHandler } from '../../engine/commands/forwarding-handler.js';

/** Changes the settings that `changes` names; the others stay as they are. */
export class ConfigureSessionCommand extends Command<CommandResult & SessionView> {
  constructor(
    readonly context: CommandContext,
    readonly changes: Partial<SessionSettings>,
  ) {
    super();
  }
}

export const ConfigureSessionHandler = forwardingHandler(
  ConfigureSessionCommand,
  ({ changes }) => ({ type: 'ConfigureSession', changes }),
  ({ state }, { context }) => sessionView(context.sessionId, state),
);
