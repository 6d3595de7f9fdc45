import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';

/** The user and group that a session's tools run as and that own its files. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface Accounts {
  /** Null: the server's own. */
  of(session: string): Account | null;
  /** Whether each session has its own, so that every process of an account belongs to one session. */
  readonly perSession: boolean;
}

/**
 * User ids that systems leave unused: above the range for containers, and for containers with a small id range the gap below dynamic service users
 * (https://systemd.io/UIDS-GIDS).
 */
const RANGES = [
  { first: 0x7000_0000, count: 0x1000_0000 },
  { first: 60_578, count: 606 },
] as const;

const SERVER_ACCOUNT: Accounts = { of: () => null, perSession: false };

/**
 * The accounts of sessions when the server runs as root: the one that is configured (`uid` or `uid:gid`), or one per session, derived from its id. A server that
 * is not root, or cannot change its user id, uses its own.
 */
export async function accounts(named: string | undefined): Promise<Accounts> {
  if (process.getuid?.() !== 0) return SERVER_ACCOUNT;
  if (named !== undefined) {
    const [uid = 0, gid = uid] = named.split(':').map(Number);
    return (await canBecome({ uid, gid })) ? { of: () => ({ uid, gid }), perSession: false } : SERVER_ACCOUNT;
  }
  for (const { first, count } of RANGES) {
    if (!(await canBecome({ uid: first, gid: first }))) continue;
    return {
      of: (session) => {
        const number = first + (createHash('sha256').update(session).digest().readUInt32BE() % count);
        return { uid: number, gid: number };
      },
      perSession: true,
    };
  }
  return SERVER_ACCOUNT;
}

function canBecome(account: Account): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', 'exit 0'], { ...account, cwd: '/', env: {}, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
