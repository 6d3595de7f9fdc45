import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readFile, readlink, realpath, rmdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ReadOnlyFolder, SessionName } from '../../../ports/index.js';
import type { Account, Accounts } from './accounts.js';

/** The folder of a session, in which its tools work. */
export interface Workspace {
  /** Where its files are: an absolute path without links. */
  readonly root: string;
  /** The folder for temporary files. */
  readonly temporary: string;
  /** Mounted as /dev/shm. */
  readonly sharedMemory: string;
  /** The file that keeps the last working folder of the shell. */
  readonly workingFolderFile: string;
  /** The file that keeps the version of its files, and how they were when they were last read. */
  readonly indexFile: string;
  readonly account: Account | null;
}

/** The read-only folders of a tenant. Never rejects. */
export type ReadOnlyFolders = (tenantId: string) => Promise<readonly ReadOnlyFolder[]>;

/** Used by a server that runs as root when the configured directory lies in a private folder, which other accounts cannot enter. */
const SYSTEM_DIRECTORY = '/var/lib/verbatim';

const run = promisify(execFile);

/**
 * Makes the folders of sessions on demand: `<directory>/<tenant>/<session>/`. A tenant's folder can be entered but not listed; a session's folder can be entered
 * by its account only, which owns the files in it.
 */
export class Workspaces {
  #directory: Promise<string> | null = null;
  readonly #uses = new Map<string, () => Promise<void>>();
  readonly #entered = new Map<string, Promise<boolean>>();

  constructor(
    private readonly wanted: string,
    readonly accounts: Accounts,
    private readonly report: (problem: string, error: unknown) => void,
  ) {}

  /** The folder, once `prepare` of `during` has made it ready. */
  async of(tenantId: string, sessionId: string): Promise<Workspace> {
    await this.#uses.get(`${tenantId}/${sessionId}`)?.();
    return this.place(tenantId, sessionId);
  }

