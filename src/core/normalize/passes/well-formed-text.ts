import type { ContentBlock } from '../../message/content.js';
import { eachMessage, type Pass } from '../pass.js';
import { changed, mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { wellFormed } from '../../message/well-formed.js';

/**
 * Half an emoji, left by a cut in the wrong place, is no valid JSON: `The request body is not valid JSON: no low surrogate in string`. It becomes the
 * replacement character. Thinking is signed and may not be edited: there the block goes.
 */
export const wellFormedText: Pass = {
  name: 'well-formed-text',
  reason: 'holds half of a character, which JSON cannot carry',
  ...eachMessage(repair),
};

function repair(message: WorkingMessage): WorkingMessage {
  return withBlocks(message, mapped(message.blocks, repaired, null));
}

function repaired(before: WorkingBlock): WorkingBlock | null {
  const block: ContentBlock = wellFormed(before.block);
  if (block === before.block) return before;
  return block.type === 'thinking' || block.type === 'redacted_thinking' ? null : changed(before, block);
}
