import { fitResultBlock } from '../api-rules/inner-shapes.js';
import type { Profile } from '../models/profiles.js';
import type { ContentBlock, ToolResultBlock } from '../../protocol/message/content.js';
import { isBlank, isObject } from '../../protocol/message/unknown-json.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { flattenedText } from './flatten-blocks.js';

/**
 * Tools return anything: nested blocks that the API does not accept in a result (`tool_result.content.0: Input tag 'tool_use' found using 'type' does not match
 * any of the expected tags`), empty texts (`text content blocks must be non-empty`), objects, null. Content that does not fit becomes text, as JSON where
 * there is no better; empty content is left out, which the API takes as an empty result. Needs `drop-unknown-blocks`.
 */
export const repairToolResults: Pass = {
  name: 'repair-tool-results',
  reason: 'a tool result may contain only text, media, search results and tool references, and no empty text',
  ...perMessage(clean),
};

function clean(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  return message.kind === 'user' ? withBlocks(message, mapped(message.blocks, repaired, settings)) : message;
}

function repaired(before: WorkingBlock, { profile }: PassSettings): WorkingBlock {
  const { block } = before;
  if (block.type !== 'tool_result') return before;
  const content = contentOf(block.content, profile);
  return content === block.content ? before : changed(before, withContent(block, content));
}

function withContent({ content: _, ...rest }: ToolResultBlock, content: ToolResultBlock['content']): ToolResultBlock {
  return { ...rest, ...(content === undefined ? {} : { content }) };
}

function contentOf(content: unknown, profile: Profile): ToolResultBlock['content'] {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return undefined;
  if (!Array.isArray(content)) return JSON.stringify(content);
  const inner = mapped(content as readonly unknown[], sendable, profile) as readonly ContentBlock[];
  return inner.length === 0 ? undefined : inner;
}

function sendable(inner: unknown, profile: Profile): unknown {
  const fitted = fitResultBlock(inner, profile);
  if (fitted !== undefined) return fitted;
  if (isObject(inner) && inner['type'] === 'text' && typeof inner['text'] === 'string')
    return isBlank(inner['text']) ? null : { type: 'text', text: inner['text'] };
  return { type: 'text', text: flattenedText(inner) ?? (typeof inner === 'string' && !isBlank(inner) ? inner : JSON.stringify(inner ?? null)) };
}
