/** Characters that are hashed, or are about to be, in one go: some milliseconds. */
const STEP = 2_000_000;

/** Lets others run between the steps of a long computation. */
export class Pace {
  #since = 0;

  async after(characters: number): Promise<void> {
    this.#since += characters;
    if (this.#since < STEP) return;
    this.#since = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
