import type { Pass } from '../pass.js';
import { mapped, type WorkingMessage } from '../working.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * An answer that was stopped, or refused, before its first word has nothing to send: `all messages must have non-empty content except for the optional
 * final assistant message`. It goes, and the user turns around it become one. Needs blank text and thinking that leads nowhere gone.
 */
export const dropBlankAssistants: Pass = {
  name: 'drop-blank-assistants',
  reason: { dropped: 'an answer without content', merged: 'the answer that stood between two user turns had no content', moved: 'the answer between was blank' },
  run: (messages) => {
    const rest = mapped(messages, unlessBlank, null);
    return rest === messages ? messages : joinNeighbours(rest, 'user');
  },
};

function unlessBlank(message: WorkingMessage): WorkingMessage | null {
  return message.kind === 'assistant' && message.blocks.length === 0 ? null : message;
}
