import type { SessionState } from './state.js';

/** How a branch stopped being the current one. */
export interface LeftBranch {
  readonly at: string;
  readonly by: string;
  readonly cause: 'rewind' | 'edit' | 'regenerate' | 'restore';
  readonly reason: string | null;
  /** The rewind to restore in order to return to the branch; null: the branch was left by a restore. */
  readonly rewindId: string | null;
}

/** A line of the conversation, from the root to its newest message. */
export interface Branch {
  readonly tip: string;
  readonly isCurrent: boolean;
  /** The newest message that it shares with the current conversation; null: none. */
  readonly forkedAfter: string | null;
  /** Uuids of the messages after that, oldest first; empty for the current branch. */
  readonly own: readonly string[];
  /** The last time that it was left; null for the current branch. */
  readonly left: LeftBranch | null;
}

/**
 * The branches of a session, oldest departure first, the current one last. A branch ends at a message that has no follower and that the head has left, by a rewind,
 * an edit, a regeneration or a restore. Linear in the number of messages.
 */
export function branchesOf(state: SessionState): readonly Branch[] {
  const left = departures(state);
  for (const { message } of state.messages.values()) if (message.parentUuid !== null) left.delete(message.parentUuid);
  if (state.head !== null) left.delete(state.head);
  const current = onPath(state);
  const others = [...left].map(([tip, departure]): Branch => {
    const own: string[] = [];
    let uuid: string | null = tip;
    while (uuid !== null && !current.has(uuid)) {
      own.push(uuid);
      uuid = state.messages.get(uuid)?.message.parentUuid ?? null;
    }
    return { tip, isCurrent: false, forkedAfter: uuid, own: own.reverse(), left: departure };
  });
  if (state.head === null) return others;
  return [...others, { tip: state.head, isCurrent: true, forkedAfter: state.head, own: [], left: null }];
}

/** Where the head was when it moved, with the last of these moves. */
function departures(state: SessionState): Map<string, LeftBranch> {
  const moves = [
    ...Array.from(state.rewinds.values(), ({ data, at, by }) => {
      const { from, cause = 'rewind', reason, rewindId } = data;
      return { from, left: { at, by, cause, reason, rewindId } as LeftBranch };
    }),
    ...state.restores.map(({ data: { from }, at, by }) => ({ from, left: { at, by, cause: 'restore', reason: null, rewindId: null } as LeftBranch })),
  ].toSorted((one, other) => (one.left.at < other.left.at ? -1 : one.left.at > other.left.at ? 1 : 0));
  const found = new Map<string, LeftBranch>();
  for (const { from, left } of moves) {
    if (from === null || !state.messages.has(from)) continue;
    found.delete(from);
    found.set(from, left);
  }
  return found;
}

function onPath(state: SessionState): ReadonlySet<string> {
  const found = new Set<string>();
  for (let uuid = state.head; uuid !== null && !found.has(uuid); uuid = state.messages.get(uuid)?.message.parentUuid ?? null) found.add(uuid);
  return found;
}
