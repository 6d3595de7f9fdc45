/**
 * Reads that are asked for in the same turn of the event loop, under the same key, are one read. Each of its callers gets what was there after it had asked, as if it
 * had read itself: the read is sent in that turn, and a change that becomes known later leads to another one.
 */
export class SharedReads<Result> {
  readonly #reads = new Map<string, Promise<Result>>();

  read(key: string, make: () => Promise<Result>): Promise<Result> {
    const known = this.#reads.get(key);
    if (known) return known;
    if (this.#reads.size === 0) setImmediate(() => this.#reads.clear());
    const read = make();
    this.#reads.set(key, read);
    return read;
  }
}
