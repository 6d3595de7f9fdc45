import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { renderedContent } from '../../../packages/normalizer/rendered-attachment.js';

/** A message that a request may have, made of stored messages. */
export interface TranscriptPart {
  readonly message: UnknownObject;
  readonly uuids: readonly string[];
}

/**
 * Results of parallel calls, and what comes with a prompt, are stored one by one and sent as one message. Every way to join them is hashed, so that what is long is joined in one
 * way only, and what is very long in none.
 */
const MAX_JOINED = 16;
const LONG = 500_000;
const VERY_LONG = 8_000_000;

/**
 * What a program may have made of stored messages in its requests: each one as it is, an answer without the members of its calls that requests do not have, attachments as
 * the model saw them, and following messages of the user as one. Which of these was sent is for their hashes to say.
 */
export class TranscriptParts {
  /** Messages of the user since the last answer. */
  #joined: { readonly uuid: string; readonly blocks: readonly unknown[]; readonly characters: number }[] = [];

  *of(message: StoredMessage): Generator<TranscriptPart> {
    const { uuid } = message;
    switch (message.type) {
      case 'assistant': {
        const { content } = message.message;
        this.#joined = [];
        yield { message: { role: 'assistant', content }, uuids: [uuid] };
        if (content.some((block) => 'caller' in block)) yield { message: { role: 'assistant', content: content.map(withoutCaller) }, uuids: [uuid] };
        return;
      }
      case 'user':
        yield* this.#user(uuid, blocksIn(message.content));
        return;
      case 'attachment': {
        const { rendered, renderedRole } = message as unknown as UnknownObject;
        for (const part of Array.isArray(rendered) ? rendered.filter(isObject) : []) {
          yield { message: { role: renderedRole === 'system' ? 'system' : 'user', content: part['content'] }, uuids: [uuid] };
        }
        const blocks = renderedContent(message);
        if (blocks !== null && blocks.length > 0) yield* this.#user(uuid, blocks);
      }
    }
  }

  *#user(uuid: string, blocks: readonly unknown[]): Generator<TranscriptPart> {
    yield { message: { role: 'user', content: blocks }, uuids: [uuid] };
    this.#joined.push({ uuid, blocks, characters: JSON.stringify(blocks).length });
    this.#joined.splice(0, this.#joined.length - MAX_JOINED);
    let characters = this.#joined.at(-1)!.characters;
    for (let from = this.#joined.length - 2; from >= 0; from -= 1) {
      characters += this.#joined[from]!.characters;
      if (characters > VERY_LONG) return;
      if (characters > LONG && from > 0) continue;
      const joined = this.#joined.slice(from);
      yield { message: { role: 'user', content: joined.flatMap((one) => one.blocks) }, uuids: joined.map((one) => one.uuid) };
    }
  }
}

const blocksIn = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : [{ type: 'text', text: content }]);

function withoutCaller(block: object): object {
  const { caller: _, ...rest } = block as UnknownObject;
  return rest;
}
