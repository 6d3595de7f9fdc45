/**
 * Runs the tasks of one key one after the other, those of different keys side by side. Correctness never rests on it (the store decides); it spares
 * callers of one process the conflicts they would otherwise inflict on each other.
 */
export class Lanes {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return result;
  }
}
