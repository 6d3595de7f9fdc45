import type { ToolResultBlock, ToolUseBlock } from '../../message/content.js';
import type { Pass } from '../pass.js';
import type { Working, WorkingMessage } from '../working-message.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * Two answers in a row are one turn, for the reason of `merge-users`; and results of both stand in the one user turn that follows. An answer whose calls all
 * stay without a result there is left by itself: `pair-tool-results` says in between that they were lost, and what the model said next stays behind it. Needs
 * `drop-blank-assistants`: a blank answer would otherwise keep white space alive.
 */
export const mergeAssistants: Pass = {
  name: 'merge-assistants',
  reason: 'joined to the assistant turn before it',
  run: (messages) => joinNeighbours(messages, 'assistant', withLostCalls(messages)),
};

function withLostCalls(messages: Working): ReadonlySet<WorkingMessage> {
  const found = new Set<WorkingMessage>();
  let answered: ReadonlySet<string> = new Set();
  for (const message of messages.toReversed()) {
    if (message.kind === 'user')
      answered = new Set(message.blocks.flatMap(({ block }) => (block.type === 'tool_result' ? [(block as ToolResultBlock).tool_use_id] : [])));
    else if (hasCalls(message) && !message.blocks.some(({ block }) => block.type === 'tool_use' && answered.has((block as ToolUseBlock).id)))
      found.add(message);
  }
  return found;
}

const hasCalls = ({ blocks }: WorkingMessage): boolean => blocks.some(({ block }) => block.type === 'tool_use');
