import type { Sharp, SharpOptions } from 'sharp';
import { UnusableImage } from '../../core/ports.js';
import { base64Length } from '../../core/prompt/files/fit-files.js';
import { fittingSize, type ImageBox, scaled, type Size } from '../../core/media/image-size.js';
import { attempts, FORMATS, type ImageFormat } from './encodings.js';
import { openSharp } from './open-sharp.js';

export interface DecodeLimits {
  /** Width times height that is decoded at all: the guard against a small file that stands for gigabytes. */
  readonly maxPixels: number;
  readonly timeoutMs: number;
}

export interface Decoded extends Size {
  readonly mediaType: string;
  readonly original: Size;
  /** Null: the bytes will do as they are. */
  readonly content: Uint8Array | null;
}

interface Looked {
  readonly format: ImageFormat;
  /** Upright. */
  readonly size: Size;
  /** It has to be made anew even if it is small enough: the model API reads no orientation, and of CMYK, 16 bits and animations not everything. */
  readonly isUnusual: boolean;
  readonly hasAlpha: boolean;
}

/**
 * Makes a picture fit, by libvips. What fits is decoded to its end all the same, and stays byte for byte what it is; of what is made anew no metadata are
 * carried over, colours become sRGB of 8 bits, and of an animation the first picture is left. Rejects with UnusableImage.
 */
export async function fitImage(content: Uint8Array, box: ImageBox, { maxPixels, timeoutMs }: DecodeLimits): Promise<Decoded> {
  const sharp = await openSharp();
  const options: SharpOptions = { limitInputPixels: maxPixels, failOn: 'error', pages: 1, sequentialRead: true };
  const open = (): Sharp => sharp(content, options).timeout({ seconds: Math.ceil(timeoutMs / 1_000) });
  const { format, size, isUnusual, hasAlpha } = await look(open);
  const target = fittingSize(size, box);
  const fits = base64Length(content.byteLength) <= box.base64Bytes && target.width === size.width && target.height === size.height;
  if (fits && !isUnusual) {
    await decodes(open);
    return { mediaType: FORMATS[format], ...size, original: size, content: null };
  }
  for (const { format: as, quality, scale } of attempts(format, hasAlpha)) {
    const { width, height } = scaled(target, scale);
    const made = await usable(() =>
      open()
        .autoOrient()
        .resize({ width, height, fit: 'fill' })
        .toColourspace('srgb')
        .toFormat(as, quality === null ? {} : { quality })
        .toBuffer(),
    );
    if (base64Length(made.length) <= box.base64Bytes) return { mediaType: FORMATS[as], width, height, original: size, content: made };
  }
  throw new UnusableImage(`cannot be made to fit into ${box.base64Bytes} bytes`);
}

async function look(open: () => Sharp): Promise<Looked> {
  const { format, autoOrient, orientation = 1, pages = 1, space, depth, hasAlpha = false } = await usable(() => open().metadata());
  if (!isKnown(format)) throw new UnusableImage('is no JPEG, PNG, GIF or WebP');
  const isUnusual = orientation > 1 || pages > 1 || depth !== 'uchar' || !(space === 'srgb' || space === 'b-w');
  return { format, size: autoOrient, isUnusual, hasAlpha };
}

const isKnown = (format: string): format is ImageFormat => Object.hasOwn(FORMATS, format);

/** To the last row, since what is cut off shows only there. Made small while it is read: nobody needs the result. */
async function decodes(open: () => Sharp): Promise<void> {
  await usable(() => open().resize({ width: 32, height: 32, fit: 'fill' }).raw().toBuffer());
}

/** Whatever the decoder objects to is the file's fault: everything it is asked for is something it can do. */
async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UnusableImage(reasonOf(error instanceof Error ? error.message : String(error)));
  }
}

function reasonOf(message: string): string {
  if (/pixel limit/i.test(message)) return 'has more pixels than are decoded';
  return /timeout/i.test(message) ? 'takes too long to decode' : 'cannot be decoded: it is damaged, cut off, or not what it says it is';
}
