import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readMemoryCommand } from './memory-command.js';
import type { MemoryLimits } from './memory-limits.js';
import { directoriesAbove } from './memory-path.js';
import { linesOf, listing } from './memory-text.js';
import { restored } from './restored.js';
import { type MemoryResult, runMemoryCommand, withChanges } from './run-command.js';

const LIMITS: MemoryLimits = { fileBytes: 60, files: 4, bytes: 150 };
const ROOMY: MemoryLimits = { fileBytes: 100_000, files: 1_000, bytes: 1_000_000 };

const run = (files: ReadonlyMap<string, string>, input: object, limits = ROOMY): MemoryResult => {
  const read = readMemoryCommand(input as never);
  return 'fault' in read ? { text: read.fault, isError: true, changes: [] } : runMemoryCommand(files, read.value, limits);
};
const filesOf = (files: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(files));
const after = (files: ReadonlyMap<string, string>, input: object): Readonly<Record<string, string>> =>
  Object.fromEntries(withChanges(files, run(files, input).changes));

describe('a command', () => {
  const files = filesOf({ '/memories/notes.md': 'one\ntwo\nthree\n', '/memories/deep/er/x': 'x', '/memories/.hidden': 'h' });

  it('shows a file with numbers', () => {
    expect(run(files, { command: 'view', path: '/memories/notes.md' }).text).toBe(
      "Here's the content of /memories/notes.md with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree",
    );
    expect(run(files, { command: 'view', path: '/memories/notes.md', view_range: [2, -1] }).text).toMatch(/:\n {5}2\ttwo\n {5}3\tthree$/);
    expect(run(files, { command: 'view', path: '/memories/notes.md', view_range: [2, 2] }).text).toMatch(/:\n {5}2\ttwo$/);
  });

  it('shows a directory, two levels deep, without hidden files', () => {
    const deep = filesOf({ ...Object.fromEntries(files), '/memories/node_modules/a': 'a', '/memories/big': 'b'.repeat(1_536) });
    expect(listing(deep, '/memories').split('\n').slice(1)).toEqual([
      '1.5K\t/memories',
      '1.5K\t/memories/big',
      '1B\t/memories/deep',
      '1B\t/memories/deep/er',
      '14B\t/memories/notes.md',
    ]);
    expect(run(new Map(), { command: 'view', path: '/memories' })).toMatchObject({ isError: false, text: expect.stringMatching(/:\n0B\t\/memories$/) });
  });

  it('inserts after a line', () => {
    const at = (line: number, text: string) =>
      after(files, { command: 'insert', path: '/memories/notes.md', insert_line: line, insert_text: text })['/memories/notes.md'];
    expect([at(0, 'zero'), at(1, 'x\n'), at(3, 'four')]).toEqual(['zero\none\ntwo\nthree\n', 'one\nx\ntwo\nthree\n', 'one\ntwo\nthree\nfour']);
  });

  it('replaces a text as it stands, and shows where', () => {
    const input = { command: 'str_replace', path: '/memories/notes.md', old_str: 'two', new_str: "$& $1 $'" };
    expect(after(files, input)['/memories/notes.md']).toBe("one\n$& $1 $'\nthree\n");
    expect(run(files, input).text).toBe("The memory file has been edited.\n     1\tone\n     2\t$& $1 $'\n     3\tthree");
    expect(after(files, { ...input, new_str: undefined })['/memories/notes.md']).toBe('one\n\nthree\n');
  });

  it('names the first places of a text that occurs very often, in one pass over the file', () => {
    const files = filesOf({ '/memories/x': '\n'.repeat(60_000) });
    const { text } = run(files, { command: 'str_replace', path: '/memories/x', old_str: '\n', new_str: '' });
    expect(text).toContain(`in lines: ${Array.from({ length: 100 }, (_, index) => index + 1).join(', ')}. Please`);
    const some = filesOf({ '/memories/x': 'a\nb a\n\na' });
    expect(run(some, { command: 'str_replace', path: '/memories/x', old_str: 'a', new_str: '' }).text).toContain('in lines: 1, 2, 4.');
  });

  it('moves a directory with what is in it', () => {
    const input = { command: 'rename', old_path: '/memories/deep', new_path: '/memories/flat' };
    expect(run(files, input).changes).toEqual([
      { path: '/memories/deep/er/x', content: null },
      { path: '/memories/flat/er/x', content: 'x', renamedFrom: '/memories/deep/er/x' },
    ]);
  });

  it.each<readonly [string, object, string]>([
    ['a missing path', { command: 'view', path: '/memories/none' }, 'The path /memories/none does not exist. Please provide a valid path.'],
    [
      'lines that are not there',
      { command: 'view', path: '/memories/notes.md', view_range: [4, -1] },
      'Error: Invalid `view_range`: the file /memories/notes.md has 3 lines.',
    ],
    ['a file that exists', { command: 'create', path: '/memories/notes.md', file_text: '' }, 'Error: File /memories/notes.md already exists'],
    ['a directory', { command: 'create', path: '/memories/deep', file_text: '' }, 'Error: /memories/deep is a directory. Give the path of a file.'],
    [
      'a path below a file',
      { command: 'create', path: '/memories/notes.md/a', file_text: '' },
      'Error: /memories/notes.md is a file, so nothing can be below it. Choose another path, or rename that file first.',
    ],
    [
      'a text that is not there',
      { command: 'str_replace', path: '/memories/notes.md', old_str: 'ten', new_str: '' },
      'No replacement was performed, old_str `ten` did not appear verbatim in /memories/notes.md.',
    ],
    [
      'letters that are there often',
      { command: 'str_replace', path: '/memories/notes.md', old_str: 'o', new_str: '' },
      'No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 2. Please ensure it is unique',
    ],
    [
      'no file to edit',
      { command: 'str_replace', path: '/memories/deep', old_str: 'o', new_str: '' },
      'Error: The path /memories/deep does not exist. Please provide a valid path.',
    ],
    ['no file to insert into', { command: 'insert', path: '/memories/none', insert_line: 0, insert_text: '' }, 'Error: The path /memories/none does not exist'],
    [
      'a line too far',
      { command: 'insert', path: '/memories/notes.md', insert_line: 4, insert_text: '' },
      'Error: Invalid `insert_line` parameter: 4. It should be within the range of lines of the file: [0, 3]',
    ],
    ['nothing to delete', { command: 'delete', path: '/memories/none' }, 'Error: The path /memories/none does not exist'],
    ['the memory itself', { command: 'delete', path: '/memories' }, 'Error: /memories itself cannot be deleted. Delete the files in it.'],
    ['nothing to move', { command: 'rename', old_path: '/memories/none', new_path: '/memories/a' }, 'Error: The path /memories/none does not exist'],
    [
      'a destination that exists',
      { command: 'rename', old_path: '/memories/notes.md', new_path: '/memories/deep' },
      'Error: The destination /memories/deep already exists',
    ],
    [
      'a move into itself',
      { command: 'rename', old_path: '/memories/deep', new_path: '/memories/deep/a' },
      'Error: /memories/deep cannot be moved into itself. Choose a destination outside of it.',
    ],
    [
      'a move below a file',
      { command: 'rename', old_path: '/memories/deep', new_path: '/memories/notes.md/a' },
      expect.stringContaining('/memories/notes.md is a file') as never,
    ],
    [
      'the memory moved',
      { command: 'rename', old_path: '/memories', new_path: '/memories/a' },
      'Error: /memories itself cannot be renamed. Rename the files in it.',
    ],
    [
      'a range of a directory',
      { command: 'view', path: '/memories/deep', view_range: [1, 2] },
      'Error: `view_range` is for files, and /memories/deep is a directory. Leave it out.',
    ],
    ['a path outside', { command: 'view', path: '/memories/../etc/passwd' }, 'Error: The path "/memories/../etc/passwd" is not valid: it must not contain ...'],
    ['no command', { command: 'truncate', path: '/memories' }, 'Error: `command` must be one of view, create, str_replace, insert, delete, rename.'],
    ['an empty text', { command: 'str_replace', path: '/memories/notes.md', old_str: '' }, 'Error: `old_str` must not be empty.'],
    [
      'half a range',
      { command: 'view', path: '/memories/notes.md', view_range: [0, 2] },
      expect.stringContaining('`view_range` must be two line numbers') as never,
    ],
    ['no number', { command: 'insert', path: '/memories/notes.md', insert_line: '1', insert_text: '' }, 'Error: `insert_line` must be an integer.'],
    ['no text', { command: 'create', path: '/memories/a' }, 'Error: `file_text` must be a text.'],
  ])('refuses %s', (_, input, text) => {
    expect(run(files, input)).toEqual({ text, isError: true, changes: [] });
  });

  it('keeps to the limits, and says what to do', () => {
    const full = filesOf({ '/memories/a': 'a'.repeat(60), '/memories/b': 'b'.repeat(50) });
    expect(run(full, { command: 'create', path: '/memories/c', file_text: 'c'.repeat(61) }, LIMITS).text).toMatch(
      /would have 61 bytes, and a file may have at most 60\. Shorten/,
    );
    expect(run(full, { command: 'create', path: '/memories/c', file_text: 'é'.repeat(21) }, LIMITS).text).toMatch(
      /together would have 152 bytes, and may have at most 150\./,
    );
    expect(run(full, { command: 'create', path: '/memories/c', file_text: 'é'.repeat(20) }, LIMITS).isError).toBe(false);
    const many = filesOf({ '/memories/1': '', '/memories/2': '', '/memories/3': '', '/memories/4': '' });
    expect(run(many, { command: 'create', path: '/memories/5', file_text: '' }, LIMITS).text).toMatch(/There are 4 files, which is the limit\. Delete/);
    expect(run(many, { command: 'insert', path: '/memories/4', insert_line: 0, insert_text: 'x' }, LIMITS).isError).toBe(false);
    expect(restored(many, '/memories/5', 'x', LIMITS)).toMatchObject({ changes: [], fault: expect.stringContaining('There are 4 files') });
    expect(restored(many, '/memories/4', null, LIMITS)).toEqual({ changes: [{ path: '/memories/4', content: null }], fault: null });
    expect(restored(many, '/memories/4', '', LIMITS)).toEqual({ changes: [], fault: null });
  });
});

