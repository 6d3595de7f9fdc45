import { eachMessage, type Pass } from '../pass.js';
import { changed, mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * The model reads the text blocks of a turn as one text: `2+2` and `3+3` of two messages would be `2+23+3`. The newline goes to the front of the later
 * text, never to the end of the earlier one: what an earlier request sent stays as it was. Needs the blocks of each user turn in their final order.
 */
export const separateTexts: Pass = {
  name: 'separate-texts',
  reason: 'texts of two messages in one turn must not run together',
  ...eachMessage(separated),
};

function separated(message: WorkingMessage): WorkingMessage {
  return message.kind === 'user' ? withBlocks(message, mapped(message.blocks, apart, message.blocks)) : message;
}

function apart(later: WorkingBlock, blocks: readonly WorkingBlock[], index: number): WorkingBlock {
  const earlier = blocks[index - 1];
  if (earlier?.block.type !== 'text' || later.block.type !== 'text' || uuidOf(earlier) === uuidOf(later)) return later;
  if (earlier.block.text.endsWith('\n') || later.block.text.startsWith('\n')) return later;
  return changed(later, { ...later.block, text: `\n${later.block.text}` });
}

const uuidOf = ({ sources }: WorkingBlock): string | undefined => sources[0]?.uuid;
