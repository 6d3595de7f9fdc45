import { Command } from '@nestjs/cqrs';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import type { CommandContext, CommandResult } from './context.js';
import { forwardingHandler } from './forwarding-handler.js';

export interface RestoreBranchAnswer {
  readonly head: string | null;
  readonly permissionMode: PermissionMode;
}

/** Makes another branch the current one: moves the head to its tip. */
export class RestoreBranchCommand extends Command<CommandResult & RestoreBranchAnswer> {
  constructor(
    readonly context: CommandContext,
    readonly tip: string,
  ) {
    super();
  }
}

export const RestoreBranchHandler = forwardingHandler(
  RestoreBranchCommand,
  ({ tip }) => ({ type: 'RestoreBranch', tip }),
  ({ events, state }): RestoreBranchAnswer => {
    const restored = events.find((event) => event.type === 'session.restored');
    return restored
      ? { head: restored.data.to, permissionMode: restored.data.permissionMode }
      : { head: state.head, permissionMode: state.settings.permissionMode };
  },
);
