import type { ContentBlock } from '../../message/content.js';
import { eachMessage, type Pass, type PassSettings } from '../pass.js';
import { changed, mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { hasToolSearch } from './strip-caller.js';

/**
 * A result of tool search names tools; one that is gone since would be refused for ever: `Tool reference 'x' not found in available tools`. Without tool
 * search all of them go.
 */
export const stripToolReferences: Pass = {
  name: 'strip-tool-references',
  reason: 'names a tool that this request does not offer',
  ...eachMessage(clean),
};

function clean(message: WorkingMessage, context: PassSettings): WorkingMessage {
  return message.kind === 'user' ? withBlocks(message, mapped(message.blocks, stripped, context)) : message;
}

function stripped(before: WorkingBlock, context: PassSettings): WorkingBlock {
  const { block } = before;
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return before;
  const content = mapped(block.content as readonly ContentBlock[], unlessUnavailable, context);
  return content === block.content ? before : changed(before, { ...block, content });
}

function unlessUnavailable(inner: ContentBlock, context: PassSettings): ContentBlock | null {
  if (inner?.type !== 'tool_reference') return inner;
  return hasToolSearch(context) && context.tools.has(inner.tool_name) ? inner : null;
}
