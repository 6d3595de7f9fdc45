import { Command } from '@nestjs/cqrs';
import type { PermissionMode } from '../core/message/message.js';
import type { Carried, CommandContext } from './context.js';

export interface RestoreAnswer {
  /** The rewind that was undone. */
  readonly id: string;
  readonly head: string | null;
  readonly permissionMode: PermissionMode;
}

/** Moves the head forward again, to where the rewind had found it. */
export class RestoreCommand extends Command<Carried & RestoreAnswer> {
  constructor(
    readonly context: CommandContext,
    readonly rewindId: string,
  ) {
    super();
  }
}
