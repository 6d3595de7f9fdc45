import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { PathResolver } from './path-resolver.js';
import { FileError } from './file-error.js';
import type { EditInput } from './inputs.js';
import type { FileLimits, OperationResult } from './operation.js';
import { replace } from './write.js';

const LINE_END = 10;

/** Replaces a text in a file. Works on bytes: in UTF-8 a match cannot begin inside a character, and buffers are outside of the V8 heap. */
export function edit(input: EditInput, resolver: PathResolver, { maxBytes }: FileLimits): OperationResult {
  const { file_path: asked, replace_all: all = false } = input;
  const [old, replacement] = [Buffer.from(input.old_string), Buffer.from(input.new_string)];
  resolver.requireWritable(asked);
  const entry = resolver.find(asked);
  const { descriptor, stats } = resolver.openFile(entry, asked);
  if (stats.size > maxBytes) throw new FileError(`${asked} has ${stats.size} bytes; files of at most ${maxBytes} bytes can be edited.`);
  const content = readFileSync(descriptor);
  if (!isUtf8(content)) throw new FileError(`${asked} is not UTF-8 text, so editing would damage it.`);
  const first = content.indexOf(old);
  if (first < 0) throw new FileError(`old_string does not occur in ${asked}; it must match exactly, including whitespace.`);
  const count = countOf(content, old);
  if (count > 1 && !all) throw new FileError(`old_string occurs ${count} times in ${asked}; include more of the surrounding text, or set replace_all.`);
  const bytes = content.length + count * (replacement.length - old.length);
  if (bytes > maxBytes) throw new FileError(`${asked} would have ${bytes} bytes; the limit is ${maxBytes}.`);
  replace(entry, replaced(content, old, replacement, bytes), stats.mode & 0o777, resolver);
  const line = countOf(content.subarray(0, first), Buffer.from([LINE_END])) + 1;
  return {
    text: count === 1 ? `Edited ${asked} in line ${line}.` : `Edited ${asked}: ${count} occurrences replaced, the first in line ${line}.`,
    result: { filePath: asked, replaced: count, line },
  };
}

function countOf(content: Buffer, part: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(part); at >= 0; at = content.indexOf(part, at + part.length)) count += 1;
  return count;
}

function replaced(content: Buffer, old: Buffer, replacement: Buffer, bytes: number): Buffer {
  const result = Buffer.alloc(bytes);
  let from = 0;
  let to = 0;
  for (let at = content.indexOf(old); at >= 0; at = content.indexOf(old, from)) {
    to += content.copy(result, to, from, at);
    to += replacement.copy(result, to);
    from = at + old.length;
  }
  content.copy(result, to, from);
  return result;
}
