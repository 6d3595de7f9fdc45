import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { base64Bytes } from '../../packages/normalizer/media/base64.js';
import { imageHeader } from '../../packages/normalizer/media/image-header.js';

const FORMATS = ['png', 'jpeg', 'gif', 'webp'] as const;
const side = fc.integer({ min: 1, max: 700 });

const picture = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 9, g: 120, b: 40, alpha: 0.5 } } });

const headerOf = (data: Buffer) => {
  const bytes = base64Bytes(data.toString('base64'));
  return bytes && imageHeader(bytes);
};

describe('imageHeader', () => {
  it.each(FORMATS)('reads type and size of a %s', async (format) => {
    const property = fc.asyncProperty(side, side, async (width, height) => {
      expect(headerOf(await picture(width, height).toFormat(format).toBuffer())).toEqual({
        mediaType: `image/${format}`,
        width,
        height,
      });
    });
    await fc.assert(property, { numRuns: 10 });
  });

  it.each([
    ['a lossless WebP', (image: Sharp) => image.webp({ lossless: true })],
    ['an extended WebP', (image: Sharp) => image.webp().withMetadata({ exif: { IFD0: { Copyright: 'c' } } })],
    ['a progressive JPEG', (image: Sharp) => image.jpeg({ progressive: true })],
    [
      'a JPEG with a profile and notes before its frame',
      (image: Sharp) =>
        image
          .jpeg()
          .withIccProfile('p3')
          .withMetadata({ exif: { IFD0: { Copyright: 'c'.repeat(9000) } } }),
    ],
  ])('reads %s', async (_, encode) => {
    expect(headerOf(await encode(picture(321, 123, 4)).toBuffer())).toMatchObject({ width: 321, height: 123 });
  });

  it('returns undefined for other bytes', () => {
    const noise = fc.uint8Array({ maxLength: 64 }).filter((bytes) => !/^(\x89PNG|GIF8|RIFF|\xff\xd8)/.test(Buffer.from(bytes).toString('latin1')));
    fc.assert(fc.property(noise, (bytes) => expect(headerOf(Buffer.from(bytes))).toBeUndefined()));
  });

  it('returns undefined for a truncated image', async () => {
    const jpeg = await picture(64, 64).jpeg().toBuffer();
    fc.assert(
      fc.property(fc.nat(jpeg.length), (length) => {
        const header = headerOf(jpeg.subarray(0, length));
        if (header) expect(header).toEqual({ mediaType: 'image/jpeg', width: 64, height: 64 });
      }),
    );
  });
});

describe('base64Bytes', () => {
  it('decodes every byte, with and without padding', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const padded = Buffer.from(bytes).toString('base64');
      for (const text of [padded, padded.replace(/=+$/, '')]) {
        const read = base64Bytes(text);
        expect(read && Array.from({ length: read.length }, (_, index) => read.at(index))).toEqual([...bytes]);
      }
    });
    fc.assert(property);
  });

  it.each(['a', 'ab=', 'a b=', 'ab-_', 'é', '====='])('rejects %j', (text) => {
    expect(base64Bytes(text)).toBeUndefined();
  });
});
