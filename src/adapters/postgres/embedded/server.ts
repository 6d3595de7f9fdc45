import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../database-error.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { SERVER_ENVIRONMENT } from './cluster.js';
import { birthMark, commandLine } from './processes.js';

export const POLL_MS = 20;

/** A live server process on a data directory. */
export interface Server {
  readonly pid: number;
  readonly port: number;
  /** It takes connections; false while it starts or stops. */
  readonly ready: boolean;
  /** The mark of whoever started it, see `ownerMark`. */
  readonly owner: string | undefined;
}

/**
 * Everything is read from the server itself: its pid file for state and port, its command line for who started it. So
 * there is no record of ours that could disagree with it.
 */
export async function findServer(dataDirectory: string): Promise<Server | undefined> {
  const file = path.join(dataDirectory, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!pid) return undefined;
  const command = await commandLine(pid);
  if (command === undefined) return undefined; // left by a killed server; the next one replaces it
  if (!command.includes(` -D ${dataDirectory} `)) {
    await rm(file, { force: true }); // the pid is someone else's now; Postgres would take that for a running server
    return undefined;
  }
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready', owner: /verbatim\.owner=(\S+)/.exec(command)?.[1] };
}

/** Names the process (and, within it, the use of the cluster) that a server belongs to. */
export async function ownerMark(use: string): Promise<string> {
  return `${process.pid}:${await birthMark(process.pid)}:${use}`;
}

export async function ownerLives(server: Server): Promise<boolean> {
  const [pid, born] = (server.owner ?? '').split(':').map(Number);
  return pid !== undefined && pid > 0 && (await birthMark(pid)) === born;
}

/** Clients are cut off, everything committed is kept. */
export function requestStop(server: Server): void {
  try {
    process.kill(server.pid, 'SIGINT');
  } catch {
    // already gone
  }
}

/**
 * The shell holds one end of a pipe whose other end is ours: when we die, however we die, its read returns and the
 * server stops. The whole is a session of its own, so that Ctrl-C reaches the application first and Postgres last.
 */
const WATCHED = `
directory_to_delete=$1; shift
"$@" 3<&- &
server=$!
(read _ <&3; kill -INT $server) 2>/dev/null &
watcher=$!
wait $server
kill $watcher 2>/dev/null || [ -z "$directory_to_delete" ] || rm -rf "$directory_to_delete"
`;

export interface Launch {
  readonly dataDirectory: string;
  readonly port: number;
  readonly owner: string;
  /** No fsync: for what is thrown away anyway. */
  readonly volatile: boolean;
  /** Deleted by the watcher when this process dies without stopping the server. */
  readonly deleteWithUs: string | undefined;
  /** Epoch milliseconds after which we no longer wait. */
  readonly deadline: number;
  readonly log: (line: string) => void;
}

/** Starts a server; resolves when it is ready (undefined), or with the end of its log when it ended or was too slow. */
export async function launch(
  binaries: Binaries,
  account: Account,
  { dataDirectory, port, owner, volatile, deleteWithUs, deadline, log }: Launch,
): Promise<string | undefined> {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    log_min_messages: 'warning',
    log_line_prefix: '[%p] ',
    log_checkpoints: 'off',
    timezone: 'UTC',
    'verbatim.owner': owner,
    // Still safe against the end of any process: commits are with the system before they are acknowledged, only not on the disk.
    ...(volatile ? { fsync: 'off', full_page_writes: 'off' } : {}),
  };
  const server = [binaries.postgres, '-D', dataDirectory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', deleteWithUs ?? '', ...server], {
    ...account,
    cwd: '/',
    detached: true,
    env: SERVER_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let tail = '';
  let ended = false;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-4000);
    for (const line of text.split('\n')) if (line) log(line);
  });
  child.once('error', (error) => {
    tail += errorText(error);
    ended = true;
  });
  child.once('close', () => (ended = true));
  // None of this keeps our process alive.
  child.unref();
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();

  for (;;) {
    const found = await findServer(dataDirectory);
    if (found?.owner === owner && found.ready) return undefined;
    if (ended || Date.now() > deadline) return tail.trim() || 'it ended without a word';
    await pause(POLL_MS);
  }
}
