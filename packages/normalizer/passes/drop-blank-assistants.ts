import { isServerResult } from '../api-rules/server-tools.js';
import type { Pass } from '../pass.js';
import { contentBlocksOf } from '../../protocol/message/message-content.js';
import { mapped } from '../../protocol/mapped.js';
import { type WorkingMessage } from '../working-message.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * An answer of which nothing can be sent, such as white space or thinking alone, is removed and the user turns around it are merged. An answer that was stored empty, and one in which server
 * tools ran, are left to `fill-empty-assistant`: the model had its turn. Needs `drop-blank-text` and `drop-orphaned-thinking`.
 */
export const dropBlankAssistants: Pass = {
  name: 'drop-blank-assistants',
  reason: { merged: 'the assistant message between these user messages had no content' },
  apply: (messages) => joinNeighbours(mapped(messages, unlessBlank, null), 'user'),
};

function unlessBlank(message: WorkingMessage): WorkingMessage | null {
  return message.kind === 'assistant' && message.blocks.length === 0 && !hadItsTurn(message) ? null : message;
}

/** Whether the stored message is empty, or server tools ran in it. */
function hadItsTurn({ original }: WorkingMessage): boolean {
  if (original === null) return false;
  const stored = contentBlocksOf(original);
  return stored.length === 0 || stored.some(({ type }) => (type as string) === 'server_tool_use' || isServerResult(type));
}
