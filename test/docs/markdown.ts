import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { glob } from 'tinyglobby';

/** Compiled, this file lies in dist/test/docs. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Page {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly lines: readonly Line[];
}

interface Line {
  readonly number: number;
  readonly text: string;
  /** Of a fence or between two. */
  readonly isCode: boolean;
}

/** A fenced block, with the comments directly before it. */
export interface Block {
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly comments: readonly string[];
}

export interface Link {
  readonly line: number;
  readonly target: string;
}

const FENCE = /^\s*```\s*(\S*)/;
const COMMENT = /^\s*<!-- (.*) -->$/;

/** Every Markdown file of the repository. */
export async function pages(): Promise<readonly Page[]> {
  const ignore = ['**/node_modules/**', 'dist/**', '**/dist/**', '.data/**', 'coverage/**', 'config/**'];
  const files = await glob('**/*.md', { cwd: ROOT, ignore });
  return Promise.all(files.toSorted().map(async (file) => ({ file, lines: linesOf(await readFile(path.join(ROOT, file), 'utf8')) })));
}

export function linesOf(text: string): readonly Line[] {
  let isOpen = false;
  return text.split('\n').map((line, index) => {
    const isFence = FENCE.test(line);
    const isCode = isOpen || isFence;
    if (isFence) isOpen = !isOpen;
    return { number: index + 1, text: line, isCode };
  });
}

export function blocksOf({ lines }: Page): readonly Block[] {
  const blocks: Block[] = [];
  let comments: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const { text, isCode, number } = lines[index]!;
    if (isCode) {
      const end = lines.findIndex((line, other) => other > index && FENCE.test(line.text));
      const indentation = text.length - text.trimStart().length; // of a block in a list
      const content = lines.slice(index + 1, end).map((line) => line.text.slice(indentation));
      blocks.push({ line: number, language: FENCE.exec(text)![1]!, text: content.join('\n'), comments });
      comments = [];
      index = end;
    } else if (text.trim() !== '') {
      const comment = COMMENT.exec(text)?.[1];
      comments = comment === undefined ? [] : [...comments, comment];
    }
  }
  return blocks;
}

/** Links and images, outside of code. */
export function linksOf({ lines }: Page): readonly Link[] {
  return lines
    .filter(({ isCode }) => !isCode)
    .flatMap(({ number, text }) =>
      [...text.replaceAll(/`[^`]*`/g, '`').matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, target]) => ({ line: number, target: target! })),
    );
}

/** The anchors that GitHub gives to headings. */
export function anchorsOf({ lines }: Page): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const { text, isCode } of lines) {
    const heading = isCode ? undefined : /^#{1,6} (.*)$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
