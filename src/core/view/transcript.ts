import type { StoredMessage } from '../message/message.js';
import type { SessionState } from '../session/state.js';
import { path } from '../session/tree.js';

/** The messages the model may know of, oldest first: those of the path in force, from its last compaction on. */
export function transcript(state: SessionState, head: string | null = state.head): readonly StoredMessage[] {
  const messages = path(state, head).map((record) => record.message);
  const boundary = messages.findLastIndex(isBoundary);
  return boundary > 0 ? messages.slice(boundary) : messages;
}

const isBoundary = (message: StoredMessage): boolean => message.type === 'system' && message.subtype === 'compact_boundary';
