import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';

/** Whom a session's tools run as, and who owns its files. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface Accounts {
  /** Null: as the server itself. */
  of(session: string): Account | null;
  /** Sessions have different ones, so that they cannot get at each other, and everything that runs as one of them belongs to its session. */
  readonly perSession: boolean;
}

/**
 * Numbers that nobody on a machine uses: those between what containers and what nothing may have, and for a container with a small share of the numbers
 * those between people and services (https://systemd.io/UIDS-GIDS).
 */
const RANGES = [
  { first: 0x7000_0000, count: 0x1000_0000 },
  { first: 60_578, count: 606 },
] as const;

const AS_THE_SERVER: Accounts = { of: () => null, perSession: false };

/**
 * Who is who when the server runs as root: the one account that is named (`uid` or `uid:gid`), or for each session a number of its own, made from its id. A
 * server that is not root, or may not become somebody else, has only itself.
 */
export async function accounts(named: string | undefined): Promise<Accounts> {
  if (process.getuid?.() !== 0) return AS_THE_SERVER;
  if (named !== undefined) {
    const [uid = 0, gid = uid] = named.split(':').map(Number);
    return (await canBecome({ uid, gid })) ? { of: () => ({ uid, gid }), perSession: false } : AS_THE_SERVER;
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
  return AS_THE_SERVER;
}

function canBecome(account: Account): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', 'exit 0'], { ...account, cwd: '/', env: {}, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
