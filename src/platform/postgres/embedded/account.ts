import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DatabaseError } from '../database-error.js';

const run = promisify(execFile);

/** The account that the server runs as. Empty: the account of this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Postgres does not run as root. A process of root runs it as the owner of the existing cluster or, for a new cluster, as an account that every machine has;
 * no account is created.
 */
export async function serverAccount(dataDirectory?: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const existing = dataDirectory && (await stat(path.join(dataDirectory, 'PG_VERSION')).catch(() => undefined));
  if (existing && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };

  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new DatabaseError(
    'embedded_unsupported',
    'Postgres cannot run as root, and this machine has neither an account "postgres" nor "nobody". Start as another user, or set DATABASE_URL to a Postgres server.',
  );
}

/** Whether the account may traverse the directory. */
export async function canEnter(account: Account, directory: string): Promise<boolean> {
  if (account.uid === undefined) return true;
  return run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  );
}
