import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs';
import { codeOf, type Descent, inFolderOf } from './descent.js';
import type { TaskInput } from './task.js';

/** The bytes of files. Those that are gone, were replaced by something else, grow while they are read or have more than `fileBytes` are left out. */
export function read({ root, account }: TaskInput, paths: readonly string[], fileBytes: number): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const path of paths) {
    try {
      const content = inFolderOf(
        root,
        path,
        (folder, name) => folder.enter(name),
        (folder, name) => contentOf(folder, name, account?.uid, fileBytes),
      );
      if (content) found.set(path, content);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
    }
  }
  return found;
}

function contentOf(folder: Descent, name: string, uid: number | undefined, fileBytes: number): Uint8Array | null {
  if (lstatSync(folder.at(name)).isSymbolicLink()) return readlinkSync(folder.at(name), { encoding: 'buffer' });
  const descriptor = openSync(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    const isOwn = stats.isFile() && (uid === undefined || stats.uid === uid);
    return isOwn && stats.size <= fileBytes ? bytesOf(descriptor, stats.size) : null;
  } finally {
    closeSync(descriptor);
  }
}

/** Null: there are more. */
function bytesOf(descriptor: number, size: number): Uint8Array | null {
  const bytes = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  while (length <= size) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
  }
  return null;
}
