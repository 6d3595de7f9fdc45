import { setTimeout as pause } from 'node:timers/promises';

/** Faults that end by themselves, in the background. */
export class PassingFaults {
  readonly #passing = new Set<Promise<unknown>>();

  /** Calls `end` after a time. */
  endAfter(milliseconds: number, end: () => Promise<void> | void): void {
    const passing = pause(milliseconds)
      .then(end)
      .finally(() => this.#passing.delete(passing));
    this.#passing.add(passing);
  }

  /** Resolves when all have ended. */
  async over(): Promise<void> {
    await Promise.all(this.#passing);
  }
}
