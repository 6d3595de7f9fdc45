import { perMessage, type Pass } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * The model reads the text blocks of a turn as one text: `2+2` and `3+3` of two messages would be `2+23+3`. The newline is added at the
 * start of the later text, never at the end of the earlier one, so that an earlier request stays a prefix. Needs the final order of blocks in each user turn.
 */
export const separateTexts: Pass = {
  name: 'separate-texts',
  reason: 'texts of different messages in one turn are separated by a newline',
  ...perMessage(separated),
};

function separated(message: WorkingMessage): WorkingMessage {
  return message.kind !== 'assistant' ? withBlocks(message, mapped(message.blocks, apart, message.blocks)) : message;
}

function apart(later: WorkingBlock, blocks: readonly WorkingBlock[], index: number): WorkingBlock {
  const earlier = blocks[index - 1];
  if (earlier?.block.type !== 'text' || later.block.type !== 'text' || uuidOf(earlier) === uuidOf(later)) return later;
  if (earlier.block.text.endsWith('\n') || later.block.text.startsWith('\n')) return later;
  return changed(later, { ...later.block, text: `\n${later.block.text}` });
}

const uuidOf = ({ sources }: WorkingBlock): string | undefined => sources[0]?.uuid;
