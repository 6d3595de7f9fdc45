/** So many at a time; whoever comes later waits in line. */
export class Slots {
  #free: number;
  readonly #line = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves to what gives the slot back; rejects with the reason of `signal` when that aborts first. */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const give = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(() => this.#giveBack());
      };
      const leave = (): void => {
        this.#line.delete(give);
        reject(signal.reason);
      };
      if (this.#free > 0) {
        this.#free -= 1;
        give();
        return;
      }
      this.#line.add(give);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #giveBack(): void {
    const [next] = this.#line;
    if (next) {
      this.#line.delete(next);
      next();
    } else this.#free += 1;
  }
}
