import { blocksOf, type ContentBlock, type DocumentBlock, type ImageBlock } from '../message/content.js';
import type { Submission } from '../message/submission.js';

/** An image or a document that came with a prompt, as it came. */
export interface PromptFile {
  readonly block: ImageBlock | DocumentBlock;
  /** How people are told which one it is: the name in the text that was typed, or its place, and where the client had it from. */
  readonly name: string;
  /** The number it was pasted under; null when it stood in the input. */
  readonly paste: number | null;
}

/** The files of a prompt in the order in which the model sees them: those of the input, then the pasted ones by number. */
export function filesOf({ original, pastedContents = {} }: Submission): readonly PromptFile[] {
  const inline = blocksOf(typeof original === 'string' ? [] : original).filter(isFile);
  const counts = { image: 0, document: 0 };
  const placed = inline.map((block): PromptFile => ({ block, name: `${block.type} ${(counts[block.type] += 1)} of the prompt${titleOf(block)}`, paste: null }));
  const pasted = Object.entries(pastedContents).flatMap(([number, content]): readonly PromptFile[] => {
    if (content.type !== 'image') return [];
    const { source, sourcePath, filename } = content;
    return [{ block: { type: 'image', source }, name: `[Image #${number}]${inBrackets(sourcePath ?? filename)}`, paste: Number(number) }];
  });
  return [...placed, ...pasted];
}

const isFile = (block: ContentBlock): block is ImageBlock | DocumentBlock => block.type === 'image' || block.type === 'document';

const titleOf = (block: ImageBlock | DocumentBlock): string => (block.type === 'document' && typeof block.title === 'string' ? inBrackets(block.title) : '');

/** One line, whatever it is made of: it stands in lists of lines. */
function inBrackets(name: string | undefined): string {
  const line = (name ?? '').replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line === '' ? '' : ` (${line})`;
}
