/** Requests that a network delivers twice. */
export class RequestCopies {
  readonly #wanted: (() => void)[] = [];

  /** The next request is sent twice. False: none was sent within the time. */
  next(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const take = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#wanted.splice(this.#wanted.indexOf(take), 1);
        resolve(false);
      }, milliseconds);
      this.#wanted.push(take);
    });
  }

  /** Whether a request that is about to be sent is sent twice. */
  take(): boolean {
    const take = this.#wanted.shift();
    take?.();
    return take !== undefined;
  }
}
