import type { ContentBlock, DocumentBlock, ImageBlock } from '../message/content.js';
import type { Profile } from './profiles.js';
import { changed, mapped, withBlocks, type Working, type WorkingBlock, type WorkingMessage } from './working.js';

export type Media = ImageBlock | DocumentBlock;

export const isMedia = (block: ContentBlock): block is Media => block.type === 'image' || block.type === 'document';

/** What images and documents of one request may take in it. What a whole context window of words takes, at four bytes a token, is left for the words. */
export const mediaBytes = ({ maxBodyBytes, contextWindow }: Profile): number => maxBodyBytes - 4 * contextWindow;

/** Replaces images and documents, those inside tool results too, in the order of the payload. The same messages when none changes. */
export function mapMedia(messages: Working, change: (media: Media) => ContentBlock): Working {
  return mapped(messages, mapMediaOf, change);
}

type Change = (media: Media) => ContentBlock;

/** The same in one message. */
export function mapMediaOf(message: WorkingMessage, change: Change): WorkingMessage {
  return message.kind === 'user' ? withBlocks(message, mapped(message.blocks, inBlock, change)) : message;
}

function inBlock(before: WorkingBlock, change: Change): WorkingBlock {
  const { block } = before;
  if (isMedia(block)) {
    const after = change(block);
    return after === block ? before : changed(before, after);
  }
  if (block.type !== 'tool_result' || typeof block.content !== 'object') return before;
  const content = mapped(block.content, (inner) => (isMedia(inner) ? change(inner) : inner), null);
  return content === block.content ? before : changed(before, { ...block, content });
}
