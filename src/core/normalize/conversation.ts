import { segmentsOf } from '../compaction/segments.js';
import type { StoredMessage } from '../message/message.js';
import type { SessionState } from '../session/state.js';
import { path } from '../session/tree.js';

/** The messages the model may know of, oldest first: those of the path in force; of what its last compaction summed up, the summary and the turns it kept. */
export function transcript(state: SessionState, head: string | null = state.head): readonly StoredMessage[] {
  const messages = path(state, head).map((record) => record.message);
  const { carried, kept, later } = segmentsOf(messages);
  return carried.length === 0 ? messages : [...carried, ...kept, ...later];
}
