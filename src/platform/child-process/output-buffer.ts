import { StringDecoder } from 'node:string_decoder';

/** Keeps the first `headLimit` and the last `tailLimit` characters of UTF-8 text that arrives in chunks, and counts all of them. Memory is bounded by the limits. */
export class OutputBuffer {
  readonly #decoder = new StringDecoder('utf8');
  #head = '';
  #tail = '';
  #length = 0;

  constructor(
    private readonly headLimit: number,
    private readonly tailLimit = 0,
  ) {}

  /** Characters received, whether kept or not. */
  get length(): number {
    return this.#length;
  }

  get head(): string {
    return this.#head;
  }

  /** The last characters after the head; shorter than `tailLimit` while there are fewer. */
  get tail(): string {
    return this.tailLimit === 0 ? '' : this.#tail.slice(-this.tailLimit);
  }

  add(chunk: Uint8Array): void {
    this.#append(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }

  /** Flushes an incomplete last character. Nothing may be added afterwards. */
  end(): this {
    this.#append(this.#decoder.end());
    return this;
  }

  #append(text: string): void {
    this.#length += text.length;
    const room = Math.max(this.headLimit - this.#head.length, 0);
    if (room > 0) this.#head += text.slice(0, room);
    if (this.tailLimit === 0 || text.length <= room) return;
    this.#tail += text.slice(room);
    // Not at each chunk: cutting costs as much as what is kept.
    if (this.#tail.length > 8 * this.tailLimit) this.#tail = this.#tail.slice(-this.tailLimit);
  }
}
