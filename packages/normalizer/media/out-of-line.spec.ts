import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BlobSource, Json } from '../../protocol/message/content.js';
import { hasInlineBytes, mapInlineBytes, storedBytesIn, withInlineBytes } from './out-of-line.js';

const base64 = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const mediaType = fc.constantFrom('image/png', 'image/jpeg', 'application/pdf');

/** JSON of any shape, with bytes in any place. */
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.jsonValue() as fc.Arbitrary<Json>,
    fc.record({ type: fc.constant('base64'), media_type: mediaType, data: base64 }),
    fc.record({ type: mediaType, base64, originalSize: fc.nat() }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
  ),
}));

const nameOf = (bytes: string): string => Buffer.from(bytes).toString('hex');

it('bytes leave a value of any shape and come back to the same places', () => {
  fc.assert(
    fc.property(value, (given) => {
      const stored = new Map<string, string>();
      const out = mapInlineBytes(given, (bytes): BlobSource => {
        const sha256 = nameOf(bytes.base64);
        stored.set(sha256, bytes.base64);
        return { type: 'blob', media_type: bytes.mediaType, sha256, bytes: 1 };
      });
      expect(hasInlineBytes(out)).toBe(false);
      expect(hasInlineBytes(given)).toBe(stored.size > 0);
      if (stored.size === 0) expect(out).toBe(given);
      expect(new Set(storedBytesIn(out).map(({ sha256 }) => sha256))).toEqual(new Set(stored.keys()));
      expect(withInlineBytes(out, ({ sha256 }) => stored.get(sha256))).toEqual(given);
    }),
  );
});

it('what only looks like a reference stays', () => {
  const given = { type: 'blob', sha256: 'a', of: [{ base64: { type: 'blob', sha256: 'b' } }] };
  expect(withInlineBytes(given, () => undefined)).toEqual(given);
});
