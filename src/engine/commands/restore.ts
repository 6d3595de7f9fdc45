import { Command } from '@nestjs/cqrs';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import type { CommandContext, CommandResult } from './context.js';
import { eventOf } from './execute.js';
import { forwardingHandler } from './forwarding-handler.js';

export interface RestoreAnswer {
  /** The rewind that was undone. */
  readonly id: string;
  readonly head: string | null;
  readonly permissionMode: PermissionMode;
}

/** Undoes a rewind: moves the head back to the message it was on before. */
export class RestoreCommand extends Command<CommandResult & RestoreAnswer> {
  constructor(
    readonly context: CommandContext,
    readonly rewindId: string,
  ) {
    super();
  }
}

export const RestoreHandler = forwardingHandler(
  RestoreCommand,
  ({ rewindId }) => ({ type: 'Restore', rewindId }),
  ({ events }, { rewindId }): RestoreAnswer => {
    const { to, permissionMode } = eventOf(events, 'session.restored');
    return { id: rewindId, head: to, permissionMode };
  },
);
