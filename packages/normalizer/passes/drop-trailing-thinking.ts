import type { Pass } from '../pass.js';
import type { Working } from '../working-message.js';
import { isThinking } from './drop-orphaned-thinking.js';

/**
 * `The final block in an assistant message cannot be thinking`: a rule for the last message of a request only. Elsewhere thinking at the end of an
 * answer is kept, since it was part of the prefix of earlier requests.
 */
export const dropTrailingThinking: Pass = {
  name: 'drop-trailing-thinking',
  reason: 'a request must not end in thinking',
  apply: trim,
};

function trim(messages: Working): Working {
  const last = messages.at(-1);
  if (last?.kind !== 'assistant') return messages;
  const end = last.blocks.findLastIndex((block) => !isThinking(block)) + 1;
  if (end === last.blocks.length) return messages;
  return messages.with(-1, { ...last, blocks: last.blocks.slice(0, end) });
}
