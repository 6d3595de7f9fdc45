import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cut, cutToBytes, shorten, utf8Length } from './text.js';

const text = fc.string({ unit: 'grapheme' });

describe('cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['ab🧵', 3, 'ab'],
    ['ab🧵', 4, 'ab🧵'],
    ['🧵', 0, ''],
  ])('cuts %j to %i units: %j', (whole, length, expected) => {
    expect(cut(whole, length)).toBe(expected);
  });

  it('keeps a beginning that is well-formed where the text is, and short of the limit by one unit at most', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (whole, length) => {
        const kept = cut(whole, length);
        expect(whole.startsWith(kept) && kept.isWellFormed()).toBe(true);
        expect(Math.min(whole.length, length) - kept.length).toBeLessThanOrEqual(1);
        expect(shorten(whole, length)).toBe(whole.length > length ? `${kept}…` : whole);
      }),
    );
  });
});

it('cuts to bytes of UTF-8 without splitting a character', () => {
  fc.assert(
    fc.property(text, fc.nat(40), (whole, bytes) => {
      const kept = cutToBytes(whole, bytes);
      expect(whole.startsWith(kept) && kept.isWellFormed() && utf8Length(kept) <= bytes).toBe(true);
      if (kept !== whole) expect(utf8Length(whole.slice(0, kept.length + 2))).toBeGreaterThan(bytes);
    }),
  );
});
