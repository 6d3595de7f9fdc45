import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { leftBranches, type LeftBranch } from '../state/branches.js';
import type { SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { readerText } from './reader-text.js';
import { asVisible } from './visible.js';

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
  /** Number of its messages that have a text for readers: of all, and of those after `forkedAfter`. */
  readonly texts: number;
  readonly ownTexts: number;
  /** The first of these; null: there is none. */
  readonly begins: StoredMessage | null;
  /** The first of these that has a text for readers; null: none has. */
  readonly first: StoredMessage | null;
  /** The message that readers of the current branch see after `forkedAfter`; null: it shows none, or this is the current branch. */
  readonly insteadOf: StoredMessage | null;
  /** The last time that it was left; null for the current branch. */
  readonly left: LeftBranch | null;
}

/** Where the line to a message leaves the current branch, the first message after that, and the first text. */
interface Fork {
  readonly after: string | null;
  readonly begins: StoredMessage | null;
  readonly first: StoredMessage | null;
  /** Number of texts from there to the message. */
  readonly texts: number;
}

/** The branches of a session, oldest departure first, the current one last. Linear in the number of messages. */
export function branchesOf(state: SessionState): readonly Branch[] {
  const current = path(state);
  const forks = forksFrom(state, new Set(current.map(({ message }) => message.uuid)));
  const textsAt = textsOf(current.map(({ message }) => message));
  const depthOf = (uuid: string | null): number => (uuid === null ? -1 : (state.messages.get(uuid)?.depth ?? -1));
  const shownAfter = (uuid: string | null): StoredMessage | null => {
    for (let at = depthOf(uuid) + 1; at < current.length; at += 1) if (asVisible(current[at]!.message) !== null) return current[at]!.message;
    return null;
  };
  const branch = (tip: string, { after, begins, first, texts }: Fork, left: LeftBranch | null): Branch => ({
    tip: state.messages.get(tip)!.message,
    isCurrent: left === null,
    messages: depthOf(tip) + 1,
    forkedAfter: after,
    ownMessages: depthOf(tip) - depthOf(after),
    texts: (textsAt.get(after ?? '') ?? 0) + texts,
    ownTexts: texts,
    begins,
    first,
    insteadOf: left === null ? null : shownAfter(after),
    left,
  });
  const others = [...leftBranches(state)].map(([tip, left]) => branch(tip, forks.get(tip)!, left));
  if (state.head === null) return others;
  const after = others.reduce<string | null>((deepest, { forkedAfter }) => (depthOf(forkedAfter) > depthOf(deepest) ? forkedAfter : deepest), null);
  const own = current.slice(depthOf(after) + 1).map(({ message }) => message);
  const first = own.find((message) => readerText(message) !== null) ?? null;
  const texts = (textsAt.get(state.head) ?? 0) - (textsAt.get(after ?? '') ?? 0);
  return [...others, branch(state.head, { after, begins: own[0] ?? null, first, texts }, null)];
}

/** By message: the number of texts for readers up to and with it. */
function textsOf(messages: readonly StoredMessage[]): ReadonlyMap<string, number> {
  let texts = 0;
  return new Map(messages.map((message) => [message.uuid, (texts += Number(readerText(message) !== null))]));
}

/** Of each message that is not on the current branch. Parents come before their children. */
function forksFrom(state: SessionState, current: ReadonlySet<string>): ReadonlyMap<string, Fork> {
  const forks = new Map<string, Fork>();
  for (const { message } of state.messages.values()) {
    const { uuid, parentUuid } = message;
    if (current.has(uuid)) continue;
    const { after, begins, first, texts } = forks.get(parentUuid ?? '') ?? { after: parentUuid, begins: message, first: null, texts: 0 };
    const hasText = readerText(message) !== null;
    forks.set(uuid, { after, begins, first: first ?? (hasText ? message : null), texts: texts + Number(hasText) });
  }
  return forks;
}
