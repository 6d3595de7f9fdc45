import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { MessageRecord, SessionState } from '../state/state.js';
import { blocksIn, splitBlocks, type TranscriptMessage, withAuthor } from './transcript.js';
import { asVisible } from './visible.js';

export interface PathPage {
  readonly data: readonly (StoredMessage | TranscriptMessage)[];
  /** Number of entries in all. */
  readonly total: number;
}

/**
 * The current path of a session by position, so that the cost of a page does not depend on its position. Following a head that moved costs as much as the messages that
 * are new on the path.
 */
export class PathIndex {
  readonly #records: MessageRecord[] = [];
  /** Positions of the messages that readers see. */
  readonly #visible: number[] = [];
  /** Number of blocks up to and including each message: of all, and of those that readers see. */
  readonly #blocks: number[] = [];
  readonly #visibleBlocks: number[] = [];

  /** Entries from `after` on, at most `limit`. `state`: always the same one. */
  page(state: SessionState, { view, split, after, limit }: { view: 'transcript' | 'full'; split: boolean; after: number; limit: number }): PathPage {
    this.#follow(state);
    const records = this.#records;
    const show = (message: StoredMessage): StoredMessage | TranscriptMessage | null => (view === 'full' ? message : asVisible(withAuthor(message, state)));
    if (!split) {
      const positions = view === 'full' ? null : this.#visible.slice(after, after + limit);
      const chosen = positions ? positions.map((position) => records[position]!) : records.slice(after, after + limit);
      return { data: chosen.flatMap(({ message }) => show(message) ?? []), total: view === 'full' ? records.length : this.#visible.length };
    }
    const counts = view === 'full' ? this.#blocks : this.#visibleBlocks;
    const total = counts.at(-1) ?? 0;
    const first = firstAbove(counts, after);
    const past = Math.min(firstAbove(counts, after + limit - 1) + 1, records.length);
    // Split with the message before them, which the first one names as its parent.
    const messages = records.slice(Math.max(first - 1, 0), past).map(({ message }) => (view === 'full' ? message : withAuthor(message, state)));
    const own = new Set(records.slice(first, past).flatMap(({ message }) => message.uuid));
    const before = first === 0 ? 0 : splitBlocks(messages.filter(({ uuid }) => !own.has(uuid))).length;
    const parts = splitBlocks(messages)
      .slice(before)
      .flatMap((message) => (view === 'full' ? message : (asVisible(message) ?? [])));
    const skipped = after - (counts[first - 1] ?? 0);
    return { data: parts.slice(skipped, skipped + limit), total };
  }

  /** Brings the index to the state's head. */
  #follow(state: SessionState): void {
    const added: MessageRecord[] = [];
    let kept = 0;
    for (let uuid = state.head; uuid !== null;) {
      const record = state.messages.get(uuid);
      if (!record) break;
      if (this.#records[record.depth] === record) {
        kept = record.depth + 1;
        break;
      }
      added.push(record);
      uuid = record.message.parentUuid;
    }
    this.#truncate(kept);
    for (const record of added.reverse()) this.#add(record);
  }

  #truncate(length: number): void {
    this.#records.length = length;
    this.#blocks.length = length;
    this.#visibleBlocks.length = length;
    while ((this.#visible.at(-1) ?? -1) >= length) this.#visible.pop();
  }

  #add(record: MessageRecord): void {
    const position = this.#records.length;
    const visible = asVisible(record.message);
    if (visible !== null) this.#visible.push(position);
    this.#records.push(record);
    this.#blocks.push((this.#blocks[position - 1] ?? 0) + partsOf(record.message));
    this.#visibleBlocks.push((this.#visibleBlocks[position - 1] ?? 0) + (visible === null ? 0 : partsOf(visible)));
  }
}

function partsOf(message: StoredMessage): number {
  return Math.max(blocksIn(message).length, 1);
}

/** The first position with a count above `value`; the length when there is none. */
function firstAbove(counts: readonly number[], value: number): number {
  let low = 0;
  let high = counts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (counts[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
