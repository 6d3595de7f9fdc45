import type { ContentErased } from '../../core/session/events.js';

interface Row {
  readonly seq: bigint;
  readonly type: string;
  readonly data: string;
  readonly salt: string | null;
}

/** Compares the erased events of a log with the events that report the erasures: what is left of an event must be what its erasure recorded. */
export class ErasedEvents {
  readonly #unnamed = new Map<number, string>();
  readonly #erased = new Set<number>();
  #restored: number | null = null;

  get count(): number {
    return this.#erased.size;
  }

  /** The first event that a `content.erased` names and that has content all the same: it was put back. Null: none. */
  get firstRestored(): number | null {
    return this.#restored;
  }

  /** The first event that no later `content.erased` names with the data that it has; null: none. Meaningful once all rows are added. */
  get firstUnnamed(): number | null {
    const seqs = [...this.#unnamed.keys()];
    return seqs.length === 0 ? null : seqs.reduce((first, seq) => Math.min(first, seq));
  }

  /** Rows in the order of seq. */
  add({ seq, type, data, salt }: Row): void {
    if (salt === null) {
      this.#erased.add(Number(seq));
      this.#unnamed.set(Number(seq), data);
    } else if (type === 'content.erased') {
      for (const named of parsed(data)) {
        if (this.#unnamed.get(named.seq) === JSON.stringify(named.data)) this.#unnamed.delete(named.seq);
        if (!this.#erased.has(named.seq) && (this.#restored === null || named.seq < this.#restored)) this.#restored = named.seq;
      }
    }
  }
}

/** The row may have been altered. */
function parsed(data: string): ContentErased['events'] {
  try {
    const { events } = JSON.parse(data) as ContentErased;
    return Array.isArray(events) ? events : [];
  } catch {
    return [];
  }
}
