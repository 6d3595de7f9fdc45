import { Injectable } from '@nestjs/common';
import type { Attachment } from '../../../packages/protocol/message/attachment.js';
import type { Content, Json } from '../../../packages/protocol/message/content.js';
import type { AttachmentMessage, StoredMessage } from '../../../packages/protocol/message/message.js';
import { type FileBlock, filesInContent, mapFiles } from '../../session/prompt/files/index.js';
import type { OfSession } from './fit-image.js';
import { MediaIntake } from './media-intake.js';

/**
 * Takes in the bytes in messages of an imported file and in attachments of clients. Nothing is refused for them: what does not decode, or exceeds a limit, is stored as it is, and
 * left out of requests by normalization. No lines about images are added: a file has those that its client wrote.
 */
@Injectable()
export class MessageMedia {
  constructor(private readonly intake: MediaIntake) {}

  async message(of: OfSession, message: StoredMessage, model: string): Promise<StoredMessage> {
    switch (message.type) {
      case 'user': {
        const { content, toolUseResult } = message;
        const stored = { ...message, content: await this.#content(of, content, model) };
        return toolUseResult === undefined ? stored : { ...stored, toolUseResult: await this.line(of, toolUseResult) };
      }
      case 'attachment':
        return this.#attachment(of, message, model);
      default:
        return message;
    }
  }

  /** A value of any shape, which is never sent. */
  line(of: OfSession, value: Json): Promise<Json> {
    return this.intake.outOfLine(of, value);
  }

  /** Blocks that the model may be sent, then everything else. */
  async attachment(of: OfSession, attachment: Attachment, model: string): Promise<Attachment> {
    const { prompt } = attachment;
    const blocks = Array.isArray(prompt) ? await this.#content(of, prompt as unknown as Content, model) : null;
    return (await this.line(of, blocks === null ? attachment : { ...attachment, prompt: blocks as unknown as Json })) as Attachment;
  }

  async #attachment(of: OfSession, message: AttachmentMessage, model: string): Promise<AttachmentMessage> {
    const { attachment, rendered } = message;
    const stored = { ...message, attachment: await this.attachment(of, attachment, model) };
    if (!Array.isArray(rendered)) return stored;
    const parts: Json[] = [];
    for (const part of rendered as readonly Json[]) parts.push(await this.#rendered(of, part, model));
    return { ...stored, rendered: parts };
  }

  async #rendered(of: OfSession, part: Json, model: string): Promise<Json> {
    const content = typeof part === 'object' && part !== null && 'content' in part ? part.content : undefined;
    if (!Array.isArray(content)) return part;
    return { ...(part as object), content: (await this.#content(of, content as unknown as Content, model)) as unknown as Json };
  }

  async #content(of: OfSession, content: Content, model: string): Promise<Content> {
    const blocks = filesInContent(content);
    if (blocks.length === 0) return content;
    const outcomes = await this.intake.store(of, await this.intake.inspect(blocks), model, new AbortController().signal);
    const asTheyAre = new Map<FileBlock, FileBlock>();
    for (const [block, outcome] of outcomes) if ('fault' in outcome) asTheyAre.set(block, await this.#asItIs(of, block));
    return mapFiles(content, (block) => asTheyAre.get(block) ?? outcomes.get(block)?.block ?? block);
  }

  async #asItIs(of: OfSession, block: FileBlock): Promise<FileBlock> {
    const { source } = block;
    if (source.type !== 'base64') return block;
    const stored = await this.intake.keep(of, String(source.media_type), String(source.data));
    return stored === null ? block : ({ ...block, source: stored } as FileBlock);
  }
}
