import type { BlobSource, Content, Json } from '../protocol/message/content.js';
import { type Base64Of, inlineSource as inline, type SourceChange as Change, sourcesInContent as inContent } from '../protocol/message/block-sources.js';
import { withInlineBytes } from './media/out-of-line.js';
import type { Message } from '../protocol/message/message.js';
import { mapped } from '../protocol/mapped.js';

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

/**
 * Messages with their blobs embedded. Each message is converted once and always gives the same object, so that the cached results of earlier requests are
 * found. Messages that are never sent are not converted.
 */
export class EmbeddedMessages {
  readonly #embedded = new WeakMap<Message, { readonly message: Message; readonly files: FileTexts }>();
  /** The last list of which nothing was missing: most of the next one is the same. */
  #complete: readonly Message[] = [];
  #hasFiles = false;
  #characters = 0;

  /** Characters of base64 text in all converted messages. */
  get characters(): number {
    return this.#characters;
  }

  /** Hashes of the blobs that `add` needs for these messages. */
  missing(messages: readonly Message[]): readonly string[] {
    const names = new Set<string>();
    messages.forEach((message, at) => {
      if (message === this.#complete[at] || !isSent(message) || this.#embedded.has(message)) return;
      for (const { sha256 } of blobsIn(message)) names.add(sha256);
    });
    if (names.size === 0) this.#complete = messages;
    return [...names];
  }

  /** Converts the messages. Throws MissingBlob. */
  add(messages: readonly Message[], base64Of: Base64Of): void {
    for (const message of messages) {
      if (!isSent(message) || this.#embedded.has(message)) continue;
      const embedded = withBytes(message, base64Of);
      if (embedded === message) continue;
      const files = new Map(blobsIn(message).map(({ sha256 }) => [sha256, base64Of(sha256) ?? '']));
      this.#embedded.set(message, { message: embedded, files });
      this.#hasFiles = true;
      for (const { sha256 } of blobsIn(message)) this.#characters += files.get(sha256)?.length ?? 0;
    }
  }

  /** The same list when none of its messages has blob references. */
  of(messages: readonly Message[]): readonly Message[] {
    return this.#hasFiles ? mapped(messages, (message) => this.#embedded.get(message)?.message ?? message, null) : messages;
  }

  /** The files of a message that was converted. */
  filesOf(message: Message): FileTexts {
    return this.#embedded.get(message)?.files ?? NO_FILES;
  }
}

/** Base64 texts by the hashes of the bytes. */
export type FileTexts = ReadonlyMap<string, string>;

const NO_FILES: FileTexts = new Map();

const isSent = (message: Message): boolean => message.type === 'attachment' || (message.type === 'user' && !message.isVirtual);

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