/** What each command does to a plain map, written as directly as can be; null: the command fails. */
function modelled(model: ReadonlyMap<string, string>, { command, ...input }: Readonly<Record<string, string>>): ReadonlyMap<string, string> | null {
  const { path = '', old_path: from = '', new_path: to = '', file_text: text = '', old_str: old = '', new_str: by = '', insert_text: added = '' } = input;
  const next = new Map(model);
  const below = (one: string): string[] => [...model.keys()].filter((key) => key === one || key.startsWith(`${one}/`));
  const isTaken = (one: string): boolean => one === '/memories' || below(one).length > 0;
  const isUnderFile = (one: string): boolean => [...model.keys()].some((key) => one.startsWith(`${key}/`));
  const fits = (): ReadonlyMap<string, string> | null => {
    const sizes = [...next.values()].map((one) => Buffer.byteLength(one));
    const isLarge = next.size > LIMITS.files || sizes.some((size) => size > LIMITS.fileBytes) || sizes.reduce((sum, size) => sum + size, 0) > LIMITS.bytes;
    return isLarge ? null : next;
  };
  const before = model.get(path);
  switch (command) {
    case 'view':
      return isTaken(path) ? model : null;
    case 'create':
      if (isTaken(path) || isUnderFile(path)) return null;
      next.set(path, text);
      return fits();
    case 'str_replace':
      if (before === undefined) return null;
      if (before.split(old).length !== 2 || before.indexOf(old) !== before.lastIndexOf(old)) return null;
      next.set(path, before.split(old).join(by));
      return fits();
    case 'insert': {
      const lines = linesOf(before ?? '');
      const at = Number(input['insert_line']);
      if (before === undefined || at > lines.length) return null;
      const rest = lines.slice(at).join('\n') + (at < lines.length && before.endsWith('\n') ? '\n' : '');
      const head = lines.slice(0, at).join('\n') + (at > 0 ? '\n' : '');
      next.set(path, head + added + (rest === '' || added.endsWith('\n') ? '' : '\n') + rest);
      return fits();
    }
    case 'delete':
      if (path === '/memories' || !isTaken(path)) return null;
      for (const key of below(path)) next.delete(key);
      return next;
    default:
      if (from === '/memories' || below(from).length === 0 || isTaken(to) || isUnderFile(to) || to.startsWith(`${from}/`)) return null;
      for (const key of below(from)) {
        next.delete(key);
        next.set(to + key.slice(from.length), model.get(key)!);
      }
      return next;
  }
}

