import { brotliDecompressSync, constants, createBrotliDecompress, createGunzip, createInflate, gunzipSync, inflateSync } from 'node:zlib';
import type { Transform } from 'node:stream';

/** The codings of bodies that can be read. */
export const READABLE: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'identity']);

/** A lenient end: of a stream that was cut, what came of it is read. */
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };

/** Reads a coded stream; null: it needs no reading. */
export function decoderOf(encoding: string | null): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ flush: constants.Z_SYNC_FLUSH, ...LENIENT });
    case 'deflate':
      return createInflate({ flush: constants.Z_SYNC_FLUSH, ...LENIENT });
    case 'br':
      return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return null;
  }
}

/** The whole body; throws when it is not coded so, or longer than `most` bytes. */
export function decoded(bytes: Buffer, encoding: string, most: number): Buffer {
  const options = { maxOutputLength: most };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, options);
    case 'deflate':
      return inflateSync(bytes, options);
    case 'br':
      return brotliDecompressSync(bytes, options);
    default:
      return bytes;
  }
}
