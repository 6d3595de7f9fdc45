import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { defineCommand } from './define-command.js';

export interface RestoreBranchAnswer {
  readonly head: string | null;
  readonly permissionMode: PermissionMode;
}

/** Makes another branch the current one: moves the head to its tip. */
export class RestoreBranchCommand extends defineCommand<{ tip: string }, RestoreBranchAnswer>({
  action: 'session.rewind',
  rule: ({ tip }) => ({ type: 'RestoreBranch', tip }),
  answer: ({ events, state }) => {
    const restored = events.find((event) => event.type === 'session.restored');
    return restored
      ? { head: restored.data.to, permissionMode: restored.data.permissionMode }
      : { head: state.head, permissionMode: state.settings.permissionMode };
  },
}) {}
