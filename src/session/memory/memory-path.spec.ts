import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { directoriesAbove, memoryPath } from './memory-path.js';

describe('a path of the memory', () => {
  it('has one form', () => {
    for (const [given, path] of [
      ['/memories', '/memories'],
      ['/memories/', '/memories'],
      ['/memories//a/./b.md/', '/memories/a/b.md'],
      ['/memories/Cafe\u0301', '/memories/Caf\u00e9'],
      ['/memories/100% sure 🧵', '/memories/100% sure 🧵'],
    ] as const)
      expect(memoryPath(given)).toEqual({ path });
  });

  it.each([
    ...[
      '',
      'memories/a',
      '/',
      '/a',
      '/memoriesX/a',
      '/Memories/a',
      '//etc',
      '/memories/../etc',
      '/memories/a/..',
      '/memories\\a',
      '/memories/..\\a',
      './memories/a',
    ],
    ...[
      '/memories/%2e%2e%2fa',
      '/memories/%2E',
      '/memories/%252e',
      '/memories/a%00',
      '/memories/\0',
      '/memories/a\nb',
      '/memories/\u202eb',
      '/memories/\ud800',
      '/memories/a\u200b',
    ],
    ...[
      `/memories/${'x'.repeat(256)}`,
      `/memories/${'é'.repeat(128)}`,
      `/memories${'/a'.repeat(17)}`,
      `/memories/${'x'.repeat(200)}${`/${'y'.repeat(210)}`.repeat(4)}`,
    ],
  ])('%j is none', (given) => {
    expect(memoryPath(given)).toEqual({ fault: expect.stringMatching(/^The path .* is not valid: it must /) });
  });

  it('stays below /memories, whatever is given, and its form is its own form', () => {
    const piece = fc.oneof(fc.constantFrom('..', '.', '', '%2e', '\\', '/', 'memories', 'a', '\0', '~', ' '), fc.string({ unit: 'binary', maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.boolean(), (pieces, isRooted) => {
        const read = memoryPath((isRooted ? '/memories/' : '') + pieces.join('/'));
        if ('fault' in read) return;
        expect(read.path === '/memories' || read.path.startsWith('/memories/')).toBe(true);
        expect(read.path.split('/')).not.toContain('..');
        expect(memoryPath(read.path)).toEqual(read);
      }),
    );
  });

  it('has the directories above it', () => {
    expect(directoriesAbove('/memories/a/b/c')).toEqual(['/memories/a/b', '/memories/a', '/memories']);
    expect(directoriesAbove('/memories')).toEqual([]);
  });
});
