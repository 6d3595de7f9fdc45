import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { LINK_MODE } from '../../../../../packages/protocol/events/events.js';
import type { WrittenFile } from '../../../../ports/session-files.js';
import type { Account } from '../accounts.js';
import { codeOf, type Descent, inFolderOf } from './descent.js';
import type { Task, TaskInput } from './task.js';

/** Removes files and writes others, each at once: readers see the old content or the new one. Throws what the file system says, such as ENOSPC; what was done stays. */
export function write({ root, account }: TaskInput, { removed, written, recorded }: Extract<Task, { kind: 'write' }>): null {
  const replaced = new Set(recorded);
  for (const path of removed) remove(root, path);
  const names = new Names();
  for (const file of written) {
    inFolderOf(
      root,
      file.path,
      (folder, name) => entered(folder, name, account, names),
      (folder, name) => put(folder, name, file, { account, isRecorded: replaced.has(file.path), names }),
    );
  }
  return null;
}

/**
 * The names in folders as the disk has them. On one that does not tell upper from lower case, a name finds an entry that has another: two files of the log would be one. Read when a name finds
 * something that was not made here.
 */
class Names {
  readonly #of = new Map<string, Set<string>>();

  /** `name` finds an entry of the folder. Throws ECASE when it is that of another name. */
  requireOwn(folder: Descent, name: string): void {
    const names = this.#of.get(folder.path) ?? new Set(readdirSync(folder.listed));
    this.#of.set(folder.path, names);
    if (names.has(name)) return;
    const found = lstatSync(folder.at(name)).ino;
    const other = [...names].find((one) => lstatSync(folder.at(one), { throwIfNoEntry: false })?.ino === found);
    if (other === undefined) return; // it is new, and not from here
    throw Object.assign(new Error(`${JSON.stringify(other)} and ${JSON.stringify(name)} are one file on this disk`), { code: 'ECASE' });
  }

  made(folder: Descent, name: string): void {
    this.#of.get(folder.path)?.add(name);
  }
}

/** With the folders that are empty then. */
function remove(root: string, path: string): void {
  for (let at = path, isFile = true; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0)), isFile = false) {
    try {
      inFolderOf(
        root,
        at,
        (folder, name) => folder.enter(name),
        (folder, name) => (isFile ? unlinkSync : rmdirSync)(folder.at(name)),
      );
    } catch (error) {
      const code = String(codeOf(error));
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EPERM'].includes(code) && isFile) continue; // it is not there, or is a folder
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENOTEMPTY', 'EEXIST'].includes(code)) return;
      throw error;
    }
  }
}

/** A folder, made where there is none. */
function entered(folder: Descent, name: string, account: Account | null, names: Names): Descent {
  for (;;) {
    try {
      const inner = folder.enter(name);
      try {
        names.requireOwn(folder, name);
        return inner;
      } catch (error) {
        inner.close();
        throw error;
      }
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOTDIR' || code === 'ELOOP') {
        names.requireOwn(folder, name);
        moveAside(folder, name);
      } else if (code !== 'ENOENT') throw error;
      mkdirSync(folder.at(name), 0o700);
      names.made(folder, name);
      const made = folder.enter(name);
      if (account) fchownSync(made.descriptor, account.uid, account.gid);
      fchmodSync(made.descriptor, 0o755);
      return made;
    }
  }
}

interface Terms {
  readonly account: Account | null;
  /** Whether what stands there is in the log. */
  readonly isRecorded: boolean;
  readonly names: Names;
}

function put(folder: Descent, name: string, { mode, content }: WrittenFile, { account, isRecorded, names }: Terms): void {
  const found = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if (found && (!isRecorded || found.isDirectory())) {
    names.requireOwn(folder, name);
    moveAside(folder, name);
  }
  const temporary = folder.at(`.${randomBytes(8).toString('hex')}.part`);
  try {
    if (mode === LINK_MODE) {
      symlinkSync(Buffer.from(content), temporary);
      if (account) lchownSync(temporary, account.uid, account.gid);
    } else {
      const descriptor = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
      try {
        writeFileSync(descriptor, content);
        if (account) fchownSync(descriptor, account.uid, account.gid);
        fchmodSync(descriptor, mode);
      } finally {
        closeSync(descriptor);
      }
    }
    renameSync(temporary, folder.at(name));
    names.made(folder, name);
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // it was not made
    }
    throw error;
  }
}

/** What is in the way was not recorded, or it would have been removed: it is kept under another name. */
function moveAside(folder: Descent, name: string): void {
  renameSync(folder.at(name), folder.at(`${name}.unrecorded-${randomBytes(4).toString('hex')}`));
}
