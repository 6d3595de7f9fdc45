import type { ContentBlock } from '../../protocol/message/content.js';
import { isObject, loose } from '../../protocol/message/unknown-json.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { hasToolSearch } from './strip-caller.js';

/**
 * A result of tool search names tools; a name that is not offered any more fails every later request: `Tool reference 'x' not found in available tools`.
 * Without tool search all references are removed.
 */
export const stripToolReferences: Pass = {
  name: 'strip-tool-references',
  reason: 'a tool reference must name a tool that this request offers',
  ...perMessage(clean),
};

function clean(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  return withBlocks(message, mapped(message.blocks, stripped, settings));
}

function stripped(before: WorkingBlock, settings: PassSettings): WorkingBlock {
  const { block } = before;
  if (block.type === 'tool_result') {
    const content = offered(block.content, settings);
    return content === block.content ? before : changed(before, { ...block, content } as ContentBlock);
  }
  if ((block.type as string) !== 'tool_search_tool_result') return before;
  const found = loose(loose(block)['content']);
  const tool_references = offered(found['tool_references'], settings);
  return tool_references === found['tool_references']
    ? before
    : changed(before, { ...block, content: { ...found, tool_references } } as unknown as ContentBlock);
}

function offered(list: unknown, settings: PassSettings): unknown {
  return Array.isArray(list) ? mapped(list as readonly unknown[], unlessUnavailable, settings) : list;
}

function unlessUnavailable(inner: unknown, settings: PassSettings): unknown {
  if (!isObject(inner) || inner['type'] !== 'tool_reference') return inner;
  return hasToolSearch(settings) && settings.tools.has(String(inner['tool_name'])) ? inner : null;
}
