import { spawn } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../database-error.js';
import type { Account } from './account.js';
import type { Binaries } from './binaries.js';
import { SERVER_ENVIRONMENT } from './cluster.js';
import { commandLine, isAlive, startMark } from './processes.js';

export const POLL_MS = 20;

/** How long a fast shutdown may take before the server is made to stop without a checkpoint, and how long that may take before it is killed. */
const FAST_SHUTDOWN_MS = 5_000;
const IMMEDIATE_SHUTDOWN_MS = 5_000;

/** A live server process on a data directory. */
export interface Server {
  readonly pid: number;
  readonly port: number;
  /** Whether it accepts connections; false while it starts or stops. */
  readonly ready: boolean;
  /** The mark of the process that started it, see `ownerMark`. */
  readonly owner: string | undefined;
}

/** Reads everything from the server itself: state and port from its pid file, the owner from its command line. No record of our own can disagree with it. */
export async function findServer(dataDirectory: string): Promise<Server | undefined> {
  const file = path.join(dataDirectory, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!pid) return undefined;
  const command = await commandLine(pid);
  if (command === undefined) return undefined; // the file of a killed server; the next server replaces it
  if (!command.includes(` -D ${dataDirectory} `)) {
    await rm(file, { force: true }); // another program has the pid now, which Postgres would take for a running server
    return undefined;
  }
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready', owner: /verbatim\.owner=(\S+)/.exec(command)?.[1] };
}

/** Identifies the process, and its use of the cluster, that a server belongs to. */
export async function ownerMark(use: string): Promise<string> {
  return `${process.pid}:${await startMark(process.pid)}:${use}`;
}

export async function isOwnerAlive(server: Server): Promise<boolean> {
  const [pid, started] = (server.owner ?? '').split(':').map(Number);
  return pid !== undefined && pid > 0 && (await startMark(pid)) === started;
}

/**
 * Stops a server within a bounded time, by growing force: SIGINT (connections are closed), SIGQUIT (no checkpoint: the next start recovers from the log), at last
 * SIGKILL of the postmaster and its children, since a server on a directory with live children does not start. Each signal is sent once: a postmaster that
 * receives SIGINT during crash recovery may stay in state "stopping" without end. Committed transactions survive every one of them.
 */
export async function stopServer(server: Server): Promise<void> {
  const { pid } = server;
  const steps = [
    { name: 'SIGINT', waitMs: FAST_SHUTDOWN_MS },
    { name: 'SIGQUIT', waitMs: IMMEDIATE_SHUTDOWN_MS },
  ] as const;
  for (const { name, waitMs } of steps) {
    send(pid, name);
    for (const deadline = Date.now() + waitMs; Date.now() < deadline; await pause(POLL_MS)) if (!(await isAlive(pid))) return;
  }
  const children = await childrenOf(pid);
  for (const process of [pid, ...children]) send(process, 'SIGKILL');
  while ((await Promise.all([pid, ...children].map(isAlive))).some(Boolean)) await pause(POLL_MS);
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has exited
  }
}

/** Empty on systems without /proc, where the children notice the end of the postmaster by themselves. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')));
  return lists.flatMap((list) => list.split(' ').map(Number)).filter((child) => child > 0);
}

/**
 * The shell holds one end of a pipe whose other end this process holds: when this process ends, however it ends, `read` returns and the shell stops the
 * server, by the same steps as `stopServer`. Server and shell are a separate session, so that Ctrl-C reaches only the application.
 */
const WATCHED = `
directory_to_delete=$1; shift
"$@" 3<&- &
server=$!
escalate() {
  for signal in QUIT KILL; do
    for _ in 1 2 3 4 5; do sleep 1; kill -0 $server || exit; done
    children=$(cat /proc/$server/task/*/children)
    kill -$signal $server
    [ $signal = QUIT ] || kill -KILL $children
  done
}
(read _ <&3; kill -INT $server; escalate 3<&- &) 2>/dev/null &
watcher=$!
wait $server
kill $watcher 2>/dev/null || [ -z "$directory_to_delete" ] || rm -rf "$directory_to_delete"
`;

export interface Launch {
  readonly dataDirectory: string;
  readonly port: number;
  readonly owner: string;
  /** No fsync, for temporary clusters. */
  readonly volatile: boolean;
  /** Deleted by the watcher when this process ends without stopping the server. */
  readonly deleteOnExit: string | undefined;
  /** Epoch milliseconds after which the wait ends. */
  readonly deadline: number;
  readonly log: (line: string) => void;
}

/** Starts a server. Resolves to undefined when it is ready, or to the end of its log when it exited or was not ready in time. */
export async function launch(
  binaries: Binaries,
  account: Account,
  { dataDirectory, port, owner, volatile, deleteOnExit, deadline, log }: Launch,
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
    // Commits still survive a crash of any process: they reach the operating system before they are acknowledged, only not the disk.
    ...(volatile ? { fsync: 'off', full_page_writes: 'off' } : {}),
  };
  const server = [binaries.postgres, '-D', dataDirectory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', deleteOnExit ?? '', ...server], {
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
  // Neither the child nor its pipes keep this process running.
  child.unref();
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();

  for (;;) {
    const found = await findServer(dataDirectory);
    if (found?.owner === owner && found.ready) return undefined;
    if (ended || Date.now() > deadline) return tail.trim() || 'it exited without a message';
    await pause(POLL_MS);
  }
}
