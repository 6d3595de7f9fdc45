import { latin1, type Base64Bytes } from './base64.js';
import { crc32 } from './crc32.js';
import { imageHeader, type ImageHeader } from './image-header.js';

/** The header of an image that is there as a whole, as far as its structure tells: the model API refuses one that is cut off, or a PNG with a wrong checksum. */
export function wholeImage(bytes: Base64Bytes): ImageHeader | undefined {
  const header = imageHeader(bytes);
  return header && IS_WHOLE[header.mediaType](bytes) ? header : undefined;
}

const IS_WHOLE: Readonly<Record<ImageHeader['mediaType'], (bytes: Base64Bytes) => boolean>> = {
  'image/png': isWholePng,
  'image/jpeg': isWholeJpeg,
  'image/gif': isWholeGif,
  'image/webp': isWholeWebp,
};

const big32 = ({ at }: Base64Bytes, index: number): number => ((at(index) << 24) | (at(index + 1) << 16) | (at(index + 2) << 8) | at(index + 3)) >>> 0;

/** Chunks of length, type, data and checksum, up to `IEND`. A decoder needs those whose type begins with a capital letter, and verifies them. */
function isWholePng(bytes: Base64Bytes): boolean {
  let hasData = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = big32(bytes, at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) return false;
    const type = latin1(bytes, at + 4, at + 8);
    const isCritical = (bytes.at(at + 4) & 0x20) === 0;
    if (isCritical && crc32(bytes, at + 4, end) !== big32(bytes, end)) return false;
    if (type === 'IEND') return hasData;
    hasData ||= type === 'IDAT';
    at = end + 4;
  }
  return false;
}

/** After the first scan has begun, `FF D9` can only be the end of the image. Other data may follow it. */
function isWholeJpeg(bytes: Base64Bytes): boolean {
  const scan = beginOfScan(bytes);
  for (let at = bytes.length - 2; scan !== null && at > scan; at -= 1) if (bytes.at(at) === 0xff && bytes.at(at + 1) === 0xd9) return true;
  return false;
}

/** Skips the segments before the first scan: an image in them, such as a preview, has its own end. */
function beginOfScan(bytes: Base64Bytes): number | null {
  for (let at = 2; at + 3 < bytes.length;) {
    const marker = bytes.at(at + 1);
    if (bytes.at(at) !== 0xff) return null;
    if (marker === 0xda) return at;
    const hasNoLength = marker === 0x01 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7);
    at += marker === 0xff ? 1 : hasNoLength ? 2 : 2 + Math.max(2, bytes.at(at + 2) * 256 + bytes.at(at + 3));
  }
  return null;
}

/** The first frame, of which decoders that show no motion need nothing more. */
function isWholeGif(bytes: Base64Bytes): boolean {
  const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  for (let at = 13 + colours(bytes.at(10)); at < bytes.length;) {
    const kind = bytes.at(at);
    if (kind === 0x2c) return afterSubBlocks(bytes, at + 11 + colours(bytes.at(at + 9))) !== null;
    if (kind !== 0x21) return false;
    const next = afterSubBlocks(bytes, at + 2);
    if (next === null) return false;
    at = next;
  }
  return false;
}

/** Each sub-block begins with its length; a length of 0 ends them. */
function afterSubBlocks(bytes: Base64Bytes, from: number): number | null {
  for (let at = from; at < bytes.length; at += 1 + bytes.at(at)) if (bytes.at(at) === 0) return at + 1;
  return null;
}

/** The length of the file is at its begin. */
function isWholeWebp(bytes: Base64Bytes): boolean {
  const length = bytes.at(4) + bytes.at(5) * 256 + bytes.at(6) * 65_536 + bytes.at(7) * 16_777_216;
  return bytes.length >= 8 + length;
}
