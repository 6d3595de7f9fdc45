import { closeSync, constants, fchmodSync, fchownSync, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { Account } from '../workspaces/accounts.js';
import { FileError } from './file-error.js';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Links to follow on one way, as the system itself does. */
const MAX_LINKS = 40;

/** Linux names an entry of an open folder through the folder itself, so that nobody can put another one in its place in between. */
const BY_HANDLE = process.platform === 'linux';

interface Folder {
  readonly handle: number;
  readonly path: string;
}

/** An entry of a folder inside the root, which is no link; it need not exist. */
export interface Entry {
  /** Names it for calls of the file system, as long as this has not been closed. */
  readonly at: string;
  /** Names another entry of the same folder. */
  beside(name: string): string;
  readonly name: string;
  /** Below the root. */
  readonly relative: string;
}

/**
 * Finds what lies beneath a folder, and nothing else: it goes from folder to folder by open handles, follows links itself, and refuses those that lead out.
 * (Where entries cannot be named through a handle, somebody who changes folders meanwhile could still mislead it.) A path is relative to the root, or absolute
 * and inside it.
 */
export class PathResolver {
  readonly #opened: number[] = [];

  constructor(
    private readonly root: string,
    /** Owner of what is made here, and of every file that may be opened; null: the server itself. */
    private readonly account: Account | null,
  ) {}

  /** Where `asked` leads. With `make`, missing folders on the way are made. */
  find(asked: string, make = false): Entry {
    const pending = this.#parts(asked, asked).reverse();
    let trail: Folder[] = [this.#openRoot()];
    let links = 0;
    for (;;) {
      const folder = trail.at(-1) as Folder;
      const name = pending.pop();
      if (name === undefined) return this.#entry(trail, '.');
      if (name === '..') {
        if (trail.length === 1) throw outside(asked);
        trail.pop();
        continue;
      }
      const at = entryOf(folder, name);
      const found = lstatSync(at, { throwIfNoEntry: false });
      if (found?.isSymbolicLink()) {
        if ((links += 1) > MAX_LINKS) throw new FileError(`${asked} leads in a circle of links.`);
        const target = readlinkSync(at);
        if (path.isAbsolute(target)) trail = trail.slice(0, 1);
        pending.push(...this.#parts(target, asked).reverse());
      } else if (found?.isDirectory()) {
        if (pending.length === 0) return this.#entry(trail, name);
        trail.push(this.#open(folder, name));
      } else if (found || !make || pending.length === 0) {
        if (pending.length > 0) throw new FileError(found ? `${asked} leads through something that is no folder.` : `${asked} does not exist.`);
        return this.#entry(trail, name);
      } else {
        trail.push(this.#make(folder, name));
      }
    }
  }

  /** Opens a file to read it; refuses what is no regular file, and what belongs to somebody else, such as a second name of another's file. */
  openFile(entry: Entry, asked: string): { readonly handle: number; readonly stats: Stats } {
    const handle = openSync(entry.at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    this.#opened.push(handle);
    const stats = fstatSync(handle);
    if (stats.isDirectory()) throw new FileError(`${asked} is a folder.`);
    if (!stats.isFile()) throw new FileError(`${asked} is no regular file.`);
    if (this.account && stats.uid !== this.account.uid) throw new FileError(`${asked} belongs to somebody else.`);
    return { handle, stats };
  }

  /** Where the folder `asked` lies beneath the root; refuses what is no folder. */
  folder(asked: string): string {
    const { at, relative } = this.find(asked);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (!found?.isDirectory()) throw new FileError(`${asked} ${found ? 'is no folder' : 'does not exist'}.`);
    return relative;
  }

  /** A name for the folder `asked` to list it by. */
  openFolder(asked: string): string {
    const { at } = this.find(asked);
    const handle = openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#opened.push(handle);
    return BY_HANDLE ? `/proc/self/fd/${handle}/` : at;
  }

  /** Hands what was made here to whom it belongs. */
  give(handle: number, mode: number): void {
    if (this.account) fchownSync(handle, this.account.uid, this.account.gid);
    fchmodSync(handle, mode);
  }

  /** Lets go of everything; no entry found before may be used any more. */
  close(): void {
    for (const handle of this.#opened.splice(0)) closeSync(handle);
  }

  #parts(given: string, asked: string): string[] {
    if (given.includes('\0')) throw new FileError('A path cannot hold a NUL character.');
    if (path.isAbsolute(given) && given !== this.root && !given.startsWith(`${this.root}/`)) throw outside(asked);
    const relative = path.isAbsolute(given) ? given.slice(this.root.length) : given;
    return relative.split('/').filter((part) => part !== '' && part !== '.');
  }

  #openRoot(): Folder {
    const handle = openSync(this.root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#opened.push(handle);
    return { handle, path: this.root };
  }

  #open(folder: Folder, name: string): Folder {
    const handle = openSync(entryOf(folder, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#opened.push(handle);
    return { handle, path: `${folder.path}/${name}` };
  }

  #make(folder: Folder, name: string): Folder {
    mkdirSync(entryOf(folder, name), 0o700);
    const made = this.#open(folder, name);
    this.give(made.handle, 0o755);
    return made;
  }

  #entry(trail: readonly Folder[], name: string): Entry {
    const folder = trail.at(-1) as Folder;
    const whole = name === '.' ? folder.path : `${folder.path}/${name}`;
    return { at: entryOf(folder, name), beside: (other) => entryOf(folder, other), name, relative: whole.slice(this.root.length + 1) };
  }
}

const entryOf = (folder: Folder, name: string): string => (BY_HANDLE ? `/proc/self/fd/${folder.handle}/${name}` : `${folder.path}/${name}`);

const outside = (asked: string): FileError => new FileError(`${asked} lies outside the session's folder; only what is inside it can be used.`);
