import type { Pass } from '../pass.js';
import type { Working } from '../working-message.js';
import { isThinking } from './drop-orphaned-thinking.js';

/**
 * `The final block in an assistant message cannot be thinking`: a rule about the last message of a request alone. Anywhere else thinking at the end of an
 * answer stays, since it was part of the prefix that earlier requests sent.
 */
export const dropTrailingThinking: Pass = {
  name: 'drop-trailing-thinking',
  reason: 'a request may not end in thinking',
  run: trim,
};

function trim(messages: Working): Working {
  const last = messages.at(-1);
  if (last?.kind !== 'assistant') return messages;
  const end = last.blocks.findLastIndex((block) => !isThinking(block)) + 1;
  if (end === last.blocks.length) return messages;
  return messages.with(-1, { ...last, blocks: last.blocks.slice(0, end) });
}
