import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ShellOutput } from '../../src/engine/tools/bash/shell-output.js';

/** Cut anywhere, even inside a character. */
function pieces(text: string, cuts: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function kept(limit: number, chunks: readonly Uint8Array[]) {
  const output = new ShellOutput(limit);
  for (const chunk of chunks) output.add(chunk);
  return output.end();
}

describe('the kept output of a command', () => {
  const readable = fc.string({ unit: 'grapheme', maxLength: 400 }).filter((text) => !/\p{Cc}/u.test(text));

  it('is the whole output up to the limit', () => {
    fc.assert(
      fc.property(readable, fc.array(fc.nat(), { maxLength: 8 }), (text, cuts) => {
        expect(kept(Math.max(text.length, 1), pieces(text, cuts))).toEqual({ text, isTruncated: false });
      }),
    );
  });

  it('is the beginning and the end of a longer output, with the number of characters between', () => {
    fc.assert(
      fc.property(readable, fc.array(fc.nat(), { maxLength: 8 }), fc.integer({ min: 2, max: 50 }), (text, cuts, limit) => {
        fc.pre(text.length > limit);
        const result = kept(limit, pieces(text, cuts));
        const [, head = '', left = '', tail = ''] = /^([^]*)\n\n\[(\d+) characters were left out here[^\]]*\]\n\n([^]*)$/.exec(result.text) ?? [];
        expect(result.isTruncated).toBe(true);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThanOrEqual(limit);
        expect(head.length + Number(left) + tail.length).toBe(text.length);
        expect(result.text.isWellFormed()).toBe(true);
      }),
    );
  });

  it('is printable for any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 }), (chunks) => {
        const { text } = kept(100, chunks);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/[\0\x07\x08\x7f]/); // oxlint-disable-line eslint/no-control-regex
      }),
    );
  });

  it('uses memory for the kept characters only', () => {
    const output = new ShellOutput(1_000);
    const chunk = Buffer.alloc(65_536, 'x');
    for (let index = 0; index < 1_000; index += 1) output.add(chunk);
    expect(output.length).toBe(65_536_000);
    expect(output.last(10)).toBe('xxxxxxxxxx');
    expect(output.end().text.length).toBeLessThan(1_200);
  });
});
