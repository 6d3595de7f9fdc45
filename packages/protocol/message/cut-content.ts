import { blocksOf, type Content, type ContentBlock } from './content.js';
import { cut } from './text.js';

/** Content with at most `most` characters of text, from the beginning, and a notice about the rest. Images and documents stay. */
export function cutContent(content: Content, most: number): Content {
  const total = blocksOf(content).reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (total <= most) return content;
  const notice = `\n\n[Cut: the result had ${total} characters, of which the first ${most} are kept. The rest is not stored; ask for a part of it.]`;
  if (typeof content === 'string') return cut(content, most) + notice;
  let left = most;
  const kept = content.flatMap((block): readonly ContentBlock[] => {
    if (block.type !== 'text') return [block];
    const text = cut(block.text, left);
    left -= text.length;
    return text === '' ? [] : [{ ...block, text }];
  });
  return [...kept, { type: 'text', text: notice.trimStart() }];
}
