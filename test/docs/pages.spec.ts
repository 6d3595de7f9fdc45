import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { anchorsOf, linksOf, type Page, pages, ROOT } from './markdown.js';

const INDEX = 'docs/README.md';

let all: readonly Page[];
beforeAll(async () => {
  all = await pages();
});

/** The file that a link leads to, relative to the root, and the anchor in it; null: another site. */
function destination(page: Page, target: string): { readonly file: string; readonly anchor: string } | null {
  if (/^[a-z]+:/.test(target)) return null;
  const [file = '', anchor = ''] = target.split('#');
  return { file: file === '' ? page.file : path.posix.join(path.posix.dirname(page.file), decodeURI(file)), anchor };
}

describe('the Markdown files', () => {
  it('have no link to a file or heading that does not exist', () => {
    const anchors = new Map(all.map((page) => [page.file, anchorsOf(page)]));
    const dead = all.flatMap((page) =>
      linksOf(page).flatMap(({ line, target }) => {
        const to = destination(page, target);
        if (to === null) return [];
        const isThere = existsSync(path.join(ROOT, to.file)) && (to.anchor === '' || !anchors.has(to.file) || anchors.get(to.file)!.has(to.anchor));
        return isThere ? [] : [`${page.file}:${line} links to ${target}, which does not exist`];
      }),
    );
    expect(dead).toEqual([]);
  });

  it('have no mark of a merge that was not resolved', () => {
    const marks = all.flatMap(({ file, lines }) =>
      lines.filter(({ text }) => /^(?:<{7}|={7}|>{7})(?: |$)/.test(text)).map(({ number }) => `${file}:${number}`),
    );
    expect(marks).toEqual([]);
  });

  it('of docs are each listed once in the index', () => {
    const index = all.find(({ file }) => file === INDEX)!;
    const listed = linksOf(index).map(({ target }) => destination(index, target)?.file);
    const isSingleDecision = (file: string): boolean => file.startsWith('docs/decisions/') && file !== 'docs/decisions/README.md';
    const toList = all.map(({ file }) => file).filter((file) => file.startsWith('docs/') && file !== INDEX && !isSingleDecision(file));
    const wrong = toList
      .map((file) => ({ file, times: listed.filter((other) => other === file).length }))
      .filter(({ times }) => times !== 1)
      .map(({ file, times }) => `${file} is listed ${times} times in ${INDEX}`);
    expect(wrong).toEqual([]);
  });

  it('say of each change once, in the changelog', () => {
    const { lines } = all.find(({ file }) => file === 'CHANGELOG.md')!;
    const entries = lines.filter(({ text }) => text.startsWith('- ')).map(({ number, text }) => ({ number, begins: text.split(/[.,:;(]/)[0]! }));
    const again = entries.filter(({ begins }, index) => entries.findIndex((entry) => entry.begins === begins) < index);
    expect(again.map(({ number, begins }) => `CHANGELOG.md:${number} begins as an entry before it: ${begins}`)).toEqual([]);
  });

  it('that are how-to guides have at most 900 words and begin with what to do', () => {
    const wrong = all
      .filter(({ file }) => file.startsWith('docs/how-to/'))
      .flatMap((page) => {
        const words = page.lines.flatMap(({ text }) => text.split(/\s+/)).filter((word) => word !== '').length;
        const first = page.lines.findIndex(({ isCode }) => isCode);
        const before = page.lines.slice(1, first === -1 ? undefined : first).flatMap(({ text }) => (text.startsWith('<!--') ? [] : text.split(/\s+/)));
        return [
          ...(words > 900 ? [`${page.file} has ${words} words`] : []),
          ...(first === -1 || before.filter((word) => word !== '').length > 70 ? [`${page.file} does not begin with a command or setting`] : []),
        ];
      });
    expect(wrong).toEqual([]);
  });

  it('that are decisions have one form, and the status that the index gives them', () => {
    const decisions = all.filter(({ file }) => /^docs\/decisions\/\d/.test(file));
    const index = all.find(({ file }) => file === 'docs/decisions/README.md')!;
    const statusIn = (file: string): string | undefined =>
      index.lines
        .find(({ text }) => text.includes(`](${path.basename(file)}) | `))
        ?.text.split(' | ')
        .at(-1)
        ?.replace(/ \|$/, '');
    const wrong = decisions.flatMap(({ file, lines }) => {
      const [title = '', empty, status = ''] = lines.map(({ text }) => text);
      const parts = lines.flatMap(({ text }) => /^\*\*(What|Why|Price|Not chosen)\.\*\*/.exec(text)?.[1] ?? []);
      return [
        ...(/^# [A-Z`]/.test(title) && empty === '' ? [] : [`${file} does not begin with a title in words`]),
        ...(status.startsWith('Status: ') ? [] : [`${file} has no status in its third line`]),
        ...(statusIn(file) !== undefined && status.startsWith(`Status: ${statusIn(file)}`) ? [] : [`${file} is not listed with its status`]),
        ...(parts[0] === 'What' && parts[1] === 'Why' ? [] : [`${file} does not say first what, then why`]),
      ];
    });
    expect(wrong).toEqual([]);
  });
});
