import { eachMessage, type Pass } from '../pass.js';
import type { WorkingBlock, WorkingMessage } from '../working-message.js';
import { isThinking } from './drop-orphaned-thinking.js';

/**
 * A call of a client's tool is answered in the next turn, so nothing may stand between: text behind it, or a search that ran at the API, and the result is not
 * found (`tool_use ids were found without tool_result blocks immediately after`). The calls move behind the rest. Never over thinking: that stands where it was
 * signed, calls between two thoughts included. Needs `merge-assistants`: joined answers are how text comes to stand behind a call.
 */
export const toolCallsLast: Pass = {
  name: 'tool-calls-last',
  reason: 'nothing may stand between a call and its result',
  ...eachMessage(withCallsLast),
};

export function withCallsLast(message: WorkingMessage): WorkingMessage {
  if (message.kind !== 'assistant' || !isParted(message)) return message;
  const blocks: WorkingBlock[] = [];
  const calls: WorkingBlock[] = [];
  for (const one of message.blocks) {
    if (isThinking(one)) blocks.push(...calls.splice(0), one);
    else if (isCall(one)) calls.push(one);
    else blocks.push(one);
  }
  return { ...message, blocks: [...blocks, ...calls] };
}

/** Whether something stands behind a call, other than calls, thinking, and a search that still runs: that waits for the same turn. */
function isParted({ blocks }: WorkingMessage): boolean {
  let open = false;
  return blocks.some((one) => {
    if (isCall(one)) open = true;
    else if (isThinking(one)) open = false;
    else return open && (one.block.type as string) !== 'server_tool_use';
    return false;
  });
}

const isCall = ({ block }: WorkingBlock): boolean => block.type === 'tool_use';
