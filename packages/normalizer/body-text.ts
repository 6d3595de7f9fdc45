/** Consecutive messages of a request as they stand in its body, separated by commas: in UTF-8, so that the next body copies bytes and encodes only what is new. */
export interface BodyPart {
  /** The first message, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** Characters of a part: enough that the text of a short message is not a separate object, few enough to be written again when one of its messages changes. */
export const PART_CHARACTERS = 16 * 1024;

/** A message, or several of them, as text or in UTF-8. */
export type BodyPiece = string | Uint8Array;

const utf8 = new TextEncoder();

/** The messages of one body, added in their order. */
export class BodyText {
  /** In order. */
  readonly #pieces: BodyPiece[] = [];
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
    if (this.#characters < this.partCharacters) return;
    const bytes = utf8.encode(this.#taken());
    this.addPart({ from: this.#from, to: index + 1, bytes });
  }

  /** A message that the next request has differently. */
  addOnce(text: string): void {
    this.#close();
    this.#pieces.push(text);
  }

  addPart(part: BodyPart): void {
    this.#close();
    this.#pieces.push(part.bytes);
    this.#parts.push(part);
  }

  get pieces(): readonly BodyPiece[] {
    this.#close();
    return this.#pieces;
  }

  get parts(): readonly BodyPart[] {
    return this.#parts;
  }

  #close(): void {
    if (this.#open.length > 0) this.#pieces.push(this.#taken());
  }

  #taken(): string {
    const text = this.#open.join(',');
    this.#open = [];
    this.#characters = 0;
    return text;
  }
}
