import { blocksOf, type ContentBlock } from './content.js';
import type { Message } from './message.js';

/** The content of a message as blocks. An attachment counts as one block until a pass renders it as text. */
export function contentBlocksOf(message: Message): readonly ContentBlock[] {
  switch (message.type) {
    case 'user':
      return blocksOf(message.content);
    case 'assistant':
      return blocksOf(message.message.content);
    case 'attachment':
      return [message.attachment as unknown as ContentBlock];
    case 'system':
      return blocksOf(message.content);
    case 'tool_use_summary':
      return blocksOf(message.summary);
    default:
      return [];
  }
}
