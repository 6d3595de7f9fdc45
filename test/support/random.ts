/** Chance that can be had again: the same seed, the same choices in the same order. */
export class Chance {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  happens(share: number): boolean {
    return this.next() < share;
  }

  of<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.next() * items.length)];
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => [this.next(), item] as const)
      .sort(([one], [other]) => one - other)
      .map(([, item]) => item);
  }

  /** Chance of its own for a part that runs beside others: what they do does not change what it does. */
  apart(name: string): Chance {
    let hash = this.seed;
    for (const character of name) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
    return new Chance(hash);
  }
}
