const WELL_FORMED = /^[a-zA-Z0-9_-]+$/;

/** Assigns the ids under which calls are sent. The first call with an id keeps it; a later duplicate gets a suffix that depends only on the calls before it. */
export class CallIds {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  assign(id: unknown): string {
    const wanted = wellFormedId(id);
    let assigned = wanted;
    for (let count = this.#next.get(wanted) ?? 2; this.#taken.has(assigned); count += 1) {
      assigned = `${wanted}_${count}`;
      this.#next.set(wanted, count + 1);
    }
    this.#taken.add(assigned);
    return assigned;
  }
}

function wellFormedId(id: unknown): string {
  if (typeof id !== 'string' || id === '') return 'toolu_unnamed';
  return WELL_FORMED.test(id) ? id : id.replace(/[^a-zA-Z0-9_-]/g, '_');
}
