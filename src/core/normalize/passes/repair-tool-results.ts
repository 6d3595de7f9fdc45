import type { ContentBlock, ToolResultBlock } from '../../message/content.js';
import { keysInResult } from '../block-kinds.js';
import { isBlank, isObject, onlyKeys } from '../../message/unknown-json.js';
import { eachMessage, type Pass } from '../pass.js';
import { changed, mapped, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * What tools hand back is anything: nested blocks the API does not take in a result (`tool_result.content.0: Input tag 'tool_use' found using 'type' does
 * not match any of the expected tags`), empty texts (`text content blocks must be non-empty`), objects, null. Unknown content becomes its JSON text;
 * empty content is left out, which the API takes for an empty result. Needs `drop-unknown-blocks`.
 */
export const repairToolResults: Pass = {
  name: 'repair-tool-results',
  reason: 'a result may hold text, media and search results only, and no empty text',
  ...eachMessage(clean),
};

function clean(message: WorkingMessage): WorkingMessage {
  return message.kind === 'user' ? withBlocks(message, mapped(message.blocks, repaired, null)) : message;
}

function repaired(before: WorkingBlock): WorkingBlock {
  const { block } = before;
  if (block.type !== 'tool_result') return before;
  const content = contentOf(block.content);
  const flagIsFine = block.is_error === undefined || typeof block.is_error === 'boolean';
  return content === block.content && flagIsFine ? before : changed(before, rebuilt(block, content, flagIsFine));
}

function rebuilt({ content: _, is_error, ...rest }: ToolResultBlock, content: ToolResultBlock['content'], keepsFlag: boolean): ToolResultBlock {
  return { ...rest, ...(content === undefined ? {} : { content }), ...(keepsFlag && is_error !== undefined ? { is_error } : {}) };
}

function contentOf(content: unknown): ToolResultBlock['content'] {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return undefined;
  if (!Array.isArray(content)) return JSON.stringify(content);
  const inner = mapped(content as readonly unknown[], sendable, null) as readonly ContentBlock[];
  return inner.length === 0 ? undefined : inner;
}

function sendable(inner: unknown): unknown {
  const keys = isObject(inner) ? keysInResult(String(inner['type'])) : undefined;
  if (!isObject(inner) || !keys || (inner['type'] === 'text' && typeof inner['text'] !== 'string')) {
    return { type: 'text', text: typeof inner === 'string' && !isBlank(inner) ? inner : JSON.stringify(inner) };
  }
  return inner['type'] === 'text' && isBlank(inner['text']) ? null : onlyKeys(inner, keys);
}
