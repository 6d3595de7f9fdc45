import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { codeOf, type Descent, inFolderOf } from './descent.js';
import type { TaskInput } from './task.js';

/** The bytes of files. Those that are gone or were replaced by something else are left out. */
export function read({ root, account }: TaskInput, paths: readonly string[]): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const path of paths) {
    try {
      const content = inFolderOf(
        root,
        path,
        (folder, name) => folder.enter(name),
        (folder, name) => contentOf(folder, name, account?.uid),
      );
      if (content) found.set(path, content);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
    }
  }
  return found;
}

function contentOf(folder: Descent, name: string, uid: number | undefined): Uint8Array | null {
  if (lstatSync(folder.at(name)).isSymbolicLink()) return readlinkSync(folder.at(name), { encoding: 'buffer' });
  const descriptor = openSync(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() && (uid === undefined || stats.uid === uid) ? readFileSync(descriptor) : null;
  } finally {
    closeSync(descriptor);
  }
}
