import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DatabaseError } from '../database-error.js';

const run = promisify(execFile);

/** Whom the server runs as. Empty: as ourselves. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Postgres refuses to run as root. There it runs as whoever owns the cluster already, or, for a new cluster, as an
 * account that exists on the machine anyway; we create none.
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

/** Whether the account may pass through the directory to something it owns inside. */
export async function canEnter(account: Account, directory: string): Promise<boolean> {
  if (account.uid === undefined) return true;
  return run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  );
}
