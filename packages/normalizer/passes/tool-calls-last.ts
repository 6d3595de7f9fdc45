import { perMessage, type Pass } from '../pass.js';
import type { WorkingBlock, WorkingMessage } from '../working-message.js';
import { isThinking } from './drop-orphaned-thinking.js';

/**
 * The result of a client tool call is in the next turn, so nothing may follow the call: after text or a server tool the result is not found (`tool_use ids were
 * found without tool_result blocks immediately after`). Calls move to the end of their answer, but never across thinking, which must stay where it was signed.
 * Needs `merge-assistants`: merged answers are how text comes to follow a call.
 */
export const toolCallsLast: Pass = {
  name: 'tool-calls-last',
  reason: 'a tool call must be immediately followed by its result',
  ...perMessage(withCallsLast),
};

export function withCallsLast(message: WorkingMessage): WorkingMessage {
  if (message.kind !== 'assistant' || !isFollowed(message)) return message;
  const blocks: WorkingBlock[] = [];
  const calls: WorkingBlock[] = [];
  for (const one of message.blocks) {
    if (isThinking(one)) blocks.push(...calls.splice(0), one);
    else if (isCall(one)) calls.push(one);
    else blocks.push(one);
  }
  return { ...message, blocks: [...blocks, ...calls] };
}

/** Whether a call is followed by anything but calls, thinking, and a pending server tool call, which continues in the same turn. */
function isFollowed({ blocks }: WorkingMessage): boolean {
  let open = false;
  return blocks.some((one) => {
    if (isCall(one)) open = true;
    else if (isThinking(one)) open = false;
    else return open && (one.block.type as string) !== 'server_tool_use';
    return false;
  });
}

const isCall = ({ block }: WorkingBlock): boolean => block.type === 'tool_use';
