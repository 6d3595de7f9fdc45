import { utf8Length } from '../../../packages/protocol/message/text.js';
import { directoriesAbove, isBelow, MEMORY_ROOT } from './memory-path.js';

/** Limits of the memory of one user. */
export interface MemoryLimits {
  readonly fileBytes: number;
  readonly files: number;
  /** Of all files together. */
  readonly bytes: number;
}

/** Why a file with this text cannot be at this path, beside the other files; null: it can. */
export function writeFault(files: ReadonlyMap<string, string>, path: string, text: string, limits: MemoryLimits): string | null {
  const misplaced = placeFault(files, path);
  if (misplaced !== null) return misplaced;
  const bytes = utf8Length(text);
  if (bytes > limits.fileBytes)
    return `${path} would have ${bytes} bytes, and a file may have at most ${limits.fileBytes}. Shorten it, or divide it into several files.`;
  if (!files.has(path) && files.size >= limits.files)
    return `There are ${files.size} files, which is the limit. Delete a file that is no longer needed, or add to one that exists.`;
  let total = bytes;
  for (const [other, content] of files) if (other !== path) total += utf8Length(content);
  if (total > limits.bytes)
    return `All files together would have ${total} bytes, and may have at most ${limits.bytes}. Shorten or delete files that are no longer needed.`;
  return null;
}

/** Paths at which a memory may have had files, for each file that it may have: every command reads the newest version of each path. */
const PATHS_PER_FILE = 10;

/** Why a memory that has had files at the `known` paths cannot have them at these, too; null: it can. */
export function pathsFault(known: ReadonlySet<string>, paths: readonly string[], limits: MemoryLimits): string | null {
  const most = PATHS_PER_FILE * limits.files;
  if (new Set([...known, ...paths]).size <= most) return null;
  return `The memory has had files at ${known.size} paths, and may have had them at ${most}. Use a path that it has had, or have the user erase the memory.`;
}

/** Why no file can be at this path; null: one can. */
export function placeFault(files: ReadonlyMap<string, string>, path: string): string | null {
  if (isDirectory(files, path)) return `${path} is a directory. Give the path of a file.`;
  const file = directoriesAbove(path).find((directory) => files.has(directory));
  return file === undefined ? null : `${file} is a file, so nothing can be below it. Choose another path, or rename that file first.`;
}

/** Directories exist as long as there are files in them; /memories always does. */
export function isDirectory(files: ReadonlyMap<string, string>, path: string): boolean {
  return path === MEMORY_ROOT || [...files.keys()].some((file) => isBelow(file, path));
}
