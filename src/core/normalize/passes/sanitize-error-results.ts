import type { ContentBlock, ToolResultBlock } from '../../message/content.js';
import { isBlank } from '../../message/unknown-json.js';
import { eachMessage, type Pass } from '../pass.js';
import { ERROR_WITHOUT_TEXT } from '../placeholders.js';
import { changed, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * A failed result holds text and only text: `all content must be type text if is_error is true`, `content cannot be empty if is_error is true`. A picture of
 * the failure is not lost: it stands beside the result. Needs `repair-tool-results`; `pair-tool-results` puts the results back in front.
 */
export const sanitizeErrorResults: Pass = {
  name: 'sanitize-error-results',
  reason: { changed: 'a failed result holds text only, and some', moved: 'a failed result holds text only, so this stands beside it' },
  ...eachMessage(clean),
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

/** Kinds that a user message takes as they are. */
const STANDS_ALONE: ReadonlySet<string> = new Set(['image', 'document', 'search_result']);

function split(before: WorkingBlock): readonly WorkingBlock[] {
  if (isFine(before)) return [before];
  const result = before.block as ToolResultBlock;
  const inner = typeof result.content === 'string' ? [] : (result.content ?? []);
  const texts = inner.filter(isText);
  const content = texts.length > 0 ? texts : ERROR_WITHOUT_TEXT;
  const beside = inner.filter((block) => STANDS_ALONE.has(block.type));
  return [changed(before, { ...result, content }), ...beside.map((block) => changed(before, block))];
}
