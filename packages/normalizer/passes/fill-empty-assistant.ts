import { NO_CONTENT } from '../../protocol/message/wire-texts.js';
import type { Pass } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { added, type Working, type WorkingMessage } from '../working-message.js';

/**
 * An answer that was stored empty, or in which server tools ran, such as a search that was stopped, is replaced by a placeholder when none of its blocks can be sent, so that the model
 * sees that it had its turn. `all messages must have non-empty content except for the optional final assistant message`: a final one is removed instead.
 * Needs `drop-blank-assistants`: every other empty answer has been removed.
 */
export const fillEmptyAssistant: Pass = {
  name: 'fill-empty-assistant',
  reason: 'an assistant message must not be empty',
  apply: (messages) => mapped(messages, filled, messages),
};

function filled(message: WorkingMessage, all: Working, index: number): WorkingMessage | null {
  if (message.kind !== 'assistant' || message.blocks.length > 0) return message;
  return index === all.length - 1 ? null : { ...message, blocks: [added({ type: 'text', text: NO_CONTENT })] };
}
