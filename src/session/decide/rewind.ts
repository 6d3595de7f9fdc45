import { DomainError } from '../../../packages/protocol/errors.js';
import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import type { UserCommand } from '../state/commands.js';
import type { EventData, NewEvent } from '../../../packages/protocol/events/events.js';
import { leftBranches, movesHead } from '../state/branches.js';
import type { SessionState } from '../state/state.js';
import { versionAt } from '../state/workspace-points.js';
import { isOnPath, path, removedBetween } from '../state/tree.js';

/** `pointer`: the member of the request that names the message. */
export function decideRewind(command: Extract<UserCommand, { type: 'Rewind' }>, state: SessionState, pointer?: string): readonly NewEvent[] {
  const { rewindId, target, reason, files, messages = true } = command;
  const uuid = 'before' in target ? target.before : target.after;
  const found = state.messages.get(uuid);
  if (!found || !isOnPath(state, uuid)) {
    throw new DomainError('message_not_on_path', 'This message is not part of the current conversation; restore the rewind that removed it first.', [
      { pointer: pointer ?? ('before' in target ? '/before' : '/after'), text: 'is not a message of the current conversation' },
    ]);
  }
  const moved = files ? { files: { from: state.workspace.head, to: versionAt(state, target) } } : {};
  if (!messages) return [{ type: 'session.rewound', data: { rewindId, ...target, ...whereItIs(state), removed: [], reason, ...moved } }];
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
        ...moved,
      },
    },
  ];
}

/** The head of a conversation of which only the files move. */
const whereItIs = ({ head, settings: { permissionMode } }: SessionState) => ({ from: head, to: head, permissionMode });

/** Moves the head to the tip of another branch, and the files when the move that left it took them. */
export function decideRestoreBranch({ tip }: Extract<UserCommand, { type: 'RestoreBranch' }>, state: SessionState): readonly NewEvent[] {
  if (tip === state.head) return [];
  const left = leftBranches(state).get(tip);
  if (!left) throw new DomainError('branch_not_found', 'No branch of the session ends at this message; list the branches to get their tips.');
  const data = { rewindId: left.rewindId, from: state.head, to: tip, permissionMode: permissionModeAt(state, tip) };
  return [{ type: 'session.restored', data: { ...data, ...filesBack(state, left.files) } }];
}

/** Moves what the rewind has moved back to where it was before, independent of later messages and files. */
export function decideRestore(command: Extract<UserCommand, { type: 'Restore' }>, state: SessionState): readonly NewEvent[] {
  const rewind = state.rewinds.get(command.rewindId);
  if (!rewind) throw new DomainError('rewind_not_found', 'There is no rewind with this id in the session.');
  const { from: to, files } = rewind.data;
  const head = movesHead(rewind.data) ? { from: state.head, to, permissionMode: permissionModeAt(state, to) } : whereItIs(state);
  return [{ type: 'session.restored', data: { rewindId: command.rewindId, ...head, ...filesBack(state, files) } }];
}

type MovedFiles = EventData['session.rewound']['files'];

/** Back to where a move has left the files, if it took them. */
const filesBack = ({ workspace }: SessionState, left: MovedFiles): { readonly files?: MovedFiles } =>
  left ? { files: { from: workspace.head, to: left.from } } : {};

/** The recorded mode of the last user message at or before `uuid`; the current mode when none has one. */
export function permissionModeAt(state: SessionState, uuid: string | null): PermissionMode {
  const messages = path(state, uuid);
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at]?.message;
    if (message?.type === 'user' && message.permissionMode) return message.permissionMode;
  }
  return state.settings.permissionMode;
}
