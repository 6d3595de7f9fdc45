import { isServerResult } from '../../api-rules/server-tools.js';
import type { Pass } from '../pass.js';
import { contentBlocksOf } from '../../message/message-content.js';
import { mapped, type WorkingMessage } from '../working-message.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * An answer that was stopped before its first word has no content: `all messages must have non-empty content except for the optional final
 * assistant message`. It is removed and the user turns around it are merged. An answer in which server tools ran is left to `fill-empty-assistant`. Needs
 * `drop-blank-text` and `drop-orphaned-thinking`.
 */
export const dropBlankAssistants: Pass = {
  name: 'drop-blank-assistants',
  reason: { merged: 'the assistant message between these user messages had no content' },
  apply: (messages) => joinNeighbours(mapped(messages, unlessBlank, null), 'user'),
};

function unlessBlank(message: WorkingMessage): WorkingMessage | null {
  return message.kind === 'assistant' && message.blocks.length === 0 && !hasActed(message) ? null : message;
}

/** Whether server tools ran in the stored message. */
export function hasActed({ original }: WorkingMessage): boolean {
  return original !== null && contentBlocksOf(original).some(({ type }) => (type as string) === 'server_tool_use' || isServerResult(type));
}
