import { loose } from '../../message/unknown-json.js';
import { eachMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/** What the advisor tool left in an answer is taken back only by requests that announce the tool in a header; other requests are refused it. */
export const stripAdvisor: Pass = {
  name: 'strip-advisor',
  reason: 'this request does not announce the advisor tool',
  ...eachMessage(clean),
};

function clean(message: WorkingMessage, { gates }: PassSettings): WorkingMessage {
  return message.kind === 'assistant' && !gates.advisor ? withBlocks(message, mapped(message.blocks, unlessAdvisor, null)) : message;
}

function unlessAdvisor(before: WorkingBlock): WorkingBlock | null {
  const { type, name } = loose(before.block);
  return type === 'advisor_tool_result' || (type === 'server_tool_use' && name === 'advisor') ? null : before;
}
