import { eachMessage, type Pass, type PassSettings } from '../pass.js';
import { changed, mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Models without tool search refuse the note of who made a call: `tool_use.caller: Extra inputs are not permitted`. Where tool search is on and the model
 * has it, the note stays, since calls made from code are paired by it.
 */
export const stripCaller: Pass = {
  name: 'strip-caller',
  reason: 'only requests with tool search may say who made a call',
  ...eachMessage(clean),
};

export const hasToolSearch = ({ gates, profile }: PassSettings): boolean => gates['tool-search'] && profile.toolSearch;

function clean(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  return message.kind === 'assistant' && !hasToolSearch(settings) ? withBlocks(message, mapped(message.blocks, withoutCaller, null)) : message;
}

function withoutCaller(before: WorkingBlock): WorkingBlock {
  const { block } = before;
  if (block.type !== 'tool_use' || block.caller === undefined) return before;
  const { caller: _, ...rest } = block;
  return changed(before, rest);
}
