import type { PayloadMessage } from './payload.js';

interface Written {
  readonly message: PayloadMessage;
  /** The digest of the message before it; empty before the first. */
  readonly before: string;
  /** The message as JSON. */
  readonly text: string;
  /** Of `before` and `text`: equal only where everything up to here is. */
  readonly digest: string;
}

/** Writes the messages of one request, from the first on. What has been written at a place already, behind the same, is not written again. */
export class MessageWriter {
  readonly #written: Written[] = [];

  constructor(private readonly sha256: (text: string) => string) {}

  write(index: number, message: PayloadMessage): Written {
    const before = this.#written[index - 1]?.digest ?? '';
    const known = this.#written[index];
    if (known && known.before === before && isSame(known.message, message)) return known;
    const text = JSON.stringify(message);
    const written = { message, before, text, digest: this.sha256(before + text) };
    this.#written[index] = written;
    return written;
  }
}

const isSame = (one: PayloadMessage, other: PayloadMessage): boolean =>
  one.role === other.role && one.content.length === other.content.length && one.content.every((block, index) => block === other.content[index]);
