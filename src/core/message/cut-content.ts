import { blocksOf, type Content, type ContentBlock } from './content.js';

/** At most so many characters of text, from the beginning, and a word about the rest. Images and documents are left alone. */
export function cutContent(content: Content, most: number): Content {
  const total = blocksOf(content).reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (total <= most) return content;
  const notice = `\n\n[Cut: the result had ${total} characters, of which the first ${most} are kept. The rest is not stored; ask for a part of it.]`;
  if (typeof content === 'string') return start(content, most) + notice;
  let left = most;
  const kept = content.flatMap((block): readonly ContentBlock[] => {
    if (block.type !== 'text') return [block];
    const text = start(block.text, left);
    left -= text.length;
    return text === '' ? [] : [{ ...block, text }];
  });
  return [...kept, { type: 'text', text: notice.trimStart() }];
}

/** The first characters, never half a one. */
const start = (text: string, most: number): string => (text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, ''));
