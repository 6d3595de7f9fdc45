import type { Content, ContentBlock, DocumentBlock, ImageBlock } from '../../../../packages/protocol/message/content.js';

export type FileBlock = ImageBlock | DocumentBlock;

/** Replaces the images and documents of content, those in tool results included. */
export function mapFiles(
  content: Content,
  change: (block: FileBlock, place: { readonly index: number; readonly inner: number | null }) => ContentBlock,
): Content {
  if (!Array.isArray(content)) return content;
  return (content as readonly ContentBlock[]).map((block, index) => {
    if (isFile(block)) return change(block, { index, inner: null });
    if (block?.type !== 'tool_result' || !Array.isArray(block.content)) return block;
    const blocks = block.content as readonly ContentBlock[];
    return { ...block, content: blocks.map((one, inner) => (isFile(one) ? change(one, { index, inner }) : one)) };
  });
}

/** The images and documents of content, in order. */
export function filesInContent(content: Content): readonly FileBlock[] {
  const found: FileBlock[] = [];
  mapFiles(content, (block) => {
    found.push(block);
    return block;
  });
  return found;
}

const isFile = (block: ContentBlock): block is FileBlock => block?.type === 'image' || block?.type === 'document';
