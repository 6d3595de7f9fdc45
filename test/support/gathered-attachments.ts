/** Collects what arrives and lets a test wait for what it expects. */
export class Gathered<Item> {
  readonly items: Item[] = [];
  readonly #waiting = new Set<() => void>();

  readonly add = (item: Item): void => {
    this.items.push(item);
    for (const check of this.#waiting) check();
  };

  /** Resolves as soon as the condition holds for what has arrived so far. */
  async until(condition: (items: readonly Item[]) => boolean): Promise<readonly Item[]> {
    if (condition(this.items)) return this.items;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!condition(this.items)) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
    });
    return this.items;
  }

  count(count: number): Promise<readonly Item[]> {
    return this.until((items) => items.length >= count);
  }
}
