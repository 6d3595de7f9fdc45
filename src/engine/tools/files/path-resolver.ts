import { closeSync, constants, fchmodSync, fchownSync, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { Account } from '../workspaces/accounts.js';
import { FileError } from './file-error.js';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Symbolic links followed for one path; the limit of Linux. */
const MAX_LINKS = 40;

export interface PathLimits {
  /** Path components walked for one path, those of link targets included. */
  readonly parts: number;
  /** Folders inside folders; each of them is held open while a path is resolved. */
  readonly depth: number;
}

/** On Linux an entry can be named through the open descriptor of its folder, so that a folder that is replaced meanwhile has no effect. */
const BY_DESCRIPTOR = process.platform === 'linux';

interface Folder {
  readonly descriptor: number;
  readonly path: string;
}

/** An entry of a folder inside the root. It is not a link, and it need not exist. */
export interface Entry {
  /** A path for file system calls, valid until the resolver is closed. */
  readonly at: string;
  /** The same for another entry of the folder. */
  sibling(name: string): string;
  readonly name: string;
  /** From the root. */
  readonly relative: string;
}

export interface ResolverRoot {
  /** An absolute path without links. */
  readonly directory: string;
  /** The path by which callers name the root. */
  readonly path: string;
  readonly readOnly: boolean;
  /** Owner of what is made here, and of every file that may be opened; null: any. */
  readonly account: Account | null;
}

/**
 * Resolves paths beneath a root directory, like openat2 with RESOLVE_BENEATH: it walks from folder to folder by open descriptors, follows links itself, and
 * rejects those that lead out. (Where entries cannot be named through a descriptor, a concurrent change of folders could still mislead it.) Paths are relative to
 * the root, or absolute and inside it.
 */
export class PathResolver {
  readonly #open = new Set<number>();

  constructor(
    private readonly root: ResolverRoot,
    private readonly limits: PathLimits,
  ) {}

  /** The entry that a path leads to. With `make`, missing folders are made. At most one descriptor stays open for it. */
  find(asked: string, make = false): Entry {
    if (make) this.requireWritable(asked);
    const pending = this.#components(asked, asked).reverse();
    let components = pending.length;
    let links = 0;
    let trail: Folder[] = [this.#openRoot()];
    const leave = (count: number): void => {
      for (const { descriptor } of trail.splice(count)) this.#close(descriptor);
    };
    const result = (name: string): Entry => {
      const folder = trail.at(-1) as Folder;
      for (const { descriptor } of trail.slice(0, -1)) this.#close(descriptor);
      trail = [];
      return this.#entry(folder, name);
    };
    for (;;) {
      if (components > this.limits.parts || trail.length > this.limits.depth) throw new FileError(`${asked} leads through too many folders.`);
      const folder = trail.at(-1) as Folder;
      const name = pending.pop();
      if (name === undefined) return result('.');
      if (name === '..') {
        if (trail.length === 1) throw outside(asked);
        leave(trail.length - 1);
        continue;
      }
      const at = pathOf(folder, name);
      const found = lstatSync(at, { throwIfNoEntry: false });
      if (found?.isSymbolicLink()) {
        if ((links += 1) > MAX_LINKS) throw new FileError(`${asked} contains a loop of symbolic links.`);
        const target = readlinkSync(at);
        if (path.isAbsolute(target)) leave(1);
        const targetComponents = this.#components(target, asked);
        components += targetComponents.length;
        pending.push(...targetComponents.reverse());
      } else if (found?.isDirectory()) {
        if (pending.length === 0) return result(name);
        trail.push(this.#openIn(folder, name));
      } else if (found || !make || pending.length === 0) {
        if (pending.length > 0) throw new FileError(found ? `${asked} leads through a file that is not a folder.` : `${asked} does not exist.`);
        return result(name);
      } else {
        trail.push(this.#make(folder, name));
      }
    }
  }

  requireWritable(asked: string): void {
    if (this.root.readOnly) throw new FileError(`${asked} is read-only.`);
  }

  /** Opens a file for reading. Rejects what is not a regular file, and files of other accounts, which a hard link could lead to. */
  openFile(entry: Entry, asked: string): { readonly descriptor: number; readonly stats: Stats } {
    const descriptor = this.#track(openSync(entry.at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw new FileError(`${asked} is a folder.`);
    if (!stats.isFile()) throw new FileError(`${asked} is not a regular file.`);
    const { account } = this.root;
    if (account && stats.uid !== account.uid) throw new FileError(`${asked} belongs to another account.`);
    return { descriptor, stats };
  }

  /** The path of a folder from the root. Throws when it is not a folder. */
  folder(asked: string): string {
    const { at, relative } = this.find(asked);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (!found?.isDirectory()) throw new FileError(`${asked} ${found ? 'is not a folder' : 'does not exist'}.`);
    return relative;
  }

  /** A path by which a folder can be listed. */
  openFolder(asked: string): string {
    const { at } = this.find(asked);
    const descriptor = this.#track(openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    return BY_DESCRIPTOR ? `/proc/self/fd/${descriptor}/` : at;
  }

  /** A path from the root as results show it: relative for the session's folder, absolute for any other root. */
  shown(relative: string): string {
    return this.root.readOnly ? this.absolute(relative) : relative;
  }

  /** The absolute path by which callers name an entry. */
  absolute(relative: string): string {
    return path.join(this.root.path, relative);
  }

  /** Sets mode and owner of what was made here. */
  setOwner(descriptor: number, mode: number): void {
    const { account } = this.root;
    if (account) fchownSync(descriptor, account.uid, account.gid);
    fchmodSync(descriptor, mode);
  }

  /** Closes every descriptor; entries found before must not be used afterwards. */
  close(): void {
    for (const descriptor of this.#open) closeSync(descriptor);
    this.#open.clear();
  }

  #components(given: string, asked: string): string[] {
    if (given.includes('\0')) throw new FileError('A path cannot contain a NUL character.');
    if (!path.isAbsolute(given)) return componentsOf(given);
    const base = [this.root.path, this.root.directory].find((root) => given === root || given.startsWith(`${root}/`));
    if (base === undefined) throw outside(asked);
    return componentsOf(given.slice(base.length));
  }

  #openRoot(): Folder {
    const { directory } = this.root;
    return { descriptor: this.#track(openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)), path: directory };
  }

  #openIn(folder: Folder, name: string): Folder {
    const descriptor = this.#track(openSync(pathOf(folder, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    return { descriptor, path: `${folder.path}/${name}` };
  }

  #make(folder: Folder, name: string): Folder {
    mkdirSync(pathOf(folder, name), 0o700);
    const made = this.#openIn(folder, name);
    this.setOwner(made.descriptor, 0o755);
    return made;
  }

  #track(descriptor: number): number {
    this.#open.add(descriptor);
    return descriptor;
  }

  #close(descriptor: number): void {
    if (this.#open.delete(descriptor)) closeSync(descriptor);
  }

  #entry(folder: Folder, name: string): Entry {
    const whole = name === '.' ? folder.path : `${folder.path}/${name}`;
    const relative = whole.slice(this.root.directory.length + 1);
    return { at: pathOf(folder, name), sibling: (other) => pathOf(folder, other), name, relative };
  }
}

const componentsOf = (relative: string): string[] => relative.split('/').filter((part) => part !== '' && part !== '.');

const pathOf = (folder: Folder, name: string): string => (BY_DESCRIPTOR ? `/proc/self/fd/${folder.descriptor}/${name}` : `${folder.path}/${name}`);

const outside = (asked: string): FileError => new FileError(`${asked} is outside the session's folder; only paths inside it can be used.`);
