import { type BlobSource, type Content, type ContentBlock, isBlobSource, type Json, type MediaSource } from '../protocol/message/content.js';
import { withInlineBytes } from './media/out-of-line.js';
import type { Message } from '../protocol/message/message.js';
import { mapped } from './working-message.js';

/** The bytes of a blob as base64 text; undefined when the blob is missing. */
type Base64Of = (sha256: string) => string | undefined;

/** A message refers to a blob that is missing. The request cannot be rebuilt, and nothing else may be sent in its place. */
export class MissingBlob extends Error {
  override readonly name = 'MissingBlob';

  constructor(readonly sha256: string) {
    super(`A message of the session refers to the blob ${sha256}, which is missing from the blob store.`);
  }
}

/** Every blob reference in a message, duplicates included. */
export function blobsIn(message: Message): readonly BlobSource[] {
  const found: BlobSource[] = [];
  withSources(message, (source) => {
    found.push(source);
    return source;
  });
  return found;
}

/** The message with base64 data instead of blob references, as the model API takes it; the same message when it has none. Throws MissingBlob. */
export function withBytes<M extends Message>(message: M, base64Of: Base64Of): M {
  return withSources(message, (source) => inline(source, base64Of));
}

/** The same with images as they came, and with the bytes in members that are not sent: what an export contains. */
export function withOriginalBytes<M extends Message>(message: M, base64Of: Base64Of): M {
  return inMembers(
    withSources(message, ({ original, ...source }) => inline(original ?? source, base64Of)),
    ({ sha256 }) => base64Of(sha256),
  );
}

/** Every blob reference that `withOriginalBytes` replaces, and what looks like one. */
export function originalBlobsIn(message: Message): readonly BlobSource[] {
  const found = blobsIn(message).map(({ original, ...source }) => original ?? source);
  inMembers(message, (source) => {
    found.push(source);
    return undefined;
  });
  return found;
}

function inline({ media_type, sha256 }: BlobSource, base64Of: Base64Of): MediaSource {
  const data = base64Of(sha256);
  if (data === undefined) throw new MissingBlob(sha256);
  return { type: 'base64', media_type, data };
}

/**
 * Messages with their blobs embedded. Each message is converted once and always gives the same object, so that the cached results of earlier requests are
 * found. Messages that are never sent are not converted.
 */
export class EmbeddedMessages {
  readonly #embedded = new WeakMap<Message, Message>();
  #characters = 0;

  /** Characters of base64 text in all converted messages. */
  get characters(): number {
    return this.#characters;
  }

  /** Hashes of the blobs that `add` needs for these messages. */
  missing(messages: readonly Message[]): readonly string[] {
    const names = new Set<string>();
    for (const message of messages) {
      if (!isSent(message) || this.#embedded.has(message)) continue;
      for (const { sha256 } of blobsIn(message)) names.add(sha256);
    }
    return [...names];
  }

  /** Converts the messages. Throws MissingBlob. */
  add(messages: readonly Message[], base64Of: Base64Of): void {
    for (const message of messages) {
      if (!isSent(message) || this.#embedded.has(message)) continue;
      const embedded = withBytes(message, base64Of);
      if (embedded === message) continue;
      this.#embedded.set(message, embedded);
      for (const { sha256 } of blobsIn(message)) this.#characters += base64Of(sha256)?.length ?? 0;
    }
  }

  /** The same list when none of its messages has blob references. */
  of(messages: readonly Message[]): readonly Message[] {
    return mapped(messages, (message) => this.#embedded.get(message) ?? message, null);
  }
}

const isSent = (message: Message): boolean => message.type === 'attachment' || (message.type === 'user' && !message.isVirtual);

type Change = (source: BlobSource) => unknown;

function withSources<M extends Message>(message: M, change: Change): M {
  switch (message.type) {
    case 'user': {
      const content = inContent(message.content, change);
      return content === message.content ? message : { ...message, content };
    }
    case 'attachment': {
      // A prompt queued during a turn is stored as an attachment with content blocks.
      const { prompt } = message.attachment;
      const changed = Array.isArray(prompt) ? inContent(prompt as unknown as Content, change) : prompt;
      const rendered = Array.isArray(message.rendered) ? (mapped(message.rendered as readonly Json[], inRendered, change) as Json) : message.rendered;
      if (changed === prompt && rendered === message.rendered) return message;
      const attachment = changed === prompt ? message.attachment : { ...message.attachment, prompt: changed as unknown as Json };
      return { ...message, attachment, ...(rendered === undefined ? {} : { rendered }) };
    }
    default:
      return message;
  }
}

/** What the model saw of an imported attachment. */
function inRendered(part: Json, change: Change): Json {
  const content = typeof part === 'object' && part !== null && 'content' in part ? part.content : undefined;
  if (!Array.isArray(content)) return part;
  const changed = inContent(content as unknown as Content, change) as unknown as Json;
  return changed === content ? part : ({ ...(part as object), content: changed } as Json);
}

/** Replaces references in members that are not sent, whatever their shape. */
function inMembers<M extends Message>(message: M, base64Of: (source: BlobSource) => string | undefined): M {
  if (message.type === 'attachment') {
    const attachment = withInlineBytes(message.attachment, base64Of);
    return attachment === message.attachment ? message : { ...message, attachment };
  }
  const toolUseResult = message.type === 'user' ? message.toolUseResult : undefined;
  const changed = toolUseResult === undefined ? undefined : withInlineBytes(toolUseResult, base64Of);
  return changed === toolUseResult ? message : { ...message, toolUseResult: changed };
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
