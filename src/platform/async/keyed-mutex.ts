import { aborted } from './abortable.js';

/**
 * Mutual exclusion by key: tasks of one key run one after the other in the order of their calls, tasks of different keys run concurrently. In memory, so it
 * orders callers of one process only; what must hold across processes is decided by the store.
 */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** The result of `task`. A task that fails does not keep the next one from running. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const release = this.#enqueue(key);
    await release.previous;
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Like `run`, but null, without running the task, when `signal` aborts while it waits. */
  async runUnlessAborted<T>(key: string, signal: AbortSignal, task: () => Promise<T>): Promise<T | null> {
    const release = this.#enqueue(key);
    try {
      if (release.previous) await Promise.race([release.previous, aborted(signal)]);
      return signal.aborted ? null : await task();
    } finally {
      release();
    }
  }

  #enqueue(key: string): (() => void) & { readonly previous: Promise<void> | undefined } {
    const previous = this.#tails.get(key);
    let leave = (): void => undefined;
    const own = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const tail = previous ? previous.then(() => own) : own;
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return Object.assign(() => leave(), { previous });
  }
}
