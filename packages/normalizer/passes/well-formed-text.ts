import type { ContentBlock } from '../../protocol/message/content.js';
import { perMessage, type Pass } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { wellFormed } from '../../protocol/message/well-formed.js';
import { wellFormedInput } from '../../protocol/message/written-input.js';

/**
 * A lone surrogate, left by cutting a text inside a character, is not valid JSON: `The request body is not valid JSON: no low surrogate in string`. It becomes
 * U+FFFD. Thinking is signed and must not be edited: such a block is removed.
 */
export const wellFormedText: Pass = {
  name: 'well-formed-text',
  reason: 'contains a lone surrogate, which is not valid JSON',
  ...perMessage(repair),
};

function repair(message: WorkingMessage): WorkingMessage {
  return withBlocks(message, mapped(message.blocks, repaired, null));
}

function repaired(before: WorkingBlock): WorkingBlock | null {
  const block: ContentBlock = wellFormed(before.block);
  if (block === before.block) return before;
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return null;
  return changed(before, 'input' in before.block ? ({ ...block, input: wellFormedInput(before.block.input, wellFormed) } as ContentBlock) : block);
}
