import { DomainError } from '../../../packages/protocol/errors.js';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import type { UserCommand } from '../state/commands.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import { leftBranches } from '../state/branches.js';
import type { SessionState } from '../state/state.js';
import { versionAt } from '../state/workspace-points.js';
import { isOnPath, path, removedBetween } from '../state/tree.js';

/** `pointer`: the member of the request that names the message. */
export function decideRewind(command: Extract<UserCommand, { type: 'Rewind' }>, state: SessionState, pointer?: string): readonly NewEvent[] {
  const { rewindId, target, reason, files } = command;
  const uuid = 'before' in target ? target.before : target.after;
  const found = state.messages.get(uuid);
  if (!found || !isOnPath(state, uuid)) {
    throw new DomainError('message_not_on_path', 'This message is not part of the current conversation; restore the rewind that removed it first.', [
      { pointer: pointer ?? ('before' in target ? '/before' : '/after'), text: 'is not a message of the current conversation' },
    ]);
  }
  const to = 'before' in target ? found.message.parentUuid : uuid;
  return [
    {
      type: 'session.rewound',
      data: {
        rewindId,
        ...target,
        from: state.head,
        to,
        removed: removedBetween(state, state.head, to),
        permissionMode: permissionModeAt(state, 'before' in target ? uuid : to),
        reason,
        ...(files ? { files: { from: state.workspace.head, to: versionAt(state, target) } } : {}),
      },
    },
  ];
}

/** Moves the head to the tip of another branch. */
export function decideRestoreBranch({ tip }: Extract<UserCommand, { type: 'RestoreBranch' }>, state: SessionState): readonly NewEvent[] {
  if (tip === state.head) return [];
  const left = leftBranches(state).get(tip);
  if (!left) throw new DomainError('branch_not_found', 'No branch of the session ends at this message; list the branches to get their tips.');
  const data = { rewindId: left.rewindId, from: state.head, to: tip, permissionMode: permissionModeAt(state, tip) };
  return [{ type: 'session.restored', data }];
}

/** Moves the head back to where it was before that rewind, independent of later messages. */
export function decideRestore(command: Extract<UserCommand, { type: 'Restore' }>, state: SessionState): readonly NewEvent[] {
  const rewind = state.rewinds.get(command.rewindId);
  if (!rewind) throw new DomainError('rewind_not_found', 'There is no rewind with this id in the session.');
  const to = rewind.data.from;
  const { files } = rewind.data;
  return [
    {
      type: 'session.restored',
      data: {
        ...{ rewindId: command.rewindId, from: state.head, to, permissionMode: permissionModeAt(state, to) },
        ...(files ? { files: { from: state.workspace.head, to: files.from } } : {}),
      },
    },
  ];
}

/** The recorded mode of the last user message at or before `uuid`; the current mode when none has one. */
export function permissionModeAt(state: SessionState, uuid: string | null): PermissionMode {
  const messages = path(state, uuid);
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at]?.message;
    if (message?.type === 'user' && message.permissionMode) return message.permissionMode;
  }
  return state.settings.permissionMode;
}
