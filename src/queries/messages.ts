import type { SessionState } from '../core/session/state.js';
import { path } from '../core/session/tree.js';
import { readTranscript, splitBlocks } from '../core/transcript/transcript.js';
import type { MessagesInput, MessagesView } from './views.js';

/** One page of the current path, as the transcript or in full. */
export function messagesView(state: SessionState, { view, split, tombstones, after, limit }: MessagesInput): MessagesView {
  const all = view === 'transcript' ? readTranscript(state, { split, tombstones }) : whole(state, split);
  const data = all.slice(after, after + limit);
  const end = after + data.length;
  return { version: state.version, data, nextCursor: end < all.length ? String(end) : null };
}

function whole(state: SessionState, split: boolean): MessagesView['data'] {
  const messages = path(state).map((record) => record.message);
  return split ? splitBlocks(messages) : messages;
}
