const WELL_FORMED = /^[a-zA-Z0-9_-]+$/;

/** Hands out the ids under which calls are sent. The first call to bring an id keeps it; a later one's name depends on those before it alone. */
export class CallIds {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  own(id: unknown): string {
    const wanted = wellFormedId(id);
    let own = wanted;
    for (let count = this.#next.get(wanted) ?? 2; this.#taken.has(own); count += 1) {
      own = `${wanted}_${count}`;
      this.#next.set(wanted, count + 1);
    }
    this.#taken.add(own);
    return own;
  }
}

function wellFormedId(id: unknown): string {
  if (typeof id !== 'string' || id === '') return 'toolu_unnamed';
  return WELL_FORMED.test(id) ? id : id.replace(/[^a-zA-Z0-9_-]/g, '_');
}
