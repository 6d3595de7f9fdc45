/** Lines of a result, up to a number of characters and lines. */
export class Listing {
  readonly #lines: string[] = [];
  #room: number;
  #more = false;

  constructor(
    characters: number,
    private readonly most: number = Number.POSITIVE_INFINITY,
  ) {
    this.#room = characters;
  }

  /** False when the listing is full; later lines are not added either. */
  add(line: string): boolean {
    this.#room -= line.length + 1;
    this.#more ||= this.#room < 0 || this.#lines.length >= this.most;
    if (!this.#more) this.#lines.push(line);
    return !this.#more;
  }

  get length(): number {
    return this.#lines.length;
  }

  /** Whether a line was left out. */
  get more(): boolean {
    return this.#more;
  }

  text(none: string, notice: string): string {
    if (this.#lines.length === 0 && !this.#more) return none;
    return [...this.#lines, ...(this.#more ? [notice] : [])].join('\n');
  }
}
