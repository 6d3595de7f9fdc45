import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type FileLine, ImportFile } from '../../session/transfer/import-file.js';
import { type JsonReader, LARGE_BODY_BYTES, parseChecked } from './json-reader.js';
import type { JsonLimits } from './json-text.js';
import { WithoutMember } from './without-member.js';

export interface LineLimits extends JsonLimits {
  readonly maxLineBytes: number;
  readonly maxLines: number;
}

/** Small enough that parsing one chunk does not block the event loop. */
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
/** Milliseconds for which a file of many short lines may hold the event loop. */
const SLICE_MS = 10;

/** A copy for the display of the program that wrote the file: the only member that is left out of a line that is too long. */
const DISPLAY_COPY = 'toolUseResult';

interface Extent {
  readonly offset: number;
  readonly bytes: number;
  readonly isShortened: boolean;
}

/** `bytes` null: the line is too long, and is not parsed. */
interface SplitLine {
  /** Counts from 1; lines of white space count, and are left out. */
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly bytes: Buffer | null;
  readonly isShortened: boolean;
}

/** The lines of a file on disk, each parsed when it is requested. */
export class SpooledLines extends ImportFile {
  readonly #places = new Map<number, Extent>();
  #window: { readonly offset: number; readonly bytes: Buffer } = { offset: 0, bytes: Buffer.alloc(0) };

  constructor(
    private readonly handle: FileHandle,
    private readonly limits: LineLimits,
    private readonly json: Pick<JsonReader, 'value'>,
  ) {
    super();
  }

  override async *lines(): AsyncGenerator<FileLine> {
    let found = 0;
    let since = performance.now();
    for await (const { line, offset, bytes, length, isShortened } of this.#split()) {
      if (performance.now() - since > SLICE_MS) {
        await setImmediate();
        since = performance.now();
      }
      if (bytes !== null && isBlank(bytes)) continue;
      found += 1;
      if (found > this.limits.maxLines) {
        throw new DomainError('payload_too_large', `The file exceeds the limit of ${this.limits.maxLines} lines.`, [], {
          limit: this.limits.maxLines,
        });
      }
      if (bytes === null) yield { line, reason: `is longer than ${this.limits.maxLineBytes} bytes` };
      else yield await this.#parsed(line, { offset, bytes: length, isShortened }, bytes);
    }
  }

  /** Consecutive requests are mostly for adjacent lines, so a window is read ahead. */
  override async read(line: number): Promise<unknown> {
    const place = this.#places.get(line);
    if (!place) throw new Error(`line ${line} of the file has not been read`);
    if (place.isShortened) return parseChecked(await this.#shortened(place));
    return parseChecked(await this.#bytesAt(place), this.limits.isTranscript);
  }

  /** The text of a readable line, as it came. */
  async text(line: number): Promise<string> {
    const place = this.#places.get(line);
    if (!place) throw new Error(`line ${line} of the file has not been read`);
    return (await this.#bytesAt(place)).toString();
  }

  async #bytesAt(place: Extent): Promise<Buffer> {
    const { offset, bytes } = this.#window;
    if (place.offset < offset || place.offset + place.bytes > offset + bytes.length) {
      this.#window = { offset: place.offset, bytes: await readAt(this.handle, place.offset, Math.max(place.bytes, CHUNK_BYTES)) };
    }
    const start = place.offset - this.#window.offset;
    return this.#window.bytes.subarray(start, start + place.bytes);
  }

  async #parsed(line: number, place: Extent, bytes: Buffer): Promise<FileLine> {
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    try {
      // The reader of a large line takes its memory, and a chunk has other lines in it.
      const own = bytes.length < bytes.buffer.byteLength && bytes.length > LARGE_BODY_BYTES ? Buffer.from(bytes) : bytes;
      const value = await this.json.value(own, this.limits, SUBJECT);
      this.#places.set(line, place);
      if (!place.isShortened) return { line, bytes: place.bytes, value };
      return { line, bytes: bytes.length, value, shortened: `is longer than ${this.limits.maxLineBytes} bytes and was kept without ${DISPLAY_COPY}` };
    } catch (error) {
      if (error instanceof DomainError && error.code !== 'unavailable') return { line, reason: hasMark ? 'begins with a byte order mark' : reasonIn(error) };
      throw error;
    }
  }

  async #shortened({ offset, bytes }: Extent): Promise<Buffer> {
    const parts = new WithoutMember(DISPLAY_COPY, this.limits.maxLineBytes);
    for (let read = 0; read < bytes;) {
      const chunk = await readAt(this.handle, offset + read, Math.min(CHUNK_BYTES, bytes - read));
      if (chunk.length === 0) break;
      parts.add(chunk);
      read += chunk.length;
    }
    const short = parts.result();
    if (short === null) throw new Error('a line of the file has changed since it was read');
    return short;
  }

  /** The last line needs no line break. */
  async *#split(): AsyncGenerator<SplitLine> {
    const { maxLineBytes } = this.limits;
    let pieces: Buffer[] = [];
    let parts: WithoutMember | null = null;
    let start = 0;
    let length = 0;
    let number = 1;
    const line = (): SplitLine => ({
      ...{ line: number, offset: start, length, isShortened: parts !== null },
      bytes: parts === null ? (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)) : parts.result(),
    });
    for (let offset = 0; ;) {
      const chunk = await readAt(this.handle, offset, CHUNK_BYTES);
      if (chunk.length === 0) break;
      for (let at = 0; at < chunk.length;) {
        // Millions of blank lines must not cost a step of the iteration each.
        const end = length === 0 ? endOfBlankLine(chunk, at) : NONE;
        if (end !== NONE) {
          number += 1;
          at = end;
          start = offset + at;
          continue;
        }
        const newline = chunk.indexOf(NEWLINE, at);
        const piece = chunk.subarray(at, newline === -1 ? chunk.length : newline);
        length += piece.length;
        pieces.push(piece);
        if (length > maxLineBytes) {
          parts ??= new WithoutMember(DISPLAY_COPY, maxLineBytes);
          for (const one of pieces) parts.add(one);
          pieces = [];
        }
        at += piece.length;
        if (newline === -1) continue;
        yield line();
        at += 1;
        pieces = [];
        parts = null;
        start = offset + at;
        length = 0;
        number += 1;
      }
      offset += chunk.length;
    }
    if (length > 0) yield line();
  }
}

const SUBJECT = 'The line';

/** The sentence of the error, without its subject, to follow the number of a line. */
function reasonIn({ message }: DomainError): string {
  return message.slice(SUBJECT.length + 1).replace(/\.$/, '');
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

const isBlank = (bytes: Buffer): boolean => bytes.every(isSpace);

const NONE = -1;

/** The place after a line of white space that begins here and ends in this chunk. */
function endOfBlankLine(chunk: Buffer, from: number): number {
  let at = from;
  while (isSpace(chunk[at])) at += 1;
  return chunk[at] === NEWLINE ? at + 1 : NONE;
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
