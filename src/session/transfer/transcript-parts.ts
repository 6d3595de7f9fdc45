import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { canonicalBlock, canonicalMessage, canonicalOfBlocks } from '../../../packages/protocol/request/canonical.js';
import { renderedContent } from '../../../packages/normalizer/rendered-attachment.js';

/** A message that a request may have, made of stored messages, and its canonical form. */
export interface TranscriptPart {
  readonly message: UnknownObject;
  readonly canonical: string;
  readonly uuids: readonly string[];
}

/**
 * Results of parallel calls, and what comes with a prompt, are stored one by one and sent as one message. Every way to join them is hashed, so that what is long is joined in one
 * way only, and what is very long in none.
 */
const MAX_JOINED = 16;
const LONG = 500_000;
const VERY_LONG = 8_000_000;

/** What all joined messages together may have: some characters, and a few times what the messages have. So a session costs what it is long, however its messages are cut. */
export const JOINED_CHARACTERS = 16_000_000;
export const JOINED_SHARE = 3;

/** A message of the user since the last answer. */
interface Joinable {
  readonly uuid: string;
  readonly blocks: readonly unknown[];
  /** Of each block. */
  readonly canonical: readonly string[];
  readonly characters: number;
}

/**
 * What a program may have made of stored messages in its requests: each one as it is, an answer without the members of its calls that requests do not have, attachments as
 * the model saw them, and following messages of the user as one. Which of these was sent is for their hashes to say.
 */
export class TranscriptParts {
  #joined: Joinable[] = [];
  #left = JOINED_CHARACTERS;
  #isCut = false;

  /** Whether messages were not joined because of their size. */
  get isCut(): boolean {
    return this.#isCut;
  }

  *of(message: StoredMessage): Generator<TranscriptPart> {
    const { uuid } = message;
    switch (message.type) {
      case 'assistant': {
        const { content } = message.message;
        this.#joined = [];
        yield partOf(uuid, { role: 'assistant', content });
        if (content.some((block) => 'caller' in block)) yield partOf(uuid, { role: 'assistant', content: content.map(withoutCaller) });
        return;
      }
      case 'user':
        yield* this.#user(uuid, blocksIn(message.content));
        return;
      case 'attachment': {
        const { rendered, renderedRole } = message as unknown as UnknownObject;
        for (const part of Array.isArray(rendered) ? rendered.filter(isObject) : []) {
          yield partOf(uuid, { role: renderedRole === 'system' ? 'system' : 'user', content: part['content'] });
        }
        const blocks = renderedContent(message);
        if (blocks !== null && blocks.length > 0) yield* this.#user(uuid, blocks);
      }
    }
  }

  *#user(uuid: string, blocks: readonly unknown[]): Generator<TranscriptPart> {
    const canonical = blocks.map(canonicalBlock);
    const own: Joinable = { uuid, blocks, canonical, characters: canonical.reduce((sum, { length }) => sum + length, 0) };
    yield ofUser([own]);
    this.#left += JOINED_SHARE * own.characters;
    this.#joined.push(own);
    this.#joined.splice(0, this.#joined.length - MAX_JOINED);
    let { characters } = own;
    for (let from = this.#joined.length - 2; from >= 0; from -= 1) {
      characters += this.#joined[from]!.characters;
      if (characters <= VERY_LONG && characters > LONG && from > 0) continue;
      if (characters > VERY_LONG || characters > this.#left) {
        this.#isCut = true;
        return;
      }
      this.#left -= characters;
      yield ofUser(this.#joined.slice(from));
    }
  }
}

const partOf = (uuid: string, message: UnknownObject): TranscriptPart => ({ message, canonical: canonicalMessage(message), uuids: [uuid] });

function ofUser(joined: readonly Joinable[]): TranscriptPart {
  const canonical = canonicalOfBlocks(
    'user',
    joined.flatMap((one) => one.canonical),
  );
  return { message: { role: 'user', content: joined.flatMap(({ blocks }) => blocks) }, canonical, uuids: joined.map(({ uuid }) => uuid) };
}

const blocksIn = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : [{ type: 'text', text: content }]);

function withoutCaller(block: object): object {
  const { caller: _, ...rest } = block as UnknownObject;
  return rest;
}
