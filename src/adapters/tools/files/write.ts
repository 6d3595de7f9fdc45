import { randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, lstatSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import type { PathResolver, Entry } from './path-resolver.js';
import { FileError } from './file-error.js';
import type { WriteInput } from './inputs.js';
import type { Confines, Done } from './operation.js';

/** Makes a file, or gives an existing one other content. */
export function write({ file_path: asked, content }: WriteInput, beneath: PathResolver, { maxBytes }: Confines): Done {
  const bytes = Buffer.byteLength(content);
  if (bytes > maxBytes) throw new FileError(`The content has ${bytes} bytes; a file may have ${maxBytes}.`);
  const entry = beneath.find(asked, true);
  const before = lstatSync(entry.at, { throwIfNoEntry: false });
  if (before?.isDirectory()) throw new FileError(`${asked} is a folder.`);
  if (before && !before.isFile()) throw new FileError(`${asked} is no regular file.`);
  replace(entry, content, before ? before.mode & 0o777 : 0o644, beneath);
  return {
    text: before ? `Wrote ${asked}: ${bytes} bytes, in place of what it held.` : `Made ${asked}: ${bytes} bytes.`,
    result: { filePath: asked, bytes, made: !before },
  };
}

/** At once or not at all: whoever looks sees the file as it was or as it is to be. */
export function replace(entry: Entry, content: string | Buffer, mode: number, beneath: PathResolver): void {
  if (entry.name === '.') throw new FileError("The session's folder itself is no file.");
  const passing = entry.beside(`.${randomBytes(8).toString('hex')}.part`);
  const handle = openSync(passing, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeFileSync(handle, content);
    beneath.give(handle, mode);
    fsyncSync(handle);
    renameSync(passing, entry.at);
  } catch (error) {
    unlinkSync(passing);
    throw error;
  } finally {
    closeSync(handle);
  }
}
