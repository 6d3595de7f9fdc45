import { expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled, this file lies in dist/test. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const FOLDERS = ['packages', 'src', 'web/src', 'clients/typescript/src', 'clients/session-store/src', 'docs', 'test', 'bench', 'ops'];

/** Where such a word has to stand: texts that are sent, and the earlier names of settings. */
const ALLOWED: readonly string[] = [
  'packages/protocol/message/wire-texts.ts',
  'src/platform/config/earlier-names.ts',
  'src/platform/config/env.spec.ts',
  'test/words.spec.ts',
];

async function wordsNotToUse(): Promise<readonly string[]> {
  const contributing = await readFile(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const table = contributing.slice(contributing.indexOf('\n## Words\n'), contributing.indexOf('\n## Rules\n'));
  return table
    .split('\n')
    .flatMap((line) => (line.startsWith('| ') && !line.startsWith('| write ') ? line.split(' | ')[1]!.replace(/ \|$/, '').split(', ') : []));
}

it('words that have a standard term are not used', async () => {
  const words = await wordsNotToUse();
  expect(words.length).toBeGreaterThan(5);
  const pattern = new RegExp(`\\b(${words.join('|')})\\b`, 'i');
  const found: string[] = [];
  for (const folder of FOLDERS) {
    for (const name of await readdir(path.join(ROOT, folder), { recursive: true })) {
      const file = path.join(folder, name);
      if (!/\.(tsx?|md)$/.test(file) || file.includes('node_modules') || ALLOWED.includes(file)) continue;
      const lines = (await readFile(path.join(ROOT, file), 'utf8')).split('\n');
      lines.forEach((line, index) => {
        const word = pattern.exec(line.replaceAll(/\]\([^)]*\)/g, ''))?.[1];
        if (word !== undefined) found.push(`${file}:${index + 1} says "${word}"`);
      });
    }
  }
  expect(found).toEqual([]);
});
