import type { Sharp, SharpOptions } from 'sharp';
import { UnusableImage } from '../../ports/index.js';
import { base64Length } from '../../session/prompt/files/fit-files.js';
import { fittingSize, type ImageBox, scaled, type Size } from '../../../packages/normalizer/media/image-size.js';
import { attempts, FORMATS, type ImageFormat } from './encodings.js';
import { openSharp } from './open-sharp.js';

export interface DecodeLimits {
  /** Width times height; protects against decompression bombs. */
  readonly maxPixels: number;
  readonly timeoutMs: number;
}

export interface Decoded extends Size {
  readonly mediaType: string;
  readonly original: Size;
  /** Null: the original bytes are used. */
  readonly content: Uint8Array | null;
}

interface Inspected {
  readonly format: ImageFormat;
  /** After its orientation is applied. */
  readonly size: Size;
  /** Whether it must be re-encoded even if it fits: the model API ignores the orientation, and does not support CMYK, 16 bits per channel and animations. */
  readonly needsEncoding: boolean;
  readonly hasAlpha: boolean;
}

/**
 * Makes an image fit into `box` with libvips. An image that fits is decoded completely as a check and kept unchanged. A re-encoded image loses its metadata, has
 * 8-bit sRGB colours, and keeps the first frame of an animation. Rejects with UnusableImage.
 */
export async function fitImage(content: Uint8Array, box: ImageBox, { maxPixels, timeoutMs }: DecodeLimits): Promise<Decoded> {
  const sharp = await openSharp();
  const options: SharpOptions = { limitInputPixels: maxPixels, failOn: 'error', pages: 1, sequentialRead: true };
  const open = (): Sharp => sharp(content, options).timeout({ seconds: Math.ceil(timeoutMs / 1_000) });
  const { format, size, needsEncoding, hasAlpha } = await inspect(open);
  const target = fittingSize(size, box);
  const fits = base64Length(content.byteLength) <= box.base64Bytes && target.width === size.width && target.height === size.height;
  if (fits && !needsEncoding) {
    await requireDecodable(open);
    return { mediaType: FORMATS[format], ...size, original: size, content: null };
  }
  for (const { format: as, quality, scale } of attempts(format, hasAlpha)) {
    const { width, height } = scaled(target, scale);
    const encoded = await usable(() =>
      open()
        .autoOrient()
        .resize({ width, height, fit: 'fill' })
        .toColourspace('srgb')
        .toFormat(as, quality === null ? {} : { quality })
        .toBuffer(),
    );
    if (base64Length(encoded.length) <= box.base64Bytes) return { mediaType: FORMATS[as], width, height, original: size, content: encoded };
  }
  throw new UnusableImage(`cannot be reduced to ${box.base64Bytes} bytes`);
}

async function inspect(open: () => Sharp): Promise<Inspected> {
  const { format, autoOrient, orientation = 1, pages = 1, space, depth, hasAlpha = false } = await usable(() => open().metadata());
  if (!isKnown(format)) throw new UnusableImage('is not a JPEG, PNG, GIF or WebP file');
  const needsEncoding = orientation > 1 || pages > 1 || depth !== 'uchar' || !(space === 'srgb' || space === 'b-w');
  return { format, size: autoOrient, needsEncoding, hasAlpha };
}

const isKnown = (format: string): format is ImageFormat => Object.hasOwn(FORMATS, format);

/** Decodes to the last row, because a truncated file fails only there. The output is small, because it is discarded. */
async function requireDecodable(open: () => Sharp): Promise<void> {
  await usable(() => open().resize({ width: 32, height: 32, fit: 'fill' }).raw().toBuffer());
}

/** Every error of the decoder is a fault of the file, because all requested operations are supported. */
async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UnusableImage(reasonOf(error instanceof Error ? error.message : String(error)));
  }
}

function reasonOf(message: string): string {
  if (/pixel limit/i.test(message)) return 'has too many pixels';
  return /timeout/i.test(message) ? 'takes too long to decode' : 'cannot be decoded: it is damaged, truncated, or not of its declared type';
}
