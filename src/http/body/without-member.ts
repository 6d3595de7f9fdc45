const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const COLON = 0x3a;
const NULL = Buffer.from('null');

/** Reads one JSON object in pieces and replaces the value of one of its members by null, so that a large value is never in memory. Does not check the syntax. */
export class WithoutMember {
  readonly #name: Buffer;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isDropping = false;
  /** The bytes of the last text of the outermost object, as long as they may be the name of the member. */
  #text: number[] = [];
  #found = false;

  /** `most`: bytes of the result. */
  constructor(
    name: string,
    private readonly most: number,
  ) {
    this.#name = Buffer.from(name);
  }

  add(piece: Buffer): void {
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at]!;
      const isEnd = !this.#isText && this.#depth === 1 && (byte === COMMA || CLOSING.has(byte));
      if (this.#isDropping && isEnd) {
        this.#isDropping = false;
        from = at;
      }
      const isNamed = !this.#isDropping && !this.#isText && this.#depth === 1 && byte === COLON && this.#isName();
      this.#follow(byte);
      if (!isNamed) continue;
      this.#keep(piece.subarray(from, at + 1));
      this.#keep(NULL);
      this.#isDropping = true;
      this.#found = true;
    }
    if (!this.#isDropping) this.#keep(piece.subarray(from));
  }

  /** Null when the object has no such member, or is too large without it. */
  result(): Buffer | null {
    return this.#found && this.#bytes <= this.most ? Buffer.concat(this.#kept) : null;
  }

  #follow(byte: number): void {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#isText = false;
        return;
      }
      if (this.#depth === 1 && this.#text.length <= this.#name.length) this.#text.push(byte);
    } else if (byte === QUOTE) {
      this.#isText = true;
      this.#text = [];
    } else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) this.#depth -= 1;
  }

  #isName(): boolean {
    return this.#name.equals(Buffer.from(this.#text));
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= this.most) this.#kept.push(bytes);
    else this.#kept.length = 0;
  }
}
