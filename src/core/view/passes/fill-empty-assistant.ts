import { NO_CONTENT } from '../../message/wire-texts.js';
import type { Pass } from '../pass.js';
import { made, mapped, type Working, type WorkingMessage } from '../working.js';

/**
 * An answer that lost its last block to a pass stays where it was, by a placeholder: the turns around it are not merged, so that what was already sent
 * does not move. `all messages must have non-empty content except for the optional final assistant message`. Needs every pass that takes blocks out of
 * answers before it.
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
