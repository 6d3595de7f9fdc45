import { StringDecoder } from 'node:string_decoder';
import { withoutSplitPair } from '../../../core/message/text.js';

/** What terminals act upon and nobody can read; tabs, line ends and escapes stay. */
// oxlint-disable-next-line eslint/no-control-regex
const UNREADABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;

/** Keeps the beginning and the end of a text that comes in pieces, half of `limit` characters each, and counts what lies between. */
export class HeadAndTail {
  readonly #decoder = new StringDecoder('utf8');
  readonly #half: number;
  #head = '';
  #tail = '';
  #characters = 0;

  constructor(private readonly limit: number) {
    this.#half = Math.ceil(limit / 2);
  }

  /** Characters so far, kept or not. */
  get length(): number {
    return this.#characters;
  }

  add(chunk: Uint8Array): void {
    this.#append(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }

  /** The last characters so far. */
  last(characters: number): string {
    return readable(`${this.#tail.length < characters ? this.#head : ''}${this.#tail}`.slice(-characters));
  }

  /** All there was, or its beginning, a notice, and its end. After this nothing may be added. */
  end(): { readonly text: string; readonly cut: boolean } {
    this.#append(this.#decoder.end());
    if (this.#characters <= this.limit) return { text: readable(this.#head + this.#tail), cut: false };
    const head = withoutSplitPair(this.#head);
    const tail = this.#tail.slice(-(this.limit - this.#half) || this.#tail.length).replace(/^[\udc00-\udfff]/, '');
    const left = this.#characters - head.length - tail.length;
    return { text: `${readable(head)}\n\n[${left} characters were left out here: the output is longer than ${this.limit}]\n\n${readable(tail)}`, cut: true };
  }

  #append(text: string): void {
    this.#characters += text.length;
    const room = this.#half - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    if (text.length > room) this.#tail += text.slice(Math.max(room, 0));
    if (this.#tail.length > 4 * this.limit) this.#tail = this.#tail.slice(-this.limit);
  }
}

function readable(text: string): string {
  return text.replace(UNREADABLE, '\ufffd').toWellFormed();
}
