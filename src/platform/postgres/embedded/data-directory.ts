import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readlink, realpath, rmdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseError, errorCode } from '../database-error.js';
import { canEnter, type Account } from './account.js';

/** Used only as root, for files that the server's account must reach when the checkout is closed to it. */
const SYSTEM_DIRECTORY = '/var/lib/verbatim';

/**
 * The real path of the cluster requested as `wanted`; its parent exists and `account` can traverse it. If the account cannot reach `wanted`, the cluster is
 * stored in the system directory and `wanted` is a link to it: a moved checkout keeps its data, and a deleted link means a new, empty cluster.
 */
export async function placeDataDirectory(wanted: string, account: Account, log: (line: string) => void): Promise<string> {
  await mkdir(path.dirname(wanted), { recursive: true });
  const parent = await realpath(path.dirname(wanted));
  const place = path.join(parent, path.basename(wanted));
  const linked = await target(place);
  if (linked !== undefined) return linked;
  if (await canEnter(account, parent)) return place;

  await rmdir(place).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return;
    throw new DatabaseError(
      'embedded_data_unreachable',
      `Postgres runs as uid ${account.uid} and cannot reach the existing data directory ${place}. Open the folders above it to that account (chmod o+x), or move it elsewhere and set DATA_DIR.`,
      { cause: error },
    );
  });
  await systemDirectory();
  await symlink(path.join(SYSTEM_DIRECTORY, `${path.basename(place)}-${randomUUID()}`), place).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error; // a concurrent process has created the link
  });
  const chosen = await readlink(place);
  log(`the account of the Postgres server cannot reach the data directory; ${place} is now a link to ${chosen}`);
  return chosen;
}

/** A new directory for a temporary cluster, owned by the account. */
export async function temporaryDirectory(account: Account): Promise<string> {
  const reachable = await canEnter(account, tmpdir());
  if (!reachable) await systemDirectory();
  const directory = await mkdtemp(path.join(reachable ? await realpath(tmpdir()) : SYSTEM_DIRECTORY, 'verbatim-postgres-'));
  await give(directory, account);
  return directory;
}

/** Where a copy of the server's programs may be stored. */
export async function spareDirectory(dataDirectory: string, account: Account): Promise<string> {
  return account.uid === undefined ? path.dirname(dataDirectory) : systemDirectory();
}

export async function give(file: string, { uid, gid }: Account): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(file, uid, gid);
}

async function systemDirectory(): Promise<string> {
  await mkdir(SYSTEM_DIRECTORY, { recursive: true });
  await chmod(SYSTEM_DIRECTORY, 0o755); // independent of the umask
  return SYSTEM_DIRECTORY;
}

async function target(place: string): Promise<string | undefined> {
  return readlink(place).then(
    (link) => path.resolve(path.dirname(place), link),
    () => undefined,
  );
}
