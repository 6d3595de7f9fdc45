import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as yieldOnce } from 'node:timers/promises';
import fc from 'fast-check';
import { itWith, ROOT } from '../../../../../test/support/needs.js';
import { runs } from '../../../../../test/support/property-runs.js';
import { read } from './read.js';
import { runTask } from './run-task.js';
import { scan } from './scan.js';
import { scanAgain } from './scan-memory.js';
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
const byPath = (a: KnownFile, b: KnownFile): number => (a.path < b.path ? -1 : 1);
const NO_SIZES: ReadonlyMap<string, number> = new Map();
const scanned = (input: TaskInput, known: readonly KnownFile[], recorded: ReadonlyMap<string, number>, within: FolderLimits, tick = NEVER) => {
  const found = scan(input, { limits: within, tick }, { files: new Map(known.map((file) => [file.path, file])), unsure: new Set(), recorded });
  return { ...found, files: [...found.files.values()] };
};
const look = (input: TaskInput, known: readonly KnownFile[] = [], tick = NEVER) => scanned(input, known, NO_SIZES, limits, tick);

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

it('leaves out new files where not all have room, and no recorded one that has not changed', () => {
  const sizes = fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'c/e', 'f', 'g/h/i'), fc.nat(20), { minKeys: 1 });
  fc.assert(
    fc.property(sizes, sizes, fc.nat(6), fc.nat(60), (old, now, files, bytes) => {
      const input = folder();
      const tight = { ...limits, files, bytes };
      const seen = (recorded: ReadonlyMap<string, number>) => scanned(input, [], recorded, tight);
      const fill = (contents: Readonly<Record<string, number>>): void => {
        for (const [name, size] of Object.entries(contents)) {
          mkdirSync(path.join(input.root, path.dirname(name)), { recursive: true });
          writeFileSync(path.join(input.root, name), 'x'.repeat(size));
        }
      };
      fill(old);
      const recorded = new Map(seen(new Map()).files.map((file) => [file.path, file.size]));
      fill(now);
      const found = seen(recorded);
      const kept = new Set(found.files.map((file) => file.path));
      for (const [name, size] of recorded) if (now[name] === undefined || now[name] === size) expect([name, kept.has(name)]).toEqual([name, true]);
      expect(kept.size).toBeLessThanOrEqual(files);
      expect(found.files.reduce((sum, file) => sum + file.size, 0)).toBeLessThanOrEqual(bytes);
      // What has room is there: nothing waits in vain.
      const [left, all] = [bytes - found.files.reduce((sum, file) => sum + file.size, 0), { ...old, ...now }];
      expect(Object.keys(all).toSorted()).toEqual([...kept, ...found.skipped.map((one) => one.path)].toSorted());
      for (const one of found.skipped) expect(one.reason === 'too_many' ? kept.size === files : all[one.path]! > left).toBe(true);
      rmSync(input.root, { recursive: true });
    }),
    runs(300),
  );
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

it('finds what a scan of all finds where only what differs from the scan before is passed, and says when it does not remember that one', () => {
  let id = 0;
  fc.assert(
    fc.property(fc.array(contents, { minLength: 1, maxLength: 4 }), fc.constantFrom(NEVER, 0n), (states, tick) => {
      const input = folder();
      const known = new Map<string, KnownFile>();
      for (const [index, wanted] of states.entries()) {
        const now = look(input).files.map((file) => file.path);
        const written = wanted.map(([name, { text, mode }]) => ({ path: name, mode, content: Buffer.from(text) }));
        write(input, { kind: 'write', removed: now.filter((name) => !wanted.some(([other]) => other === name)), written, recorded: now });
        const last = index === 0 ? [] : id;
        id += 1;
        const task = { kind: 'scan', id, known: last, recorded: index === 0 ? NO_SIZES : null, limits, tick } as const;
        const found = scanAgain(input, task)!;
        for (const path of found.gone) expect(known.delete(path)).toBe(true);
        for (const file of found.files) known.set(file.path, file);
        const all = look(input, [], tick);
        expect([...known.values()].sort(byPath)).toEqual(all.files.toSorted(byPath));
        expect(found.unsure.toSorted()).toEqual(all.unsure.toSorted());
        expect(scanAgain(input, { ...task, known: -1 })).toBe(null);
      }
      id += 1;
      const same = scanAgain(input, { kind: 'scan', id, known: id - 1, recorded: null, limits, tick })!;
      // In the tick 0 no signature tells whether its file changes again.
      expect([same.files, same.gone, same.hashed]).toEqual([[], [], tick === NEVER ? 0 : known.size]);
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

itWith(ROOT)('a device is named and never opened, and is kept under another name where a recorded file belongs', () => {
  const input = folder();
  execFileSync('mknod', [path.join(input.root, 'device'), 'c', '1', '5']); // /dev/zero: reading it never ends
  writeFileSync(path.join(input.root, 'file'), 'x');
  const { files, skipped } = look(input);
  expect(files.map((file) => file.path)).toEqual(['file']);
  expect(skipped).toEqual([{ path: 'device', reason: 'special' }]);
  expect([...read(input, ['device', 'file'], 1_000).keys()]).toEqual(['file']);
  write(input, { kind: 'write', removed: [], written: [{ path: 'device', mode: 0o644, content: Buffer.from('recorded') }], recorded: ['file'] });
  expect(Buffer.from(read(input, ['device'], 1_000).get('device')!).toString()).toBe('recorded');
  const kept = readdirSync(input.root).filter((name) => name.startsWith('device.unrecorded-'));
  expect(kept.map((name) => lstatSync(path.join(input.root, name)).isCharacterDevice())).toEqual([true]);
});

it('folders that are deleted, or become links that lead out, while they are read: the others are listed, and nothing outside', async () => {
  const [outside, input] = [folder(), folder()];
  writeFileSync(path.join(outside.root, 'secret'), 'not of the session');
  for (const name of ['a', 'm', 'z']) {
    mkdirSync(path.join(input.root, name));
    writeFileSync(path.join(input.root, name, 'stays'), name);
  }
  const deep = path.join(input.root, 'deep');
  const task = { kind: 'scan', id: 0, known: [], recorded: NO_SIZES, limits, tick: NEVER } as const;
  let isOver = false;
  const changes = (async () => {
    for (let round = 0; !isOver; round += 1) {
      for (let n = 0; n < 10; n += 1) {
        mkdirSync(path.join(deep, String(n), 'x'), { recursive: true });
        writeFileSync(path.join(deep, String(n), 'x', 'file'), String(round));
      }
      await yieldOnce();
      if (round % 2 === 0) rmSync(deep, { recursive: true });
      else {
        rmSync(path.join(deep, '7'), { recursive: true });
        symlinkSync(outside.root, path.join(deep, '7'));
        await yieldOnce();
        rmSync(deep, { recursive: true });
      }
    }
  })();
  for (let n = 0; n < 30; n += 1) {
    const { files } = (await runTask({ ...input, task }, 60_000))!;
    const listed = files.map((file) => file.path);
    expect(listed).toEqual(expect.arrayContaining(['a/stays', 'm/stays', 'z/stays']));
    expect(listed.filter((name) => name.endsWith('secret'))).toEqual([]);
    const found = await runTask({ ...input, task: { kind: 'read', paths: [...listed, 'deep/7/secret'], fileBytes: 1_000 } }, 60_000);
    expect(found.has('deep/7/secret')).toBe(false);
  }
  isOver = true;
  await changes;
  expect(readdirSync(outside.root)).toEqual(['secret']);
});
