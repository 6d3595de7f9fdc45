/** Lets those who ask under the same name in one at a time, in the order in which they came. */
export class Turnstile {
  readonly #last = new Map<string, Promise<void>>();

  /** `task` when it is its turn; null when `signal` aborts before. */
  async through<T>(name: string, signal: AbortSignal, task: () => Promise<T>): Promise<T | null> {
    const before = this.#last.get(name);
    let leave = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const settled = before ? before.then(() => mine) : mine;
    this.#last.set(name, settled);
    try {
      if (before) await Promise.race([before, aborted(signal)]);
      return signal.aborted ? null : await task();
    } finally {
      leave();
      void settled.then(() => {
        if (this.#last.get(name) === settled) this.#last.delete(name);
      });
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
