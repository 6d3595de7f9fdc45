import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { base64Bytes } from '../../packages/normalizer/media/base64.js';
import { wholeImage } from '../../packages/normalizer/media/whole-image.js';

const wholeOf = (data: Buffer) => {
  const bytes = base64Bytes(data.toString('base64'));
  return bytes && wholeImage(bytes);
};

/** With a gradient, so that its data does not compress to nothing. */
const picture = (width: number, height: number): Sharp =>
  sharp(
    Buffer.alloc(width * height * 3).map((_, at) => (at * 7 + (at >> 5)) & 0xff),
    { raw: { width, height, channels: 3 } },
  );

const KINDS: readonly (readonly [name: string, encode: (image: Sharp) => Sharp, needed: number])[] = [
  ['a PNG', (image) => image.png(), 0],
  ['a PNG with a palette', (image) => image.png({ palette: true, progressive: true }), 0],
  ['a JPEG', (image) => image.jpeg(), 0],
  ['a progressive JPEG', (image) => image.jpeg({ progressive: true, quality: 95 }), 0],
  [
    'a JPEG with notes',
    (image) =>
      image
        .jpeg()
        .withIccProfile('p3')
        .withMetadata({ exif: { IFD0: { Copyright: 'c'.repeat(9_000) } } }),
    0,
  ],
  ['a GIF', (image) => image.gif(), 1],
  ['a WebP', (image) => image.webp(), 0],
  ['a lossless WebP', (image) => image.webp({ lossless: true }), 0],
];

describe('an image', () => {
  it.each(KINDS)('that is whole is taken, and one that is cut off anywhere is not: %s', async (_, encode, spare) => {
    for (const [width, height] of [
      [1, 1],
      [40, 30],
      [333, 222],
    ] as const) {
      const whole = await encode(picture(width, height)).toBuffer();
      expect(wholeOf(whole)).toMatchObject({ width, height });
      expect(wholeOf(Buffer.concat([whole, Buffer.from('more data')]))).toMatchObject({ width, height });
      fc.assert(
        fc.property(fc.nat(whole.length - 1 - spare), (length) => expect(wholeOf(whole.subarray(0, length))).toBeUndefined()),
        { numRuns: 50 },
      );
    }
  });

  it('of several frames is taken', async () => {
    const frames = await sharp([await picture(20, 10).png().toBuffer(), await picture(20, 10).negate().png().toBuffer()], { join: { animated: true } })
      .gif()
      .toBuffer();
    expect(wholeOf(frames)).toMatchObject({ mediaType: 'image/gif' });
  });

  it('that is a PNG with a wrong byte in what a decoder needs is not taken', async () => {
    const whole = await picture(64, 64).png().toBuffer();
    fc.assert(
      fc.property(fc.integer({ min: 41, max: whole.length - 17 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const broken = Buffer.from(whole);
        broken[at]! ^= change;
        const isNeeded = ['IHDR', 'IDAT', 'PLTE', 'IEND'].some((type) => chunkAt(whole, at) === type);
        if (isNeeded) expect(wholeOf(broken)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('never makes the check throw or take long, whatever its bytes', () => {
    const start = fc.constantFrom('89504e470d0a1a0a0000000d49484452', 'ffd8ffe00004', '474946383961', '52494646ffffffff57454250565038200000');
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 200 }), (head, rest) => {
        wholeOf(Buffer.concat([Buffer.from(head, 'hex'), rest]));
      }),
    );
  });
});

/** The type of the chunk that has a byte in its data or type. */
function chunkAt(png: Buffer, place: number): string {
  for (let at = 8; at < png.length;) {
    const end = at + 12 + png.readUInt32BE(at);
    if (place < end) return place >= at + 4 ? png.toString('latin1', at + 4, at + 8) : '';
    at = end;
  }
  return '';
}
