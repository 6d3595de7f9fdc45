import { type BlobSource, type Content, type ContentBlock, isBlobSource, type Json } from '../message/content.js';
import type { Message } from '../message/message.js';
import { mapped } from './working-message.js';

/** The bytes of a name as base64 text. */
type Base64Of = (sha256: string) => string | undefined;

/** A message names bytes that are not to be had: what was sent cannot be told any more, and nothing may be sent in its place. */
export class MissingBlob extends Error {
  override readonly name = 'MissingBlob';

  constructor(readonly sha256: string) {
    super(`The bytes ${sha256} that a message of the session names are not there.`);
  }
}

/** Every name of bytes in a message, with repeats. */
export function blobsIn(message: Message): readonly BlobSource[] {
  const found: BlobSource[] = [];
  withSources(message, (source) => {
    found.push(source);
    return source;
  });
  return found;
}

/** The message with the bytes in place of their names, as the model API takes them; the same message when it names none. Throws MissingBlob. */
export function withBytes<M extends Message>(message: M, base64Of: Base64Of): M {
  return withSources(message, ({ media_type, sha256 }) => {
    const data = base64Of(sha256);
    if (data === undefined) throw new MissingBlob(sha256);
    return { type: 'base64', media_type, data };
  });
}

/**
 * Messages with their bytes, each made once: for the same message always the same object, by which later requests of a session find what earlier ones left.
 * Messages that no model ever sees stay as they are.
 */
export class EmbeddedMessages {
  readonly #made = new WeakMap<Message, Message>();
  #characters = 0;

  /** Characters of base64 text in all that was made. */
  get characters(): number {
    return this.#characters;
  }

  /** Names of the bytes that are still needed. */
  missing(messages: readonly Message[]): readonly string[] {
    const names = new Set<string>();
    for (const message of messages) {
      if (!isSeen(message) || this.#made.has(message)) continue;
      for (const { sha256 } of blobsIn(message)) names.add(sha256);
    }
    return [...names];
  }

  /** Puts the bytes in; throws MissingBlob when there are none for a name. */
  add(messages: readonly Message[], base64Of: Base64Of): void {
    for (const message of messages) {
      if (!isSeen(message) || this.#made.has(message)) continue;
      const made = withBytes(message, base64Of);
      if (made === message) continue;
      this.#made.set(message, made);
      for (const { sha256 } of blobsIn(message)) this.#characters += base64Of(sha256)?.length ?? 0;
    }
  }

  /** The list itself when none of its messages names bytes. */
  of(messages: readonly Message[]): readonly Message[] {
    return mapped(messages, (message) => this.#made.get(message) ?? message, null);
  }
}

const isSeen = (message: Message): boolean => message.type === 'attachment' || (message.type === 'user' && !message.isVirtual);

type Change = (source: BlobSource) => unknown;

function withSources<M extends Message>(message: M, change: Change): M {
  switch (message.type) {
    case 'user': {
      const content = inContent(message.content, change);
      return content === message.content ? message : { ...message, content };
    }
    case 'attachment': {
      // Of attachments, prompts that came while the model worked are shown as content.
      const { prompt } = message.attachment;
      const changed = Array.isArray(prompt) ? inContent(prompt as unknown as Content, change) : prompt;
      return changed === prompt ? message : { ...message, attachment: { ...message.attachment, prompt: changed as unknown as Json } };
    }
    default:
      return message;
  }
}

const inContent = <C extends Content>(content: C, change: Change): C =>
  Array.isArray(content) ? (mapped(content as readonly ContentBlock[], inBlock, change) as C) : content;

function inBlock(block: ContentBlock, change: Change): ContentBlock {
  if (block?.type === 'image' || block?.type === 'document') {
    const { source } = block;
    const changed = isBlobSource(source) ? change(source) : source;
    return changed === source ? block : ({ ...block, source: changed } as ContentBlock);
  }
  if (block?.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  const content = inContent(block.content, change);
  return content === block.content ? block : { ...block, content };
}
