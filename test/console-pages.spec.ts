import { expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { SESSION_VIEWS } from './console/support/views.js';

it('docs/console.md has a row for every view of a session', async () => {
  const page = await readFile('docs/console.md', 'utf8');
  expect(SESSION_VIEWS.filter((view) => !page.includes(`| \`/sessions/ID/${view}\` |`))).toEqual([]);
});

/** Keys that the views of the console take: those of actions and of `useKeys`, one character each. */
async function keysTaken(): Promise<readonly string[]> {
  const files = (await readdir('web/src', { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const sources = await Promise.all(files.map((file) => readFile(path.join('web/src', file), 'utf8')));
  return sources.flatMap((source) => [...source.matchAll(/\bkey: '(.)'/g)].map(([, key]) => key!));
}

it('no key of the console has two meanings, and the help names each', async () => {
  const taken = await keysTaken();
  expect(taken.length).toBeGreaterThan(10);
  expect(taken.filter((key, index) => taken.indexOf(key) !== index)).toEqual([]);
  const [, help = ''] = /export const HELP[^=]*= \[([^]*?)\n\];/.exec(await readFile('web/src/app/keyboard.ts', 'utf8')) ?? [];
  const named = new Set([...help.matchAll(/^ {6}\['([^']+)'/gm)].flatMap(([, keys]) => keys!.split(/,? /)));
  expect(taken.filter((key) => !named.has(key))).toEqual([]);
});

it('every module of tests in test/console is called by a spec', async () => {
  const files = (await readdir('test/console')).filter((file) => file.endsWith('.ts'));
  const sources = await Promise.all(files.map((file) => readFile(path.join('test/console', file), 'utf8')));
  const made = sources.flatMap((source) => [...source.matchAll(/^export function (\w+Tests)\(/gm)].map(([, name]) => name!));
  const specs = sources.filter((_, index) => files[index]!.endsWith('.spec.ts')).join('\n');
  expect(made.length).toBeGreaterThan(10);
  expect(made.filter((name) => !new RegExp(`^\\s+${name}\\(`, 'm').test(specs))).toEqual([]);
});
