import type { MessageRecord, SessionState } from './state.js';

/**
 * Messages form a tree: each names its parent, and the session has a head. The current conversation is the path from the root to the head. A rewind moves the
 * head and deletes nothing.
 */

interface KnownPath {
  readonly head: string;
  readonly records: readonly MessageRecord[];
}

/** The last path to the head of each session, which the next one nearly always continues. Collected with the session. */
const known = new WeakMap<SessionState['messages'], KnownPath>();

/** The messages from the root to `head`, oldest first. */
export function path(state: SessionState, head: string | null = state.head): readonly MessageRecord[] {
  if (head === null || head !== state.head) return branch(state, head, null);
  const before = known.get(state.messages);
  if (before?.head === head) return before.records;
  const added = branch(state, head, before?.head ?? null);
  // A branch that has left the known path was followed to its root.
  const continues = before !== undefined && added[0]?.message.parentUuid === before.head;
  const records = continues ? before.records.concat(added) : added;
  known.set(state.messages, { head, records });
  return records;
}

/** `to` has all messages of `from`. */
export function continuePath(from: SessionState, to: SessionState): void {
  if (from.head !== null) known.set(to.messages, { head: from.head, records: path(from) });
}

/** When messages are replaced. */
export function forgetPath({ messages }: SessionState): void {
  known.delete(messages);
}

/** The messages below `ancestor` down to `head`, oldest first; the whole path when `ancestor` is null or not on it. */
export function branch(state: SessionState, head: string | null, ancestor: string | null): readonly MessageRecord[] {
  const found: MessageRecord[] = [];
  for (let uuid = head; uuid !== null && uuid !== ancestor;) {
    const record = state.messages.get(uuid);
    if (!record) break;
    found.push(record);
    uuid = record.message.parentUuid;
  }
  return found.reverse();
}

export function isOnPath(state: SessionState, target: string): boolean {
  for (let uuid = state.head; uuid !== null; uuid = state.messages.get(uuid)?.message.parentUuid ?? null) {
    if (uuid === target) return true;
  }
  return false;
}

/** Uuids of the messages that leave the path when the head moves from `from` to `to`. */
export function removedBetween(state: SessionState, from: string | null, to: string | null): readonly string[] {
  return branch(state, from, to).map((record) => record.message.uuid);
}
