import { loose } from '../../protocol/message/unknown-json.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/** Blocks of the advisor tool are accepted only in requests whose beta header announces the tool. */
export const stripAdvisor: Pass = {
  name: 'strip-advisor',
  reason: 'the request does not announce the advisor tool',
  ...perMessage(clean),
};

function clean(message: WorkingMessage, { gates }: PassSettings): WorkingMessage {
  return message.kind === 'assistant' && !gates.advisor ? withBlocks(message, mapped(message.blocks, unlessAdvisor, null)) : message;
}

function unlessAdvisor(before: WorkingBlock): WorkingBlock | null {
  const { type, name } = loose(before.block);
  return type === 'advisor_tool_result' || (type === 'server_tool_use' && name === 'advisor') ? null : before;
}