  /** While `work` runs, each use of the session's folder waits for `prepare`, which runs once unless it fails. */
  async during<T>({ tenantId, sessionId }: SessionName, prepare: () => Promise<void>, work: (wasUsed: () => boolean) => Promise<T>): Promise<T> {
    const key = `${tenantId}/${sessionId}`;
    let ready: Promise<void> | null = null;
    const use = (): Promise<void> => {
      ready ??= prepare().catch((error: unknown) => {
        ready = null;
        throw error;
      });
      return ready;
    };
    this.#uses.set(key, use);
    try {
      return await work(() => ready !== null);
    } finally {
      if (this.#uses.get(key) === use) this.#uses.delete(key);
    }
  }

  /** The folder as it is. */
  async place(tenantId: string, sessionId: string): Promise<Workspace> {
    const account = this.accounts.of(`${tenantId}/${sessionId}`);
    const above = path.join(await this.directory(), segment(tenantId), segment(sessionId));
    await make(path.dirname(above), account ? 0o711 : 0o700);
    // Owned by root, so that the session cannot change its mode; the account enters it as its group.
    if ((await make(above, account ? 0o710 : 0o700)) && account) await chown(above, 0, account.gid);
    const own = async (name: string): Promise<string> => {
      const folder = path.join(above, name);
      if ((await make(folder, 0o700)) && account) await chown(folder, account.uid, account.gid);
      return folder;
    };
    return {
      root: await own('files'),
      temporary: await own('tmp'),
      sharedMemory: await own('shm'),
      workingFolderFile: path.join(above, 'working-folder'),
      indexFile: path.join(above, 'index.json'),
      account,
    };
  }

  /** Of the folders, those that the accounts of tools can enter. The others are reported once. */
  async reachable(folders: readonly ReadOnlyFolder[]): Promise<readonly ReadOnlyFolder[]> {
    const account = this.accounts.of('');
    if (account === null) return folders;
    const found = await Promise.all(folders.map(async (folder) => ((await this.#canEnter(account, folder.directory)) ? [folder] : [])));
    return found.flat();
  }

  /** Of the files and folders, those that the accounts of tools cannot read. */
  async unreadable(places: readonly string[]): Promise<readonly string[]> {
    const account = this.accounts.of('');
    if (account === null) return [];
    return (await Promise.all(places.map(async (place) => ((await succeeds(account, '[ -r "$1" ]', place)) ? [] : [place])))).flat();
  }

  #canEnter(account: Account, directory: string): Promise<boolean> {
    const known = this.#entered.get(directory);
    if (known) return known;
    const answer = canEnter(account, directory).then((is) => {
      if (!is) this.report(`the accounts that tools run as cannot read ${directory}: make it and the folders above it accessible (chmod -R o+rX)`, null);
      return is;
    });
    this.#entered.set(directory, answer);
    return answer;
  }

  /** The folder that holds all of them. */
  directory(): Promise<string> {
    this.#directory ??= this.#prepare().catch((error: unknown) => {
      this.#directory = null;
      throw error;
    });
    return this.#directory;
  }

  /** Where the accounts of tools cannot reach the configured directory, it becomes a link to a folder in the system directory. */
  async #prepare(): Promise<string> {
    const account = this.accounts.of('');
    const place = path.resolve(this.wanted);
    await mkdir(path.dirname(place), { recursive: true });
    if (!(await isLink(place)) && account && !(await canEnter(account, path.dirname(place)))) {
      await rmdir(place).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') {
          throw new Error(`the accounts that tools run as cannot reach ${place}: make the folders above it accessible (chmod o+x), or set WORKSPACES_DIR`, {
            cause: error,
          });
        }
      });
      await mkdir(SYSTEM_DIRECTORY, { recursive: true });
      await chmod(SYSTEM_DIRECTORY, 0o755); // independent of the umask
      await symlink(path.join(SYSTEM_DIRECTORY, `workspaces-${randomUUID()}`), place).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error; // another process has made the link
      });
      this.report(`the accounts that tools run as cannot reach ${place}; it is now a link to ${await readlink(place)}`, null);
    }
    const directory = (await isLink(place)) ? await readlink(place) : place;
    await mkdir(directory, { recursive: true });
    await chmod(directory, account ? 0o711 : 0o700);
    return realpath(directory);
  }
}

/** The last working folder of a session's shell; the session's folder when there is none. */
export async function lastWorkingFolder({ root, workingFolderFile }: Workspace): Promise<string> {
  const known = await readFile(workingFolderFile, 'utf8').catch(() => '');
  return path.resolve(root, `.${path.resolve('/', known)}`);
}

/** Saves the working folder for the next command. False, and the session's folder is saved, when `directory` is outside of it. */
export async function saveWorkingFolder({ root, workingFolderFile }: Workspace, directory: string): Promise<boolean> {
  const inside = directory === root || directory.startsWith(`${root}/`);
  await writeFile(workingFolderFile, inside ? path.relative(root, directory) : '', { mode: 0o600 });
  return inside;
}

/** Ids become names of folders, so they must not contain separators or dots. */
function segment(id: string): string {
  if (!/^[\w-]{1,64}$/.test(id)) throw new Error('the id cannot be used as the name of a folder');
  return id;
}

/** Returns whether the folder is new. The mode is set independently of the umask. */
async function make(folder: string, mode: number): Promise<boolean> {
  const isNew = (await mkdir(folder, { recursive: true, mode })) !== undefined;
  if (isNew) await chmod(folder, mode);
  return isNew;
}

const isLink = (place: string): Promise<boolean> =>
  readlink(place).then(
    () => true,
    () => false,
  );

const canEnter = (account: Account, directory: string): Promise<boolean> => succeeds(account, 'cd "$1"', directory);

const succeeds = ({ uid, gid }: Account, command: string, place: string): Promise<boolean> =>
  run('/bin/sh', ['-c', command, 'sh', place], { uid, gid, cwd: '/' }).then(
    () => true,
    () => false,
  );

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
