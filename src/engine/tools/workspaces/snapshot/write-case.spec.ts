import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import * as disk from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TaskInput } from './task.js';

/** The path as a disk finds it that does not tell upper from lower case. */
function found(given: string): string {
  const [folder, name] = [path.dirname(given), path.basename(given)];
  const names = disk.existsSync(folder) ? disk.readdirSync(folder) : [];
  return names.includes(name) ? given : path.join(folder, names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name);
}

// Links of /proc lead to the folder itself: only the last part is looked up.
const folding = {
  lstatSync: (at: string, options?: object) => disk.lstatSync(found(at), options),
  openSync: (at: string, flags: number, mode?: number) => disk.openSync(found(at), flags, mode),
  mkdirSync: (at: string, mode: number) => disk.mkdirSync(found(at), mode),
  renameSync: (from: string, to: string) => disk.renameSync(found(from), found(to)),
  unlinkSync: (at: string) => disk.unlinkSync(found(at)),
};
jest.unstable_mockModule('node:fs', () => ({ ...disk, ...folding }));
const { write } = await import('./write.js');

let directory: string;
beforeAll(() => {
  directory = disk.mkdtempSync(path.join(tmpdir(), 'verbatim-case-'));
});
afterAll(() => disk.rmSync(directory, { recursive: true, force: true }));

const put = (root: string, names: readonly string[], recorded: readonly string[] = []): void => {
  const input: TaskInput = { root, account: null, task: { kind: 'read', paths: [], fileBytes: 0 } };
  write(input, { kind: 'write', removed: [], written: names.map((name) => ({ path: name, mode: 0o644, content: Buffer.from(name) })), recorded });
};

it.each([
  ['in one batch', [['a', 'A']]],
  ['in an earlier batch', [['a'], ['A']]],
  ['as a folder', [['dir/one'], ['DIR/two']]],
  ['as a folder, of a file', [['a'], ['A/two']]],
  ['as a file, of a folder', [['dir/one'], ['DIR']]],
])('a file whose name differs in case from one that is there %s is an error, and that one stays as it is', (_, batches) => {
  const root = disk.mkdtempSync(path.join(directory, 'folder-'));
  const first = batches[0]![0]!;
  expect(() => {
    for (const batch of batches) put(root, batch);
  }).toThrow(expect.objectContaining({ code: 'ECASE' }));
  expect(disk.readFileSync(path.join(root, first), 'utf8')).toBe(first);
});

it('what is recorded is replaced, and what something else has made is kept under another name, with the case of each', () => {
  const root = disk.mkdtempSync(path.join(directory, 'folder-'));
  put(root, ['a', 'Dir/b']);
  put(root, ['a', 'Dir/b', 'Dir/c'], ['a', 'Dir/b']);
  put(root, ['a']);
  expect(
    disk
      .readdirSync(root)
      .map((name) => name.replace(/-.*/, ''))
      .toSorted(),
  ).toEqual(['Dir', 'a', 'a.unrecorded']);
  expect(disk.readdirSync(path.join(root, 'Dir')).toSorted()).toEqual(['b', 'c']);
});
