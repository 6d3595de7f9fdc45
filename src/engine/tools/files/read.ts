import { readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { PathResolver } from './path-resolver.js';
import { FileError } from './file-error.js';
import { imageHeader } from '../../../../packages/normalizer/media/image-header.js';
import { withoutSplitPair } from '../../../../packages/protocol/message/text.js';
import type { ReadInput } from './inputs.js';
import type { FileLimits, OperationResult } from './operation.js';

const LINES = 2_000;
/** Shown of one line. */
const LINE_CHARACTERS = 2_000;
const CHUNK = 64 * 1_024;
/** The size of an image is in its first bytes. */
const IMAGE_START = 64 * 1_024;

/** Shows numbered lines of a text file, or an image. Reads only as far as needed. */
export function read(
  { file_path: asked, offset = 1, limit = LINES }: ReadInput,
  resolver: PathResolver,
  { characters, maxBytes }: FileLimits,
): OperationResult {
  const { descriptor, stats } = resolver.openFile(resolver.find(asked), asked);
  const mediaType = imageType(descriptor);
  if (mediaType !== null) return image(descriptor, mediaType, { asked, size: stats.size, maxBytes });
  const shown: string[] = [];
  let length = 0;
  let more = false;
  let number = 0;
  for (const line of linesOf(descriptor, asked)) {
    number += 1;
    if (number < offset) continue;
    const text = `${String(number).padStart(6)}\t${line}`;
    length += text.length + 1;
    if (shown.length === limit || length > characters) {
      more = true;
      break;
    }
    shown.push(text);
  }
  if (number === 0) return { text: `(${asked} is empty)`, result: { filePath: asked, startLine: 0, numLines: 0, more } };
  if (shown.length === 0 && !more) throw new FileError(`${asked} has no line ${offset}; its last line is ${number}.`);
  const notice = more ? `\n[The file continues: read from line ${offset + shown.length}]` : '';
  return { text: `${shown.join('\n')}${notice}`, result: { filePath: asked, startLine: offset, numLines: shown.length, more } };
}

/** By the first bytes; null: it is no image of a kind that the model can see. */
function imageType(descriptor: number): string | null {
  const start = Buffer.alloc(IMAGE_START);
  const bytes = start.subarray(0, readSync(descriptor, start, 0, IMAGE_START, 0));
  return imageHeader({ length: bytes.length, at: (index) => bytes[index] ?? 0 })?.mediaType ?? null;
}

function image(descriptor: number, mediaType: string, file: { readonly asked: string; readonly size: number; readonly maxBytes: number }): OperationResult {
  const { asked, size, maxBytes } = file;
  if (size > maxBytes) throw new FileError(`${asked} has ${size} bytes; an image can have ${maxBytes}.`);
  const bytes = Buffer.alloc(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read) read = readSync(descriptor, bytes, length, size - length, length);
  const result = { filePath: asked, mediaType, bytes: length };
  return { text: '', image: { mediaType, base64: bytes.subarray(0, length).toString('base64') }, result };
}

/** The lines, each cut to the limit of characters. Throws for files that are not text. */
function* linesOf(descriptor: number, asked: string): Generator<string> {
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(CHUNK);
  let rest = '';
  let left = 0;
  const finished = (): string => (left === 0 ? rest : `${withoutSplitPair(rest)} [${left} more characters in this line]`);
  for (let size = readSync(descriptor, buffer); size > 0; size = readSync(descriptor, buffer)) {
    const chunk = buffer.subarray(0, size);
    if (chunk.includes(0)) throw new FileError(`${asked} is not text, so it cannot be read.`);
    const pieces = decoder.write(chunk).split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield finished();
        rest = '';
        left = 0;
      }
      const room = LINE_CHARACTERS - rest.length;
      rest += piece.slice(0, room);
      left += Math.max(piece.length - room, 0);
    }
  }
  rest += decoder.end();
  if (rest !== '') yield finished();
}
