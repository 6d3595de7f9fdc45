import { closeSync, constants, openSync } from 'node:fs';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** Names of files while they are written. A process that is killed leaves such a file; it is no file of the session. */
export const TEMPORARY = /^\.[0-9a-f]{16}\.part$/;

/** On Linux an entry can be named through the open descriptor of its folder, so that a folder that is replaced meanwhile has no effect. */
const BY_DESCRIPTOR = process.platform === 'linux';

/** An open folder beneath the session's. Links are never followed. */
export class Descent {
  private constructor(
    readonly descriptor: number,
    /** Where it is; another program may have moved it since. */
    readonly path: string,
  ) {}

  static root(path: string): Descent {
    return new Descent(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path);
  }

  /** A path for file system calls, valid until the folder is closed. Names may be bytes. */
  at(name: string): string {
    return BY_DESCRIPTOR ? `/proc/self/fd/${this.descriptor}/${name}` : `${this.path}/${name}`;
  }

  /** A path by which the folder itself is listed. */
  get listed(): string {
    return this.at('');
  }

  /** Throws ENOTDIR or ELOOP for what is no folder. */
  enter(name: string): Descent {
    return new Descent(openSync(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW), `${this.path}/${name}`);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Runs `work` in the folder of an entry. `open` opens each folder on the way. Throws what `open` throws. */
export function inFolderOf<T>(root: string, path: string, open: (folder: Descent, name: string) => Descent, work: (folder: Descent, name: string) => T): T {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  if ([name, ...parts].some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')))
    throw new Error('a path of a recorded file leads nowhere');
  let folder = Descent.root(root);
  try {
    for (const part of parts) {
      const next = open(folder, part);
      folder.close();
      folder = next;
    }
    return work(folder, name);
  } finally {
    folder.close();
  }
}

export const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
