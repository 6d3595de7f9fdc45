import type { ContentBlock } from '../../protocol/message/content.js';
import { isObject } from '../../protocol/message/unknown-json.js';

/** A block of a user message without the citations of its texts, also inside results and search results (docs: API versions); the same object when it has none. */
export function withoutCitations(block: ContentBlock): ContentBlock {
  const { type, citations, content } = block as { readonly type: string; readonly citations?: unknown; readonly content?: unknown };
  if (type === 'text' && Array.isArray(citations) && citations.length > 0) {
    const { citations: _, ...rest } = block as ContentBlock & { citations: unknown };
    return rest as ContentBlock;
  }
  if ((type !== 'tool_result' && type !== 'search_result') || !Array.isArray(content)) return block;
  const cleaned = content.map((inner: unknown) => (isObject(inner) ? withoutCitations(inner as unknown as ContentBlock) : inner));
  return cleaned.every((inner, index) => inner === content[index]) ? block : ({ ...block, content: cleaned } as ContentBlock);
}
