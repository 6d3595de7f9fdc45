import type { NormalizationCache } from './normalization-cache.js';
import type { PayloadMessage } from './payload.js';
import { isSameMessage, type SerializedMessage } from './serialized-message.js';

/** Serializes the messages of one request in order. A message that was serialized before, in this request or in a cached one, is not serialized again. */
export class MessageSerializer {
  readonly #serialized: SerializedMessage[] = [];

  constructor(
    private readonly sha256: (text: string) => string,
    private readonly cache?: NormalizationCache,
  ) {}

  /** Every message before `index` must have been serialized. */
  serialize(index: number, message: PayloadMessage): SerializedMessage {
    const before = this.#serialized[index - 1]?.digest ?? '';
    const here = this.#serialized[index];
    const known = here && isSameMessage(here.message, message) ? here : this.cache?.serialized(message, index);
    const serialized = known?.before === before ? known : this.#digested(before, message, known?.text ?? JSON.stringify(message));
    this.#serialized[index] = serialized;
    return serialized;
  }

  /** All messages of the request, after which this object is not used again. */
  all(messages: readonly PayloadMessage[]): readonly SerializedMessage[] {
    const serialized = messages.map((message, index) => this.serialize(index, message));
    this.cache?.keepLast(serialized);
    return serialized;
  }

  #digested(before: string, message: PayloadMessage, text: string): SerializedMessage {
    return { message, before, text, digest: this.sha256(before + text) };
  }
}
