import type { NormalizationCache } from './normalization-cache.js';
import type { PayloadMessage } from './payload.js';
import { isSameMessage, type SerializedMessage } from './serialized-message.js';

/** Writes the messages of one request, from the first on. What has been written at a place already, behind the same, or for an earlier request, is not written again. */
export class MessageSerializer {
  readonly #written: SerializedMessage[] = [];

  constructor(
    private readonly sha256: (text: string) => string,
    private readonly memory?: NormalizationCache,
  ) {}

  write(index: number, message: PayloadMessage): SerializedMessage {
    const before = this.#written[index - 1]?.digest ?? '';
    const here = this.#written[index];
    const known = here && isSameMessage(here.message, message) ? here : this.memory?.written(message);
    const written = known?.before === before ? known : this.#write(before, message, known?.text ?? JSON.stringify(message));
    this.#written[index] = written;
    return written;
  }

  #write(before: string, message: PayloadMessage, text: string): SerializedMessage {
    const written = { message, before, text, digest: this.sha256(before + text) };
    this.memory?.keepWritten(written);
    return written;
  }
}
