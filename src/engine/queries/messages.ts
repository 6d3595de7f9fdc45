import type { SessionState } from '../../session/state/state.js';
import { PathIndex } from '../../session/transcript/path-index.js';
import { type ReaderOptions, readTranscript } from '../../session/transcript/transcript.js';
import type { MessagesInput, MessagesView } from './views.js';

/** Of the states that are cached: an index lives as long as its state. */
const indexes = new WeakMap<SessionState, PathIndex>();

/** One page of the current path, as the transcript or in full. Its cost depends on the page, except with tombstones and notes: where they belong depends on every message. */
export function messagesView(state: SessionState, { view, split, tombstones, notes, after, limit }: MessagesInput): MessagesView {
  const index = indexes.get(state) ?? new PathIndex();
  indexes.set(state, index);
  const page = (from: number, most: number) =>
    view === 'transcript' && (tombstones || notes)
      ? whole(state, { split, tombstones, notes }, from, most)
      : index.page(state, { view, split, after: from, limit: most });
  const position = after === 'newest' ? Math.max(0, page(0, 1).total - limit) : after;
  const { data, total } = page(position, limit);
  const end = position + data.length;
  return { version: state.version, data, position, nextCursor: end < total ? String(end) : null };
}

function whole(state: SessionState, options: ReaderOptions, after: number, limit: number) {
  const all = readTranscript(state, options);
  return { data: all.slice(after, after + limit), total: all.length };
}
