import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WithoutMember } from './without-member.js';

const MOST = 100_000;

function without(text: string, cuts: readonly number[] = [], most = MOST): unknown {
  const bytes = Buffer.from(text);
  const parts = new WithoutMember('big', most);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((one, other) => one - other);
  ends.forEach((end, index) => parts.add(bytes.subarray(ends[index - 1] ?? 0, end)));
  const short = parts.result();
  return short === null ? null : JSON.parse(short.toString());
}

describe('an object without one member', () => {
  const name = fc.constantFrom('big', 'bi', 'bigger', 'a', 'b"ig', 'big\\', '');
  const value = fc.oneof(fc.jsonValue(), name, fc.dictionary(name, fc.jsonValue()));

  it('has null in its place, however it is cut into pieces', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.nat(2), fc.array(fc.nat(500)), (object, indent, cuts) => {
        const text = JSON.stringify(object, null, indent);
        expect(without(text, cuts)).toEqual('big' in object ? { ...JSON.parse(text), big: null } : null);
      }),
    );
  });

  it('is nothing when it is still too large', () => {
    const text = JSON.stringify({ big: 'x'.repeat(500), other: 'y'.repeat(50) });
    expect(without(text, [], 40)).toBeNull();
    expect(without(text, [], 100)).toMatchObject({ big: null });
  });
});
