import { readFileSync } from 'node:fs';
import type { Beneath } from './beneath.js';
import { FileFault } from './fault.js';
import type { EditInput } from './inputs.js';
import type { Confines, Done } from './operation.js';
import { replace } from './write.js';

/** Replaces a text in a file by another. */
export function edit(input: EditInput, beneath: Beneath, { maxBytes }: Confines): Done {
  const { file_path: asked, old_string: old, new_string: fresh, replace_all: all = false } = input;
  const entry = beneath.find(asked);
  const { handle, stats } = beneath.openFile(entry, asked);
  if (stats.size > maxBytes) throw new FileFault(`${asked} has ${stats.size} bytes; files of up to ${maxBytes} can be edited.`);
  const text = textOf(readFileSync(handle), asked);
  const first = text.indexOf(old);
  if (first < 0) throw new FileFault(`old_string does not occur in ${asked}; it must be the same to the last space.`);
  let count = 0;
  for (let at = first; at >= 0; at = text.indexOf(old, at + old.length)) count += 1;
  if (count > 1 && !all) throw new FileFault(`old_string occurs ${count} times in ${asked}; give more of what surrounds it, or set replace_all.`);
  const bytes = stats.size + count * (Buffer.byteLength(fresh) - Buffer.byteLength(old));
  if (bytes > maxBytes) throw new FileFault(`${asked} would have ${bytes} bytes; a file may have ${maxBytes}.`);
  replace(entry, text.replaceAll(old, () => fresh), stats.mode & 0o777, beneath);
  const line = text.slice(0, first).split('\n').length;
  return {
    text: count === 1 ? `Edited ${asked} in line ${line}.` : `Edited ${asked}: ${count} occurrences replaced, the first in line ${line}.`,
    result: { filePath: asked, replaced: count, line },
  };
}

function textOf(bytes: Buffer, asked: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileFault(`${asked} is not UTF-8 text; editing it would damage it.`);
  }
}
