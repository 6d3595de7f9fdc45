import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { defineCommand } from './define-command.js';
import { eventOf } from './execute.js';

export interface RestoreAnswer {
  /** The rewind that was undone. */
  readonly id: string;
  readonly head: string | null;
  readonly permissionMode: PermissionMode;
}

/** Undoes a rewind: moves the head back to the message it was on before. */
export class RestoreCommand extends defineCommand<{ rewindId: string }, RestoreAnswer>({
  action: 'session.rewind',
  rule: ({ rewindId }) => ({ type: 'Restore', rewindId }),
  answer: ({ events }, { rewindId }) => {
    const { to, permissionMode } = eventOf(events, 'session.restored');
    return { id: rewindId, head: to, permissionMode };
  },
}) {}
