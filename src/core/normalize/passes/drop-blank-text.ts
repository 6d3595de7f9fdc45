import { isBlank } from '../../message/unknown-json.js';
import { eachMessage, type Pass } from '../pass.js';
import { mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * `messages: text content blocks must be non-empty` and `messages: text content blocks must contain non-whitespace text`. White space of the model's own
 * stays where the same answer says something in text, since signed thinking may stand around it; a user's goes in any case, so that what becomes of it
 * does not depend on what is said later. Needs `merge-fragments`: an answer is judged as a whole.
 */
export const dropBlankText: Pass = {
  name: 'drop-blank-text',
  reason: 'text without anything in it is refused',
  ...eachMessage(clean),
};

function clean(message: WorkingMessage): WorkingMessage {
  const mayStand = message.kind === 'assistant' && message.blocks.some(saysSomething);
  return withBlocks(message, mapped(message.blocks, mayStand ? unlessEmpty : unlessBlank, null));
}

const saysSomething = ({ block }: WorkingBlock): boolean => block.type === 'text' && !isBlank(block.text);

const unlessEmpty = (before: WorkingBlock): WorkingBlock | null => (before.block.type === 'text' && before.block.text === '' ? null : before);

const unlessBlank = (before: WorkingBlock): WorkingBlock | null => (before.block.type === 'text' && isBlank(before.block.text) ? null : before);
