import { contentText } from '../protocol/message/written-input.js';
import { markedText } from '../protocol/request/body-text.js';
import { type BodyPart, type BodyPiece, BodyText, PART_CHARACTERS } from './body-text.js';
import type { NormalizationCache } from './normalization-cache.js';
import type { PayloadMessage } from './payload.js';
import { isSameMessage, type SerializedMessage } from './serialized-message.js';

export interface SerializedMessages {
  readonly digests: readonly string[];
  /** All messages as JSON: joined by commas they are the list in the body. */
  readonly pieces: readonly BodyPiece[];
}

/** Serializes the messages of one request in order. A message that was digested before, in this request or in a cached one, is not digested again. */
export class MessageSerializer {
  readonly #serialized: SerializedMessage[] = [];
  /** Texts of digested messages that are not in the body yet. */
  readonly #texts = new Map<number, string>();

  constructor(
    private readonly sha256: (text: string) => string,
    private readonly cache?: NormalizationCache,
    /** Digest of the message before the first one; empty: there is none. */
    readonly after = '',
  ) {}

  /** Every message before `index` must have been serialized. */
  serialize(index: number, message: PayloadMessage): SerializedMessage {
    const before = this.#serialized[index - 1]?.digest ?? this.after;
    const here = this.#serialized[index];
    const known = here && isSameMessage(here.message, message) ? here : this.cache?.serialized(message, index);
    const serialized = known?.before === before ? known : this.#digested(before, message, index);
    this.#serialized[index] = serialized;
    return serialized;
  }

  /** All messages of the request, after which this object is not used again. `marked`: the places of those that are sent with the cache marker. */
  all(messages: readonly PayloadMessage[], marked: ReadonlySet<number>, marker: string): SerializedMessages {
    const body = new BodyText(this.cache?.partCharacters ?? PART_CHARACTERS);
    for (let at = 0; at < messages.length;) {
      const part = this.cache?.partFrom(at);
      if (part && this.#isUnchanged(part, messages, marked)) {
        body.addPart(part);
        at = part.to;
        continue;
      }
      const message = messages[at] as PayloadMessage;
      this.serialize(at, message);
      const text = this.#texts.get(at) ?? contentText(message);
      if (marked.has(at)) body.addOnce(markedText(text, marker));
      else body.add(at, text);
      this.#texts.delete(at);
      at += 1;
    }
    this.#serialized.length = messages.length;
    this.cache?.keepLast(this.#serialized, body.parts);
    return { digests: this.#serialized.map(({ digest }) => digest), pieces: body.pieces };
  }

  #isUnchanged(part: BodyPart, messages: readonly PayloadMessage[], marked: ReadonlySet<number>): boolean {
    for (let at = part.from; at < part.to; at += 1) {
      const message = messages[at];
      if (!message || marked.has(at) || !this.cache?.isLast(this.serialize(at, message), at)) return false;
    }
    return true;
  }

  #digested(before: string, message: PayloadMessage, index: number): SerializedMessage {
    const text = contentText(message);
    this.#texts.set(index, text);
    return { message, before, digest: this.sha256(before + text) };
  }
}
