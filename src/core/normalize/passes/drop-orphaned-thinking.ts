import { eachMessage, type Pass } from '../pass.js';
import type { WorkingBlock, WorkingMessage } from '../working-message.js';

/**
 * An answer that was stopped while thinking led to nothing the conversation could go on from; sent as the last message it is refused: `The final block in
 * an assistant message cannot be thinking`. Needs `merge-fragments`: the words may be stored in another piece.
 */
export const dropOrphanedThinking: Pass = {
  name: 'drop-orphaned-thinking',
  reason: 'thinking that led to no answer',
  ...eachMessage(unlessOrphaned),
};

function unlessOrphaned(message: WorkingMessage): WorkingMessage | null {
  const { kind, blocks } = message;
  return kind === 'assistant' && blocks.length > 0 && blocks.every(isThinking) ? null : message;
}

export const isThinking = ({ block }: WorkingBlock): boolean => block.type === 'thinking' || block.type === 'redacted_thinking';
