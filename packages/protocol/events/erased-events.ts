import type { ContentErased } from './erasure.js';
import { isSkeleton } from './skeleton.js';

interface Row {
  readonly seq: bigint | number;
  readonly type: string;
  readonly data: string;
  /** Null: the content was erased. */
  readonly salt: string | null;
}

/** What is wrong with an event that was erased, or should be. `text` follows "event N". */
export interface ErasureFault {
  readonly seq: number;
  readonly text: string;
}

/**
 * Compares the erased events of a log with the events that report the erasures. Without its salt nothing ties the data of an event to its digest: it must be a skeleton, and
 * the one that its erasure recorded.
 */
export class ErasedEvents {
  /** The data of each erased event, and the seq of the erasure that names it with that data. */
  readonly #erased = new Map<number, { readonly data: string; by: number | null }>();
  #first: ErasureFault | null = null;

  get count(): number {
    return this.#erased.size;
  }

  /** Rows in the order of seq. */
  add({ seq: given, type, data, salt }: Row): void {
    const seq = Number(given);
    if (salt === null) {
      this.#erased.set(seq, { data, by: null });
      if (!isSkeleton(type, data)) this.#fault(seq, 'holds something that no erasure leaves');
    } else if (type === 'content.erased') {
      for (const named of parsed(data)) {
        const erased = this.#erased.get(named.seq);
        if (!erased) this.#fault(named.seq, `has content, but event ${seq} says that it was erased`);
        else if (erased.data === JSON.stringify(named.data)) erased.by ??= seq;
      }
    }
  }

  /** The first fault; meaningful once all rows are added. `covered`: the last event that is proven; an erasure after it proves nothing about the events up to it. */
  firstFault(covered = Number.POSITIVE_INFINITY): ErasureFault | null {
    let first = this.#first;
    for (const [seq, { by }] of this.#erased) {
      if (first && first.seq <= seq) break;
      if (by === null) first = { seq, text: 'has no content, and no event says that it was erased' };
      else if (seq <= covered && by > covered)
        first = { seq, text: `has no content, and event ${by}, which says that it was erased, is not covered by the proof` };
    }
    return first;
  }

  #fault(seq: number, text: string): void {
    if (this.#first === null || seq < this.#first.seq) this.#first = { seq, text };
  }
}

/** The row may have been altered. */
function parsed(data: string): ContentErased['events'] {
  try {
    const { events } = JSON.parse(data) as ContentErased;
    return Array.isArray(events) ? events.filter((named) => typeof named?.seq === 'number') : [];
  } catch {
    return [];
  }
}
