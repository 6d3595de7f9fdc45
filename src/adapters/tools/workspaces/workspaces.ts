import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, readFile, readlink, realpath, rmdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Account, Accounts } from './accounts.js';

/** The folder of a session, in which its tools work. */
export interface Workspace {
  /** Where its files lie: an absolute path without links. */
  readonly root: string;
  /** For what does not last, out of the files' way. */
  readonly temporary: string;
  /** For memory that processes share, where the system keeps that in files. */
  readonly sharedMemory: string;
  /** Keeps the folder the shell was last in. */
  readonly place: string;
  readonly account: Account | null;
}

/** Used only as root, for what a private folder would hide from the accounts that tools run as. */
const SYSTEM_DIRECTORY = '/var/lib/verbatim';

const run = promisify(execFile);

/**
 * Makes sessions' folders on demand: `<directory>/<tenant>/<session>/`. A tenant's can be passed through but not listed, a session's by its account alone,
 * which owns what lies in it.
 */
export class Workspaces {
  #directory: Promise<string> | null = null;

  constructor(
    private readonly wanted: string,
    readonly accounts: Accounts,
    private readonly report: (problem: string, error: unknown) => void,
  ) {}

  async of(tenantId: string, sessionId: string): Promise<Workspace> {
    const account = this.accounts.of(`${tenantId}/${sessionId}`);
    const above = path.join(await this.directory(), segment(tenantId), segment(sessionId));
    await make(path.dirname(above), account ? 0o711 : 0o700);
    // Ours, so that it stays as it is; the account passes through it as its group.
    if ((await make(above, account ? 0o710 : 0o700)) && account) await chown(above, 0, account.gid);
    const own = async (name: string): Promise<string> => {
      const folder = path.join(above, name);
      if ((await make(folder, 0o700)) && account) await chown(folder, account.uid, account.gid);
      return folder;
    };
    return { root: await own('files'), temporary: await own('tmp'), sharedMemory: await own('shm'), place: path.join(above, 'place'), account };
  }

  /** The folder of them all. */
  directory(): Promise<string> {
    this.#directory ??= this.#settle().catch((error: unknown) => {
      this.#directory = null;
      throw error;
    });
    return this.#directory;
  }

  /** Where a private folder above hides the wanted place from the tools' accounts, the wanted place is a link to one in the system directory. */
  async #settle(): Promise<string> {
    const account = this.accounts.of('');
    const place = path.resolve(this.wanted);
    await mkdir(path.dirname(place), { recursive: true });
    if (!(await isLink(place)) && account && !(await canEnter(account, path.dirname(place)))) {
      await rmdir(place).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') {
          throw new Error(`the accounts that tools run as cannot reach ${place}: open the folders above it to them (chmod o+x), or set WORKSPACES_DIR`, {
            cause: error,
          });
        }
      });
      await mkdir(SYSTEM_DIRECTORY, { recursive: true });
      await chmod(SYSTEM_DIRECTORY, 0o755); // whatever our umask is
      await symlink(path.join(SYSTEM_DIRECTORY, `workspaces-${randomUUID()}`), place).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error; // another process was faster; its link counts
      });
      this.report(`the accounts that tools run as cannot reach ${place}; it now leads to ${await readlink(place)}`, null);
    }
    const directory = (await isLink(place)) ? await readlink(place) : place;
    await mkdir(directory, { recursive: true });
    await chmod(directory, account ? 0o711 : 0o700);
    return realpath(directory);
  }
}

/** Where the shell of a session was last, if that is still in its folder; else the folder. */
export async function lastPlace({ root, place }: Workspace): Promise<string> {
  const known = await readFile(place, 'utf8').catch(() => '');
  return path.resolve(root, `.${path.resolve('/', known)}`);
}

/** Remembers where the shell is. False, and back in the session's folder, when that is not inside it. */
export async function moveTo({ root, place }: Workspace, directory: string): Promise<boolean> {
  const inside = directory === root || directory.startsWith(`${root}/`);
  await writeFile(place, inside ? path.relative(root, directory) : '', { mode: 0o600 });
  return inside;
}

/** Ids are used as names of folders, so they must be nothing else. */
function segment(id: string): string {
  if (!/^[\w-]{1,64}$/.test(id)) throw new Error('an id that cannot be the name of a folder');
  return id;
}

/** Whether the folder is new. The mode is as given whatever our umask is. */
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

const canEnter = ({ uid, gid }: Account, directory: string): Promise<boolean> =>
  run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { uid, gid, cwd: '/' }).then(
    () => true,
    () => false,
  );

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
