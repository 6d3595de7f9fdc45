import { perMessage, type Pass } from '../pass.js';
import type { WorkingBlock, WorkingMessage } from '../working-message.js';

/**
 * An answer that was stopped while thinking contains nothing to continue from; as the last message it is rejected: `The final block in an assistant message
 * cannot be thinking`. Needs `merge-fragments`: the text may be stored in another fragment.
 */
export const dropOrphanedThinking: Pass = {
  name: 'drop-orphaned-thinking',
  reason: 'the answer consists of thinking only',
  ...perMessage(unlessOrphaned),
};

function unlessOrphaned(message: WorkingMessage): WorkingMessage | null {
  const { kind, blocks } = message;
  return kind === 'assistant' && blocks.length > 0 && blocks.every(isThinking) ? null : message;
}

export const isThinking = ({ block }: WorkingBlock): boolean => block.type === 'thinking' || block.type === 'redacted_thinking';
