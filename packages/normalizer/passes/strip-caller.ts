import type { ToolUseBlock } from '../../protocol/message/content.js';
import { loose } from '../../protocol/message/unknown-json.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Models without tool search reject the caller of a call: `tool_use.caller: Extra inputs are not permitted`. With tool search a direct caller is kept. A call
 * made from code execution can be answered only in the container it ran in (`container_id is required`), which no request names: its caller is always removed.
 */
export const stripCaller: Pass = {
  name: 'strip-caller',
  reason: 'the caller of a call needs tool search, and one inside a container needs that container',
  ...perMessage(clean),
};

export const hasToolSearch = ({ gates, profile }: PassSettings): boolean => gates['tool-search'] && profile.toolSearch;

function clean(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  return message.kind === 'assistant' ? withBlocks(message, mapped(message.blocks, withoutCaller, settings)) : message;
}

function withoutCaller(before: WorkingBlock, settings: PassSettings): WorkingBlock {
  const { block } = before;
  if (block.type !== 'tool_use' || block.caller === undefined || (hasToolSearch(settings) && loose(block.caller)['type'] === 'direct')) return before;
  const { caller: _, ...rest }: ToolUseBlock = block;
  return changed(before, rest);
}