describe('commands in any order', () => {
  const path = fc.constantFrom('/memories', '/memories/a', '/memories/b', '/memories/a/x', '/memories/a/y', '/memories/a/x/z', '/memories/A');
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '$&'), maxLength: 40 });
  const short = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 2 });
  const command = fc.oneof(
    fc.record({ command: fc.constant('view'), path }),
    fc.record({ command: fc.constant('create'), path, file_text: text }),
    fc.record({ command: fc.constant('str_replace'), path, old_str: short, new_str: text }),
    fc.record({ command: fc.constant('insert'), path, insert_line: fc.nat(4), insert_text: text }),
    fc.record({ command: fc.constant('delete'), path }),
    fc.record({ command: fc.constant('rename'), old_path: path, new_path: path }),
  );

  it('do what they do to a map, keep every file at a place of its own and within the limits', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let files: ReadonlyMap<string, string> = new Map();
        for (const input of commands) {
          const wanted = modelled(files, input as never);
          const { isError, changes } = run(files, input, LIMITS);
          expect([input, isError]).toEqual([input, wanted === null]);
          files = withChanges(files, changes);
          if (wanted) expect(files).toEqual(wanted);
          else expect(changes).toEqual([]);
          expect(new Set(changes.map((change) => change.path)).size).toBe(changes.length);
          for (const key of files.keys()) expect(directoriesAbove(key).some((directory) => files.has(directory))).toBe(false);
        }
      }),
    );
  });
});
