import { brotliDecompressSync, constants, createBrotliDecompress, createGunzip, createInflate, gunzipSync, inflateSync } from 'node:zlib';
import type { Transform } from 'node:stream';

/** A lenient end: of a stream that was cut, what came of it is read. */
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };

interface Coding {
  /** Of a whole body. */
  readonly whole: typeof gunzipSync;
  /** Of a body that comes piece by piece. */
  readonly pieces: () => Transform;
}

const GZIP: Coding = { whole: gunzipSync, pieces: () => createGunzip({ flush: constants.Z_SYNC_FLUSH, ...LENIENT }) };
const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', { whole: inflateSync, pieces: () => createInflate({ flush: constants.Z_SYNC_FLUSH, ...LENIENT }) }],
  ['br', { whole: brotliDecompressSync as typeof gunzipSync, pieces: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }) }],
]);

/** The codings of bodies that can be read. */
export const READABLE: ReadonlySet<string> = new Set([...CODINGS.keys(), 'identity']);

/** Decodes an answer piece by piece. It never fails: where the bytes are not coded as they should be, it ends. */
export class PieceDecoder {
  readonly #decoder: Transform | null;
  #take: (bytes: Buffer) => void = () => undefined;
  #isOver = false;

  /** Null: the bytes are as they were made. */
  constructor(encoding: string | null) {
    this.#decoder = CODINGS.get(encoding ?? 'identity')?.pieces() ?? null;
    this.#decoder?.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#decoder?.on('error', () => undefined);
    for (const end of ['end', 'close']) this.#decoder?.on(end, () => (this.#isOver = true));
  }

  /** Resolves when `take` has had all that this piece decodes to; false: it is not coded so. */
  async decode(piece: Buffer, take: (bytes: Buffer) => void): Promise<boolean> {
    const decoder = this.#decoder;
    if (!decoder) {
      take(piece);
      return true;
    }
    if (this.#isOver) return !decoder.errored;
    this.#take = take;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        for (const end of ['end', 'close']) decoder.off(end, done);
        resolve();
      };
      // An error, and bytes after the end, leave the callback uncalled.
      for (const end of ['end', 'close']) decoder.once(end, done);
      decoder.write(piece, done);
    });
    return !decoder.errored;
  }

  close(): void {
    this.#isOver = true;
    this.#decoder?.destroy();
  }
}

/** The whole body; throws when it is not coded so, is longer than `most` bytes, or has more after its end, which another server may read. */
export function decoded(bytes: Buffer, encoding: string, most: number): Buffer {
  const coding = CODINGS.get(encoding);
  if (!coding) return bytes;
  const { buffer, engine } = coding.whole(bytes, { maxOutputLength: most, info: true }) as unknown as {
    readonly buffer: Buffer;
    readonly engine: { readonly bytesWritten: number };
  };
  if (engine.bytesWritten !== bytes.length) throw new Error(`the body has ${bytes.length - engine.bytesWritten} bytes after its end`);
  return buffer;
}
