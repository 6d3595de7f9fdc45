import { blocksOf, type ContentBlock, type DocumentBlock, type ImageBlock } from '../../../../packages/protocol/message/content.js';
import type { Submission } from '../../../../packages/protocol/message/submission.js';

/** An image or a document of a stored submission, unchanged. */
export interface PromptFile {
  readonly block: ImageBlock | DocumentBlock;
  /** Its name in messages to users: the reference in the typed text or its position, and the file's path or title. */
  readonly name: string;
  /** Number of its paste; null for a file of the input. */
  readonly paste: number | null;
}

/** The files of a prompt in the order in which the model reads them: those of the input, then the pasted ones by number. */
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

/** The numbers of the pasted images, in order. */
export const pasteIds = (submission: Submission): readonly number[] => filesOf(submission).flatMap(({ paste }) => paste ?? []);

const isFile = (block: ContentBlock): block is ImageBlock | DocumentBlock => block.type === 'image' || block.type === 'document';

const titleOf = (block: ImageBlock | DocumentBlock): string => (block.type === 'document' && typeof block.title === 'string' ? inBrackets(block.title) : '');

/** On one line, since it is used in lists with one entry per line. */
function inBrackets(name: string | undefined): string {
  const line = (name ?? '').replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line === '' ? '' : ` (${line})`;
}
