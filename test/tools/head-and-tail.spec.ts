import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HeadAndTail } from '../../src/adapters/tools/bash/head-and-tail.js';

/** Cut anywhere, even inside a character. */
function pieces(text: string, cuts: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function kept(limit: number, chunks: readonly Uint8Array[]) {
  const output = new HeadAndTail(limit);
  for (const chunk of chunks) output.add(chunk);
  return output.end();
}

describe('what is kept of an output', () => {
  const readable = fc.string({ unit: 'grapheme', maxLength: 400 }).filter((text) => !/\p{Cc}/u.test(text));

  it('is all of it as long as it fits', () => {
    fc.assert(
      fc.property(readable, fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
        expect(kept(Math.max(text.length, 1), pieces(text, cuts))).toEqual({ text, cut: false });
      }),
    );
  });

  it('is its beginning and its end, and how much lies between', () => {
    fc.assert(
      fc.property(readable, fc.array(fc.nat(), { maxLength: 8 }), fc.integer({ min: 2, max: 50 }), (text, cuts, limit) => {
        fc.pre(text.length > limit);
        const result = kept(limit, pieces(text, cuts));
        const [, head = '', left = '', tail = ''] = /^([^]*)\n\n\[(\d+) characters were left out here[^\]]*\]\n\n([^]*)$/.exec(result.text) ?? [];
        expect(result.cut).toBe(true);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThanOrEqual(limit);
        expect(head.length + Number(left) + tail.length).toBe(text.length);
        expect(result.text.isWellFormed()).toBe(true);
      }),
    );
  });

  it('can be read, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 }), (chunks) => {
        const { text } = kept(100, chunks);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/[\0\x07\x08\x7f]/); // oxlint-disable-line eslint/no-control-regex
      }),
    );
  });

  it('costs no more for a long output than what is kept', () => {
    const output = new HeadAndTail(1_000);
    const chunk = Buffer.alloc(65_536, 'x');
    for (let index = 0; index < 1_000; index += 1) output.add(chunk);
    expect(output.length).toBe(65_536_000);
    expect(output.last(10)).toBe('xxxxxxxxxx');
    expect(output.end().text.length).toBeLessThan(1_200);
  });
});
