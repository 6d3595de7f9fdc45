import { isBlank } from '../../protocol/message/unknown-json.js';
import { perMessage, type Pass } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * `messages: text content blocks must be non-empty` and `messages: text content blocks must contain non-whitespace text`. White space in an
 * answer is kept when the same answer has other text, since signed thinking may be around it; white space of a user is always removed, so that the result does
 * not depend on later messages. Needs `merge-fragments`: an answer is judged as a whole.
 */
export const dropBlankText: Pass = {
  name: 'drop-blank-text',
  reason: 'the model API rejects empty and blank text',
  ...perMessage(clean),
};

function clean(message: WorkingMessage): WorkingMessage {
  const mayBeBlank = message.kind === 'assistant' && message.blocks.some(hasText);
  return withBlocks(message, mapped(message.blocks, mayBeBlank ? unlessEmpty : unlessBlank, null));
}

const hasText = ({ block }: WorkingBlock): boolean => block.type === 'text' && !isBlank(block.text);

const unlessEmpty = (before: WorkingBlock): WorkingBlock | null => (before.block.type === 'text' && before.block.text === '' ? null : before);

const unlessBlank = (before: WorkingBlock): WorkingBlock | null => (before.block.type === 'text' && isBlank(before.block.text) ? null : before);
