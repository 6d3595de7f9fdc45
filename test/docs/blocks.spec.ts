import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { glob } from 'tinyglobby';
import { readSettings } from '../../src/platform/config/env.js';
import { isAnswer, isDirective, isRun, isRunnable, isShell, problemsOf } from './directives.js';
import { type Block, blocksOf, type Page, pages, ROOT } from './markdown.js';

let all: readonly Page[];
beforeAll(async () => {
  all = await pages();
});

/** What is wrong with the blocks of all pages, each with its place. */
const wrongBlocks = (problems: (block: Block, page: Page) => readonly string[]): readonly string[] =>
  all.flatMap((page) => blocksOf(page).flatMap((block) => problems(block, page).map((problem) => `${page.file}:${block.line} ${problem}`)));

function problemIn(what: () => unknown): readonly string[] {
  try {
    what();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

const settingsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/^([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));

describe('the blocks of the Markdown files', () => {
  it('of commands are run by a test, or say why they cannot be', () => {
    const unrun = 'is run by no test: say why in a comment before it, <!-- not run: REASON -->';
    expect(wrongBlocks((block, { file }) => (isRun(block) && !isRunnable(file) ? [unrun] : problemsOf(block)))).toEqual([]);
  });

  it('have the comments for their test directly before them, and answers after commands that are run', () => {
    const lost = all.flatMap((page) => {
      const read = blocksOf(page).flatMap(({ comments }) => comments.filter(isDirective)).length;
      const written = page.lines.filter(({ text, isCode }) => !isCode && isDirective(/^\s*<!-- (.*) -->$/.exec(text)?.[1] ?? '')).length;
      return written === read ? [] : [`${page.file} has a comment for the test of its commands that is not directly before a block`];
    });
    const isLate = (blocks: readonly Block[], index: number): boolean => {
      const commands = blocks.slice(0, index).findLast(isShell);
      return isAnswer(blocks[index]!) && !(commands && isRun(commands));
    };
    const late = all.flatMap((page) =>
      blocksOf(page).flatMap(({ line }, index, blocks) => (isLate(blocks, index) ? [`${page.file}:${line} is the answer to no command that is run`] : [])),
    );
    expect([...lost, ...late]).toEqual([]);
  });

  it('of JSON can be read', () => {
    expect(wrongBlocks(({ language, text }) => (language === 'json' ? problemIn(() => JSON.parse(text)) : []))).toEqual([]);
  });

  it('of settings name those that exist, with values that the server accepts', async () => {
    const known = settingsIn((await readFile(path.join(ROOT, '.env.example'), 'utf8')).replaceAll(/^# ?(?=[A-Z])/gm, ''));
    const isSettings = ({ language }: Block): boolean => language === 'ini';
    expect(
      wrongBlocks((block) =>
        isSettings(block)
          ? Object.keys(settingsIn(block.text))
              .filter((name) => !(name in known))
              .map((name) => `names ${name}`)
          : [],
      ),
    ).toEqual([]);
    const refused = all.flatMap((page) => {
      const settings = blocksOf(page)
        .filter(isSettings)
        .map(({ text }) => settingsIn(text));
      return problemIn(() => readSettings(Object.assign({}, ...settings) as Record<string, string>)).map((problem) => `${page.file}: ${problem}`);
    });
    expect(refused).toEqual([]);
  });
});

it('what only tests read from the environment is named in CONTRIBUTING.md alone', async () => {
  const example = await readFile(path.join(ROOT, '.env.example'), 'utf8');
  const tests = await glob('test/**/*.ts', { cwd: ROOT, absolute: true });
  const texts = await Promise.all(tests.map((file) => readFile(file, 'utf8')));
  const read = new Set(texts.flatMap((text) => [...text.matchAll(/process\.env\['([A-Z]+(?:_[A-Z]+)+|FAULTS)'\]/g)].map(([, name]) => name!)));
  const knobs = [...read].filter((name) => !example.includes(`${name}=`));
  expect(knobs).toContain('FAULTS');
  const named = all
    .filter(({ file }) => !['CONTRIBUTING.md', 'CHANGELOG.md'].includes(file) && !file.startsWith('docs/decisions/'))
    .flatMap(({ file, lines }) =>
      lines.flatMap(({ text, number }) => knobs.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).map((name) => `${file}:${number} names ${name}`)),
    );
  expect(named).toEqual([]);
});
