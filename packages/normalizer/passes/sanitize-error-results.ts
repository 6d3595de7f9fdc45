import type { ContentBlock, ToolResultBlock } from '../../protocol/message/content.js';
import { isBlank } from '../../protocol/message/unknown-json.js';
import { perMessage, type Pass } from '../pass.js';
import { ERROR_WITHOUT_TEXT } from '../placeholders.js';
import { changed, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * A failed result must contain text and only text: `all content must be type text if is_error is true`, `content cannot be empty if is_error is true`. Media
 * are kept beside the result. Needs `repair-tool-results`; `pair-tool-results` moves the results back to the start of the turn.
 */
export const sanitizeErrorResults: Pass = {
  name: 'sanitize-error-results',
  reason: { changed: 'a failed result must contain text and only text', moved: 'a failed result must contain only text, so this is sent beside it' },
  ...perMessage(clean),
};

function clean(message: WorkingMessage): WorkingMessage {
  if (message.kind !== 'user' || message.blocks.every(isFine)) return message;
  return { ...message, blocks: message.blocks.flatMap(split) };
}

function isFine({ block }: WorkingBlock): boolean {
  if (block.type !== 'tool_result' || block.is_error !== true) return true;
  return typeof block.content === 'string' ? !isBlank(block.content) : block.content !== undefined && block.content.every(isText);
}

const isText = (inner: ContentBlock): boolean => inner.type === 'text';

/** Types that a user message accepts outside a tool result. */
export const ALLOWED_BESIDE: ReadonlySet<string> = new Set(['image', 'document', 'search_result']);

function split(before: WorkingBlock): readonly WorkingBlock[] {
  if (isFine(before)) return [before];
  const result = before.block as ToolResultBlock;
  const inner = typeof result.content === 'string' ? [] : (result.content ?? []);
  const texts = inner.filter(isText);
  const content = texts.length > 0 ? texts : ERROR_WITHOUT_TEXT;
  const beside = inner.filter((block) => ALLOWED_BESIDE.has(block.type));
  return [changed(before, { ...result, content }), ...beside.map((block) => changed(before, block))];
}
