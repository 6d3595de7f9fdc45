import { loose } from '../loose.js';
import type { Pass } from '../pass.js';
import { mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working.js';

/** What the advisor tool left in an answer is taken back only by requests that announce the tool in a header; other requests are refused it. */
export const stripAdvisor: Pass = {
  name: 'strip-advisor',
  reason: 'this request does not announce the advisor tool',
  run: (messages, { gates }) => (gates.advisor ? messages : mapped(messages, clean, null)),
};

function clean(message: WorkingMessage): WorkingMessage {
  return message.kind === 'assistant' ? withBlocks(message, mapped(message.blocks, unlessAdvisor, null)) : message;
}

function unlessAdvisor(before: WorkingBlock): WorkingBlock | null {
  const { type, name } = loose(before.block);
  return type === 'advisor_tool_result' || (type === 'server_tool_use' && name === 'advisor') ? null : before;
}
