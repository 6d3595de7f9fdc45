import type { ToolResultBlock, ToolUseBlock } from '../../protocol/message/content.js';
import type { Pass } from '../pass.js';
import type { Working, WorkingMessage } from '../working-message.js';
import { joinNeighbours } from './join-neighbours.js';

/**
 * Consecutive assistant messages become one turn, for the reason of `merge-users`; results of both are in the user turn that follows. An answer of whose calls
 * none has a result there stays its own turn: `pair-tool-results` adds a user turn that says the results are missing, and the next answer follows it.
 * Needs `drop-blank-assistants`: a blank answer would otherwise keep its white space.
 */
export const mergeAssistants: Pass = {
  name: 'merge-assistants',
  reason: 'merged into the assistant message before it',
  apply: (messages) => joinNeighbours(messages, 'assistant', withLostCalls(messages)),
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
