import { isServerResult } from '../block-kinds.js';
import type { Pass } from '../pass.js';
import { contentBlocksOf } from '../../message/message-content.js';
import { mapped, type WorkingMessage } from '../working-message.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * An answer that was stopped, or refused, before its first word has nothing to send: `all messages must have non-empty content except for the optional
 * final assistant message`. It goes, and the user turns around it become one, as they do around thinking that led nowhere. An answer that did something, of which nothing can be sent any more, is left to
 * `fill-empty-assistant`. Needs blank text, and such thinking, gone.
 */
export const dropBlankAssistants: Pass = {
  name: 'drop-blank-assistants',
  reason: { merged: 'the answer that stood between two user turns had no content' },
  run: (messages) => joinNeighbours(mapped(messages, unlessBlank, null), 'user'),
};

function unlessBlank(message: WorkingMessage): WorkingMessage | null {
  return message.kind === 'assistant' && message.blocks.length === 0 && !hasActed(message) ? null : message;
}

/** Whether tools ran on the API's side. */
export function hasActed({ original }: WorkingMessage): boolean {
  return original !== null && contentBlocksOf(original).some(({ type }) => (type as string) === 'server_tool_use' || isServerResult(type));
}
