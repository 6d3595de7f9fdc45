import type { Base64Bytes } from './base64.js';

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The checksum of PNG chunks, of the bytes `from` up to `to`. */
export function crc32({ at }: Base64Bytes, from: number, to: number): number {
  let value = 0xffffffff;
  for (let index = from; index < to; index += 1) value = TABLE[(value ^ at(index)) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
