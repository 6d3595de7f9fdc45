/**
 * Results of a function of one object, for a list that is nearly the same at each call: most objects are at the place where they were the last time, and are found
 * there without a look-up. The others are looked up by identity among those of the last call, as after an insertion. Nothing else is kept: a table of weak
 * references would hold more memory than short results themselves, and slows every garbage collection down.
 */
export class Remembered<Key extends object, Value extends object | null> {
  #keys: readonly Key[] = [];
  #values: readonly Value[] = [];

  /** The value for each key, in their order. */
  all(keys: readonly Key[], make: (key: Key) => Value): readonly Value[] {
    const known = new LastPlaces(this.#keys, (key) => key);
    const values = new Array<Value>(keys.length);
    let isSame = true;
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] as Key;
      const place = this.#keys[at] === key ? at : known.of(key, at);
      const value = place < 0 ? make(key) : (this.#values[place] as Value);
      values[at] = value;
      if ((value as object | null) !== key) isSame = false;
    }
    this.#keys = keys;
    // One list is kept instead of two.
    this.#values = isSame ? (keys as readonly object[] as readonly Value[]) : values;
    return this.#values;
  }
}

/** Places of objects in a list, by an object that identifies each. They are listed when the first is asked for, and only those from there on: those before it were found at their places. */
export class LastPlaces<Item> {
  #places: Map<object | undefined, number> | null = null;

  constructor(
    private readonly items: readonly Item[],
    private readonly keyOf: (item: Item) => object | undefined,
  ) {}

  /** -1: it is not there. `at`: its place now. */
  of(key: object | undefined, at: number): number {
    if (at >= this.items.length && !this.#places) return -1;
    this.#places ??= this.#listed(at);
    return this.#places.get(key) ?? -1;
  }

  #listed(from: number): Map<object | undefined, number> {
    const places = new Map<object | undefined, number>();
    for (let at = from; at < this.items.length; at += 1) places.set(this.keyOf(this.items[at] as Item), at);
    return places;
  }
}
