import type { EventData } from '../../../packages/protocol/events/events.js';
import type { SessionState } from './state.js';

/** How a branch stopped being the current one. */
export interface LeftBranch {
  readonly at: string;
  readonly by: string;
  readonly cause: 'rewind' | 'edit' | 'regenerate' | 'restore' | 'import';
  readonly reason: string | null;
  /** The rewind to restore in order to return to the branch; null: the branch was left by a restore, or before an import. */
  readonly rewindId: string | null;
  /** The files that the move which left it took back; undefined: none. */
  readonly files?: EventData['session.rewound']['files'];
}

type Move = Pick<EventData['session.rewound' | 'session.restored'], 'from' | 'to' | 'files'>;

/** Whether a rewind or restore was one of the conversation; otherwise it took the files alone, and no branch was left. */
export const movesHead = ({ from, to, files }: Move): boolean => files === undefined || from !== to;

/**
 * The branches that the head has left, by rewinds, edits, regenerations and restores: by their tips, oldest departure first. A tip is a message that has no follower.
 * Before them are those that the head was never on: branches of an imported file that does not say how they were left.
 */
export function leftBranches(state: SessionState): ReadonlyMap<string, LeftBranch> {
  const tips = new Set(state.messages.keys());
  for (const { message } of state.messages.values()) if (message.parentUuid !== null) tips.delete(message.parentUuid);
  if (state.head !== null) tips.delete(state.head);
  const departed = departures(state);
  const imported = { at: state.createdAt ?? '', by: state.ownerId ?? '', cause: 'import', reason: null, rewindId: null } as const;
  return new Map<string, LeftBranch>([
    ...[...tips].filter((tip) => !departed.has(tip)).map((tip) => [tip, imported] as const),
    ...[...departed].filter(([tip]) => tips.has(tip)),
  ]);
}

/** Where the head was when it moved, with the last of these moves. */
function departures(state: SessionState): ReadonlyMap<string, LeftBranch> {
  const moves = [
    ...Array.from(state.rewinds.values(), ({ seq, data, at, by }) => {
      const { cause = 'rewind', reason, rewindId, files } = data;
      return { seq, data, left: { at, by, cause, reason, rewindId, files } as LeftBranch };
    }),
    ...state.restores.map(({ seq, data, at, by }) => {
      return { seq, data, left: { at, by, cause: 'restore', reason: null, rewindId: null, files: data.files } as LeftBranch };
    }),
  ].toSorted((one, other) => one.seq - other.seq);
  const found = new Map<string, LeftBranch>();
  for (const { data, left } of moves) {
    if (data.from === null || !movesHead(data)) continue;
    found.delete(data.from);
    found.set(data.from, left);
  }
  return found;
}
