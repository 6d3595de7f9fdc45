import type { ContentBlock } from '../protocol/message/content.js';
import { mapped } from '../protocol/mapped.js';
import { changed, withBlocks, type Working, type WorkingBlock, type WorkingMessage } from './working-message.js';
import { type Media, isMedia } from './media/media-block.js';

/** Replaces images and documents, including those inside tool results, in the order of the payload. Returns the same messages when none changes. */
export function mapMedia(messages: Working, change: (media: Media) => ContentBlock): Working {
  return mapped(messages, mapMediaOf, change);
}

type Change = (media: Media) => ContentBlock;

/** The same for one message. */
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
