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

/**
 * The branches that the head has left, by rewinds, edits, regenerations and restores: by their tips, oldest departure first. A tip is a message that has no follower.
 */
export function leftBranches(state: SessionState): ReadonlyMap<string, LeftBranch> {
  const left = departures(state);
  for (const { message } of state.messages.values()) if (message.parentUuid !== null) left.delete(message.parentUuid);
  if (state.head !== null) left.delete(state.head);
  return left;
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
