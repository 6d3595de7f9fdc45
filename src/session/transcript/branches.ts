import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { leftBranches, type LeftBranch } from '../state/branches.js';
import type { SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { readerText } from './reader-text.js';

/** A line of the conversation, from the root to its newest message. */
export interface Branch {
  /** Its newest message. */
  readonly tip: StoredMessage;
  readonly isCurrent: boolean;
  /** Number of its messages. */
  readonly messages: number;
  /** The newest message that it shares with the current branch, or as the current one with any other; null: none. */
  readonly forkedAfter: string | null;
  /** Number of the messages after that. */
  readonly ownMessages: number;
  /** The first of these that has a text for readers; null: none has. */
  readonly first: StoredMessage | null;
  /** The last time that it was left; null for the current branch. */
  readonly left: LeftBranch | null;
}

/** Where the line to a message leaves the current branch, and the first text after that. */
interface Fork {
  readonly after: string | null;
  readonly first: StoredMessage | null;
}

/** The branches of a session, oldest departure first, the current one last. Linear in the number of messages. */
export function branchesOf(state: SessionState): readonly Branch[] {
  const current = path(state);
  const forks = forksFrom(state, new Set(current.map(({ message }) => message.uuid)));
  const depthOf = (uuid: string | null): number => (uuid === null ? -1 : (state.messages.get(uuid)?.depth ?? -1));
  const branch = (tip: string, { after, first }: Fork, left: LeftBranch | null): Branch => ({
    tip: state.messages.get(tip)!.message,
    isCurrent: left === null,
    messages: depthOf(tip) + 1,
    forkedAfter: after,
    ownMessages: depthOf(tip) - depthOf(after),
    first,
    left,
  });
  const others = [...leftBranches(state)].map(([tip, left]) => branch(tip, forks.get(tip)!, left));
  if (state.head === null) return others;
  const after = others.reduce<string | null>((deepest, { forkedAfter }) => (depthOf(forkedAfter) > depthOf(deepest) ? forkedAfter : deepest), null);
  const first = current.slice(depthOf(after) + 1).find(({ message }) => readerText(message) !== null)?.message ?? null;
  return [...others, branch(state.head, { after, first }, null)];
}

/** Of each message that is not on the current branch. Parents come before their children. */
function forksFrom(state: SessionState, current: ReadonlySet<string>): ReadonlyMap<string, Fork> {
  const forks = new Map<string, Fork>();
  for (const { message } of state.messages.values()) {
    const { uuid, parentUuid } = message;
    if (current.has(uuid)) continue;
    const { after, first } = forks.get(parentUuid ?? '') ?? { after: parentUuid, first: null };
    forks.set(uuid, { after, first: first ?? (readerText(message) === null ? null : message) });
  }
  return forks;
}
