import path from 'node:path';
import { type Block } from './markdown.js';

/** What the comments before a block of shell commands say about its test. CONTRIBUTING.md lists them. */
export interface Directives {
  /** Why it is not run. */
  readonly notRun: string | null;
  /** Commands that make what it is about, such as `conversation`: functions of `given.sh`. */
  readonly given: readonly string[];
  /** The exit code that is expected. */
  readonly exits: number;
}

const KNOWN = /^(not run|given|exits|server|answer|file)(?:: (.+))?$/;

/** Whether a comment is meant for the test of commands. */
export const isDirective = (comment: string): boolean => KNOWN.test(comment);

export const isShell = ({ language }: Block): boolean => language === 'sh';

/** The answer of the block before. */
export const isAnswer = ({ comments }: Block): boolean => comments.includes('answer');

export function directivesOf({ comments }: Block): Directives {
  const values = (name: string): readonly string[] =>
    comments.flatMap((comment) => {
      const [, found, value] = KNOWN.exec(comment) ?? [];
      return found === name && value !== undefined ? [value] : [];
    });
  return { notRun: values('not run')[0] ?? null, given: values('given'), exits: Number(values('exits')[0] ?? 0) };
}

export const isRun = (block: Block): boolean => isShell(block) && directivesOf(block).notRun === null;

/** Whether commands.long.spec.ts runs the commands of this page. */
export const isRunnable = (file: string): boolean => file === 'README.md' || file.startsWith('docs/');

/** What is wrong with a fenced block: its language, or a comment before it that no test understands. */
export function problemsOf(block: Block): readonly string[] {
  if (/^(bash|shell|console|zsh|shell-session)$/.test(block.language)) return [`is tagged ${block.language}: write \`\`\`sh`];
  if (block.language === '') return ['has no language: write ```sh for commands, ```text for the rest'];
  if (!isShell(block) && !isAnswer(block)) return [];
  return block.comments.filter((comment) => !KNOWN.test(comment)).map((comment) => `has a comment that no test understands: ${comment}`);
}

/**
 * The settings of the server that the commands of a page need: null is one that all pages share, and `npm start` is started by the page itself. `./NAME` is a
 * file of the page.
 */
export function serverOf(blocks: readonly Block[], folder: string): 'npm start' | Readonly<Record<string, string>> | null {
  const comments = blocks.flatMap(({ comments: all }) => all.filter((comment) => comment.startsWith('server: ')));
  if (comments.length === 0) return null;
  const value = comments[0]!.slice('server: '.length);
  if (value === 'npm start') return value;
  const entries = value.split(' ').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const);
  return Object.fromEntries(entries.map(([name, text]) => [name, text.startsWith('./') ? path.join(folder, text) : text]));
}

/** The files that a page shows, by name: they are there before its server starts. */
export const filesOf = (blocks: readonly Block[]): readonly { readonly name: string; readonly text: string }[] =>
  blocks.flatMap(({ comments, text }) =>
    comments.filter((comment) => comment.startsWith('file: ')).map((comment) => ({ name: comment.slice('file: '.length), text })),
  );
