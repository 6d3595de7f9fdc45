/** Consecutive messages of a request as they stand in its body, separated by commas. */
export interface BodyPart {
  /** The first message, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Characters of a part: enough that the text of a short message is not a separate object, few enough to be written again when one of its messages changes. */
export const PART_CHARACTERS = 16 * 1024;

/** The messages of one body, added in their order. */
export class BodyText {
  /** In order. */
  readonly #texts: string[] = [];
  /** Those that another request can repeat as they are: of full size, and without cache markers. */
  readonly #parts: BodyPart[] = [];
  #open: string[] = [];
  #characters = 0;
  #from = 0;

  constructor(private readonly partCharacters: number) {}

  add(index: number, text: string): void {
    if (this.#open.length === 0) this.#from = index;
    this.#open.push(text);
    this.#characters += text.length;
    if (this.#characters >= this.partCharacters) this.#parts.push({ from: this.#from, to: index + 1, text: this.#close() });
  }

  /** A message that the next request has differently. */
  addOnce(text: string): void {
    this.#close();
    this.#texts.push(text);
  }

  addPart(part: BodyPart): void {
    this.#close();
    this.#texts.push(part.text);
    this.#parts.push(part);
  }

  get texts(): readonly string[] {
    this.#close();
    return this.#texts;
  }

  get parts(): readonly BodyPart[] {
    return this.#parts;
  }

  #close(): string {
    const text = this.#open.join(',');
    if (this.#open.length > 0) this.#texts.push(text);
    this.#open = [];
    this.#characters = 0;
    return text;
  }
}
