import { Command } from '@nestjs/cqrs';
import type { SessionSettings } from '../../../packages/protocol/events/events.js';
import { sessionView, type SessionView } from '../../session/state/session-view.js';
import type { CommandContext, CommandResult } from './context.js';
import { forwardingHandler } from './forwarding-handler.js';

/** Creates a session. Its id is part of the context, so that a repeat finds the session that the first execution created. */
export class CreateSessionCommand extends Command<CommandResult & SessionView> {
  constructor(
    readonly context: CommandContext,
    readonly settings: SessionSettings,
  ) {
    super();
  }
}

export const CreateSessionHandler = forwardingHandler(
  CreateSessionCommand,
  ({ settings }) => ({ type: 'CreateSession', settings }),
  ({ state }, { context }) => sessionView(context.sessionId, state),
);
