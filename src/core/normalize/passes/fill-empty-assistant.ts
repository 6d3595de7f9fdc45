import { NO_CONTENT } from '../../message/wire-texts.js';
import type { Pass } from '../pass.js';
import { made, mapped, type Working, type WorkingMessage } from '../working-message.js';

/**
 * An answer that did something, such as a search that was stopped, keeps its place by a placeholder when none of its blocks can be sent: the model sees that
 * it had its turn. `all messages must have non-empty content except for the optional final assistant message`: a final one goes instead. Needs
 * `drop-blank-assistants`: any other empty answer is gone.
 */
export const fillEmptyAssistant: Pass = {
  name: 'fill-empty-assistant',
  reason: 'an answer may not be empty',
  run: (messages) => mapped(messages, filled, messages),
};

function filled(message: WorkingMessage, all: Working, index: number): WorkingMessage | null {
  if (message.kind !== 'assistant' || message.blocks.length > 0) return message;
  return index === all.length - 1 ? null : { ...message, blocks: [made({ type: 'text', text: NO_CONTENT })] };
}
