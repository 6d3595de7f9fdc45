/** Seeded random numbers (mulberry32: one 32-bit state, public domain algorithm). The same seed gives the same numbers on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer in [from, to]. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.between(0, list.length - 1)]!;
  }

  uuid(): string {
    const [one, two, three] = [this.#word(), this.#word(), this.#word()];
    return `${one}-${two.slice(0, 4)}-4${two.slice(4, 7)}-a${three.slice(0, 3)}-${three.slice(3)}${this.#word().slice(1)}`;
  }

  /** Eight hexadecimal digits. */
  #word(): string {
    return Math.floor((1 + this.next()) * 4_294_967_296)
      .toString(16)
      .slice(1);
  }

  /** A separate generator, so that one part's use of random numbers does not change another's. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 4_294_967_296));
  }
}
