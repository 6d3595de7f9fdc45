import { randomBytes } from 'node:crypto';
import { closeSync, constants, fsyncSync, lstatSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import type { PathResolver, Entry } from './path-resolver.js';
import { FileError } from './file-error.js';
import type { WriteInput } from './inputs.js';
import type { FileLimits, OperationResult } from './operation.js';

/** Creates a file, or replaces the content of an existing one. */
export function write({ file_path: asked, content }: WriteInput, resolver: PathResolver, { maxBytes }: FileLimits): OperationResult {
  const bytes = Buffer.byteLength(content);
  if (bytes > maxBytes) throw new FileError(`The content has ${bytes} bytes; the limit is ${maxBytes}.`);
  const entry = resolver.find(asked, true);
  const before = lstatSync(entry.at, { throwIfNoEntry: false });
  if (before?.isDirectory()) throw new FileError(`${asked} is a folder.`);
  if (before && !before.isFile()) throw new FileError(`${asked} is not a regular file.`);
  replace(entry, content, before ? before.mode & 0o777 : 0o644, resolver);
  return {
    text: before ? `Replaced ${asked}: ${bytes} bytes.` : `Created ${asked}: ${bytes} bytes.`,
    result: { filePath: asked, bytes, created: !before },
  };
}

/** Atomic: readers see the old content or the new one. */
export function replace(entry: Entry, content: string | Buffer, mode: number, resolver: PathResolver): void {
  if (entry.name === '.') throw new FileError("The session's folder itself is not a file.");
  const temporary = entry.sibling(`.${randomBytes(8).toString('hex')}.part`);
  const descriptor = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    writeFileSync(descriptor, content);
    resolver.setOwner(descriptor, mode);
    fsyncSync(descriptor);
    renameSync(temporary, entry.at);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
