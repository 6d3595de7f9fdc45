import { segmentsOf } from '../../../packages/normalizer/segments.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { SessionState } from '../state/state.js';
import { path } from '../state/tree.js';

/** The context entries, oldest first: the messages of the current branch. After a compaction: its summary, the turns it kept, and what came later. */
export function contextEntries(state: SessionState, head: string | null = state.head): readonly StoredMessage[] {
  const messages = path(state, head).map((record) => record.message);
  const { carried, kept, later } = segmentsOf(messages);
  return carried.length === 0 ? messages : [...carried, ...kept, ...later];
}
