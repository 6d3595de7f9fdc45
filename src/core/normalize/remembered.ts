/**
 * Results of a function of one object, for a list that is nearly the same at each call: most objects are at the place where they were the last time, and are found
 * there without a look-up. Others are looked up by identity, as after a rewind. Entries are collected with their keys, the last list with the owner of this object.
 */
export class Remembered<Key extends object, Value extends object | null> {
  readonly #known = new WeakMap<Key, Value>();
  #keys: readonly Key[] = [];
  #values: readonly Value[] = [];

  /** The value for each key, in their order. */
  all(keys: readonly Key[], make: (key: Key) => Value): readonly Value[] {
    const values = new Array<Value>(keys.length);
    for (let at = 0; at < keys.length; at += 1) {
      const key = keys[at] as Key;
      values[at] = this.#keys[at] === key ? (this.#values[at] as Value) : this.#one(key, make);
    }
    this.#keys = keys;
    this.#values = values;
    return values;
  }

  #one(key: Key, make: (key: Key) => Value): Value {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    this.#known.set(key, value);
    return value;
  }
}
