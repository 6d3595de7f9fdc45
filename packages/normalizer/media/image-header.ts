import { latin1, type Base64Bytes } from './base64.js';

export interface ImageHeader {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/** Media type and size from an image's first bytes; `undefined` when it is not a PNG, JPEG, GIF or WebP. */
export function imageHeader(bytes: Base64Bytes): ImageHeader | undefined {
  const start = latin1(bytes, 0, 12);
  const header = start.startsWith('\x89PNG\r\n\x1a\n')
    ? png(bytes)
    : start.startsWith('\xff\xd8\xff')
      ? jpeg(bytes)
      : start.startsWith('GIF87a') || start.startsWith('GIF89a')
        ? gif(bytes)
        : start.startsWith('RIFF') && start.slice(8) === 'WEBP'
          ? webp(bytes)
          : undefined;
  return header && header.width > 0 && header.height > 0 ? header : undefined;
}

const big16 = ({ at }: Base64Bytes, index: number): number => at(index) * 256 + at(index + 1);
const little16 = ({ at }: Base64Bytes, index: number): number => at(index) + at(index + 1) * 256;
const little24 = (bytes: Base64Bytes, index: number): number => little16(bytes, index) + bytes.at(index + 2) * 65_536;

function png(bytes: Base64Bytes): ImageHeader | undefined {
  if (latin1(bytes, 12, 16) !== 'IHDR') return undefined;
  const side = (index: number): number => big16(bytes, index) * 65_536 + big16(bytes, index + 2);
  return { mediaType: 'image/png', width: side(16), height: side(20) };
}

const gif = (bytes: Base64Bytes): ImageHeader => ({
  mediaType: 'image/gif',
  width: little16(bytes, 6),
  height: little16(bytes, 8),
});

/** Bounds the scan of a file of empty segments. Real files have far fewer segments before the frame header. */
const MAX_SEGMENTS = 4_096;

/** Skips segments up to the frame header, which holds the size. */
function jpeg(bytes: Base64Bytes): ImageHeader | undefined {
  let index = 2;
  for (let segment = 0; index < bytes.length && segment < MAX_SEGMENTS; segment += 1) {
    if (bytes.at(index) !== 0xff) return undefined;
    const marker = bytes.at(index + 1);
    if (marker === 0xff) {
      index += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { mediaType: 'image/jpeg', height: big16(bytes, index + 5), width: big16(bytes, index + 7) };
    if (marker === 0xd9 || marker === 0xda) return undefined;
    const hasNoLength = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    index += hasNoLength ? 2 : 2 + Math.max(2, big16(bytes, index + 2));
  }
  return undefined;
}

function webp(bytes: Base64Bytes): ImageHeader | undefined {
  const mediaType = 'image/webp';
  switch (latin1(bytes, 12, 16)) {
    case 'VP8 ':
      return { mediaType, width: little16(bytes, 26) & 0x3fff, height: little16(bytes, 28) & 0x3fff };
    case 'VP8L': {
      const low = little16(bytes, 21);
      const high = little16(bytes, 23);
      return { mediaType, width: (low & 0x3fff) + 1, height: ((low >> 14) | ((high & 0xfff) << 2)) + 1 };
    }
    case 'VP8X':
      return { mediaType, width: little24(bytes, 24) + 1, height: little24(bytes, 27) + 1 };
    default:
      return undefined;
  }
}
