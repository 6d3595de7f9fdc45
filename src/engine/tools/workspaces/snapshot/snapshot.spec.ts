import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { runs } from '../../../../../test/support/property-runs.js';
import { read } from './read.js';
import { scan } from './scan.js';
import type { FolderLimits, KnownFile, TaskInput } from './task.js';
import { write } from './write.js';

const limits: FolderLimits = { fileBytes: 1_000, bytes: 1_000_000, files: 5_000, depth: 20, ignored: [] };

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'verbatim-snapshot-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const folder = (): TaskInput => ({ root: mkdtempSync(path.join(directory, 'folder-')), account: null, task: { kind: 'read', paths: [], fileBytes: 0 } });
const NEVER = 2n ** 62n;
const look = (input: TaskInput, known: readonly KnownFile[] = [], tick = NEVER) => scan(input, { kind: 'scan', known, limits, tick });

it('reads no file of 2,000 that have not changed, one that has, and again what changed in the tick of the scan', () => {
  const input = folder();
  for (let n = 0; n < 2_000; n += 1) {
    if (n % 100 === 0) mkdirSync(path.join(input.root, String(n)));
    writeFileSync(path.join(input.root, String(n - (n % 100)), `file ${n}`), String(n));
  }
  const first = look(input);
  expect([first.files.length, first.hashed, first.unsure]).toEqual([2_000, 2_000, []]);
  expect(look(input, first.files).hashed).toBe(0);
  writeFileSync(path.join(input.root, '0', 'file 7'), 'longer');
  const second = look(input, first.files);
  expect(second.hashed).toBe(1);
  expect(look(input, second.files, 0n).unsure).toHaveLength(2_000);
});

const part = fc.constantFrom('a', 'b', 'new\nline', 'é', '..x', '.part');
const contents = fc
  .dictionary(
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    fc.record({ text: fc.string({ maxLength: 20 }), mode: fc.constantFrom(0o644, 0o600, 0o755) }),
  )
  .map((files) => Object.entries(files).filter(([name]) => !Object.keys(files).some((other) => other.startsWith(`${name}/`))));

it('makes any folder any other one, whatever was a file and is a folder', () => {
  fc.assert(
    fc.property(fc.array(contents, { minLength: 1, maxLength: 4 }), (states) => {
      const input = folder();
      for (const wanted of states) {
        const now = look(input).files.map((file) => file.path);
        const written = wanted.map(([name, { text, mode }]) => ({ path: name, mode, content: Buffer.from(text) }));
        write(input, { kind: 'write', removed: now.filter((name) => !wanted.some(([other]) => other === name)), written, recorded: now });
        const { files, skipped } = look(input);
        expect(skipped).toEqual([]);
        const found = read(
          input,
          files.map((file) => file.path),
          1_000_000,
        );
        expect(files.map((file) => [file.path, file.mode, Buffer.from(found.get(file.path)!).toString()]).toSorted()).toEqual(
          wanted.map(([name, { text, mode }]) => [name, mode, text]).toSorted(),
        );
      }
    }),
    runs(100),
  );
});

it('lists no file that a process was writing when it was killed', () => {
  const input = folder();
  writeFileSync(path.join(input.root, '.0123456789abcdef.part'), 'half of it');
  writeFileSync(path.join(input.root, 'a.part'), 'a file of the session');
  expect(look(input).files.map((file) => file.path)).toEqual(['a.part']);
});

it('reads no file that has more bytes than one may have, nor one that grows while it is read', () => {
  const input = folder();
  writeFileSync(path.join(input.root, 'large'), 'x'.repeat(11));
  writeFileSync(path.join(input.root, 'small'), 'x'.repeat(10));
  expect([...read(input, ['large', 'small', 'gone'], 10).keys()]).toEqual(['small']);
  // A file of /proc says that it is empty, and is not.
  expect(read({ ...input, root: '/proc/self' }, ['status'], 10)).toEqual(new Map());
});
