import type { ContentBlock } from '../protocol/message/content.js';
import { isObject } from '../protocol/message/unknown-json.js';

/**
 * What the model saw of an imported attachment, from the members `rendered` (`[{content}]`: text, or text and image blocks) and `renderedRole` of its line.
 * Null when the line has no valid `rendered`; empty when the model saw nothing.
 */
export function renderedContent({ rendered }: { readonly rendered?: unknown }): readonly ContentBlock[] | null {
  if (!Array.isArray(rendered)) return null;
  const blocks: ContentBlock[] = [];
  for (const part of rendered) {
    const content: unknown = isObject(part) ? part['content'] : undefined;
    const inner: readonly unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [undefined];
    for (const block of inner) {
      if (!isObject(block) || (block['type'] !== 'image' && typeof block['text'] !== 'string')) return null;
      blocks.push(block as unknown as ContentBlock);
    }
  }
  return blocks;
}
