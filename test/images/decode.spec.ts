import { describe, expect, it } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import { fitImage } from '../../src/engine/images/decode.js';
import type { ImageBox } from '../../packages/normalizer/media/image-size.js';

const BOX: ImageBox = { pixelsPerSide: 200, patches: 1_000, base64Bytes: 1_000_000 };
const LIMITS = { maxPixels: 4_000_000, timeoutMs: 15_000 };
const FORMATS = ['jpeg', 'png', 'gif', 'webp'] as const;

const noise = (width: number, height: number, channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width, height, channels, background: { r: 128, g: 90, b: 60, alpha: 0.5 }, noise: { type: 'gaussian', mean: 128, sigma: 40 } } });
const plain = (width: number, height: number): Sharp => sharp({ create: { width, height, channels: 3, background: '#336699' } });

const fit = (content: Uint8Array, box: Partial<ImageBox> = {}) => fitImage(content, { ...BOX, ...box }, LIMITS);
const reason = (content: Uint8Array): Promise<string> =>
  fit(content).then(
    () => 'was taken',
    (error: { reason?: string }) => error.reason ?? String(error),
  );

describe('an image that fits', () => {
  it.each(FORMATS)('is returned unchanged: %s', async (format) => {
    const content = await noise(120, 80).toFormat(format).toBuffer();
    expect(await fit(content)).toEqual({ mediaType: `image/${format}`, width: 120, height: 80, original: { width: 120, height: 80 }, content: null });
  });

  it('is returned unchanged in greyscale, with a palette, progressive, or with a colour profile', async () => {
    const made = [
      noise(9, 9).toColourspace('b-w').png(),
      plain(9, 9).png({ palette: true }),
      noise(90, 90).jpeg({ progressive: true }),
      noise(90, 90).withIccProfile('p3').jpeg(),
    ];
    for (const one of made) expect((await fit(await one.toBuffer())).content).toBeNull();
  });
});

describe('an image that is too large', () => {
  it.each(FORMATS)('keeps its format, aspect ratio and colours: %s', async (format) => {
    const content = await plain(600, 300).toFormat(format).toBuffer();
    const { content: made, ...sizes } = await fit(content);
    expect(sizes).toEqual({ mediaType: `image/${format}`, width: 200, height: 100, original: { width: 600, height: 300 } });
    const { data, info } = await sharp(made!).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([200, 100]);
    [0x33, 0x66, 0x99].forEach((value, channel) => expect(Math.abs(data[channel]! - value)).toBeLessThan(12));
  });

  it('loses its metadata', async () => {
    const content = await noise(600, 300)
      .withExif({ IFD0: { Artist: 'somebody' }, IFD3: { GPSLatitude: '50/1 0/1 0/1' } })
      .jpeg()
      .toBuffer();
    expect(await sharp(content).metadata()).toHaveProperty('exif');
    expect(await sharp((await fit(content)).content!).metadata()).not.toHaveProperty('exif');
  });

  it('in bytes only loses quality first, then size, and keeps transparency', async () => {
    const opaque = await noise(200, 200).png().toBuffer();
    const glass = await noise(200, 200, 4).png().toBuffer();
    const lossy = await fit(opaque, { base64Bytes: 60_000 });
    expect(lossy).toMatchObject({ mediaType: 'image/jpeg', width: 200, height: 200 });
    expect((lossy.content!.length * 4) / 3).toBeLessThanOrEqual(60_000);
    const seeThrough = await fit(glass, { base64Bytes: 60_000 });
    expect(seeThrough.mediaType).toBe('image/webp');
    expect((await sharp(seeThrough.content!).metadata()).hasAlpha).toBe(true);
    expect((await fit(opaque, { base64Bytes: 6_000 })).width).toBeLessThan(200);
    await expect(fit(opaque, { base64Bytes: 40 })).rejects.toMatchObject({ reason: expect.stringContaining('40 bytes') });
  });
});

describe('an image is re-encoded', () => {
  it('upright, when it has an orientation', async () => {
    const content = await plain(120, 60).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const made = await fit(content);
    expect(made).toMatchObject({ width: 60, height: 120, original: { width: 60, height: 120 } });
    expect(await sharp(made.content!).metadata()).toMatchObject({ width: 60, height: 120 });
  });

  it('as 8-bit sRGB, when it is CMYK or 16-bit', async () => {
    const cmyk = await fit(await plain(60, 60).toColourspace('cmyk').jpeg().toBuffer());
    const deep = await fit(await plain(60, 60).toColourspace('rgb16').png().toBuffer());
    for (const { content } of [cmyk, deep]) expect(await sharp(content!).metadata()).toMatchObject({ space: 'srgb', depth: 'uchar' });
  });

  it.each(['gif', 'webp'] as const)('as its first frame, when it is animated: %s', async (format) => {
    const frames = await Promise.all(
      ['#ff0000', '#00ff00', '#0000ff'].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const moving = await sharp(frames, { join: { animated: true } })
      .toFormat(format)
      .toBuffer();
    expect((await sharp(moving).metadata()).pages).toBe(3);
    const { content, width, height } = await fit(moving);
    expect([width, height]).toEqual([40, 30]);
    const { data } = await sharp(content!).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(data[0]!).toBeGreaterThan(200);
    expect(data[2]!).toBeLessThan(60);
  });
});

describe('an invalid or harmful image is rejected', () => {
  it.each(FORMATS)('truncated: %s', async (format) => {
    const content = await noise(180, 180).toFormat(format).toBuffer();
    expect(await reason(content.subarray(0, Math.floor(content.length * 0.6)))).toMatch(/cannot be decoded/);
  });

  it('with corrupt data', async () => {
    const content = await noise(180, 180).png().toBuffer();
    content.fill(0x5a, Math.floor(content.length / 2), Math.floor(content.length / 2) + 500);
    expect(await reason(content)).toMatch(/cannot be decoded/);
  });

  it('with too many pixels, however few bytes', async () => {
    const bomb = await plain(10_000, 10_000).png({ compressionLevel: 9 }).toBuffer();
    expect(bomb.length).toBeLessThan(500_000);
    expect(await reason(bomb)).toMatch(/too many pixels/);
  });

  it('as SVG, text, or of an unsupported type', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>';
    for (const text of [svg, `<?xml version="1.0"?>${svg}`, '%PDF-1.4', 'GIF89a', ''])
      expect(await reason(Buffer.from(text))).toMatch(/cannot be decoded|no JPEG/);
    const tiff = await plain(9, 9).tiff().toBuffer();
    expect(await reason(tiff)).toMatch(/cannot be decoded|no JPEG/);
  });
});
