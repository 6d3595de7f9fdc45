import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { serverAccount } from '../../src/platform/postgres/embedded/account.js';
import { serverBinaries } from '../../src/platform/postgres/embedded/binaries.js';
import { createCluster, SERVER_ENVIRONMENT, clusterPassword } from '../../src/platform/postgres/embedded/cluster.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { freePort } from './port.js';
import { signalTree } from './process-tree.js';

const WAIT_MS = 60_000;

/** A primary and a standby that follows it. */
export class ReplicatedPostgres {
  private constructor(
    private readonly directory: string,
    private readonly primary: Server,
    private readonly standby: Server,
  ) {}

  /** `isSynchronous`: a commit is acknowledged when both have it. `standbySettings`: as of the command line of Postgres. */
  static async start(
    database: string,
    { isSynchronous = true, standbySettings = [] }: { readonly isSynchronous?: boolean; readonly standbySettings?: readonly string[] } = {},
  ): Promise<ReplicatedPostgres> {
    const account = await serverAccount();
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-replicated-'));
    if (account.uid !== undefined) await chown(directory, account.uid, account.gid!);
    const binaries = await serverBinaries(account, directory, () => undefined);
    const [first, second] = [path.join(directory, 'first'), path.join(directory, 'second')];
    await createCluster(first, binaries, account, true);
    await appendFile(path.join(first, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
    // Copied before it has ever run, the standby has all that the primary has.
    await promisify(execFile)('cp', ['-a', first, second]);
    const password = await clusterPassword(first);
    const [primary, standby] = [
      new Server(binaries.postgres, account, first, await freePort()),
      new Server(binaries.postgres, account, second, await freePort()),
    ];
    await writeFile(path.join(second, 'standby.signal'), '');
    await appendFile(
      path.join(second, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres password=${password} application_name=second'\n`,
    );
    await primary.start('-c', 'wal_keep_size=256MB', ...(isSynchronous ? ['-c', 'synchronous_standby_names=second'] : []));
    const settings = standbySettings.flatMap((setting) => ['-c', setting]);
    await standby.start(...settings);
    const replicated = new ReplicatedPostgres(directory, primary, standby);
    await withConnection(primary.url(password, 'postgres'), WAIT_MS, (client) => client.query(`CREATE DATABASE ${database}`));
    replicated.#standbySettings = settings;
    [replicated.#primaryUrl, replicated.#standbyUrl] = [primary.url(password, database), standby.url(password, database)];
    await withConnection(replicated.#primaryUrl, WAIT_MS, untilReplayed(standby.url(password, 'postgres')));
    replicated.#url = `postgresql://postgres:${password}@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/${database}`;
    return replicated;
  }

  #url = '';
  #primaryUrl = '';
  #standbyUrl = '';
  #standbySettings: readonly string[] = [];

  /** Both, the standby first. */
  get url(): string {
    return this.#url;
  }

  get primaryUrl(): string {
    return this.#primaryUrl;
  }

  get standbyUrl(): string {
    return this.#standbyUrl;
  }

  /** Until `resume`, the standby receives what is committed and does not show it. */
  async pauseReplay(): Promise<void> {
    await withConnection(this.#standbyUrl, WAIT_MS, (client) => client.query('SELECT pg_wal_replay_pause()'));
    await withConnection(this.#standbyUrl, WAIT_MS, async (client) => {
      const state = async () => (await client.query<{ state: string }>('SELECT pg_get_wal_replay_pause_state() AS state')).rows[0]!.state;
      while ((await state()) !== 'paused') await pause(5);
    });
  }

  async resumeReplay(): Promise<void> {
    await withConnection(this.#standbyUrl, WAIT_MS, (client) => client.query('SELECT pg_wal_replay_resume()'));
  }

  /** The server and its backends stop until `thawStandby`; the kernel keeps their connections. */
  async freezeStandby(): Promise<void> {
    await this.standby.signalAll('SIGSTOP');
  }

  async thawStandby(): Promise<void> {
    await this.standby.signalAll('SIGCONT');
  }

  async killStandby(): Promise<void> {
    await this.standby.end('SIGQUIT'); // at once, with its backends, as in a crash
  }

  async startStandby(): Promise<void> {
    await this.standby.start(...this.#standbySettings);
  }

  promoteStandby(): Promise<void> {
    return this.standby.promote();
  }

  /** Ends the primary without warning; then the standby is the primary. */
  async failOver(): Promise<void> {
    await this.primary.end('SIGKILL');
    await this.standby.promote();
  }

  async stop(): Promise<void> {
    for (const server of [this.standby, this.primary]) await server.end('SIGQUIT');
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Resolves when the standby shows all that the primary has committed by now. */
const untilReplayed =
  (standbyUrl: string) =>
  async (primary: Client): Promise<void> => {
    const { rows } = await primary.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn');
    await withConnection(standbyUrl, WAIT_MS, async (client) => {
      const isThere = async () =>
        (await client.query<{ there: boolean }>('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there', [rows[0]!.lsn])).rows[0]!.there;
      while (!(await isThere())) await pause(5);
    });
  };

class Server {
  #child: ChildProcess | null = null;

  constructor(
    private readonly program: string,
    private readonly account: { readonly uid?: number; readonly gid?: number },
    private readonly directory: string,
    readonly port: number,
  ) {}

  url(password: string, database: string): string {
    return `postgresql://postgres:${password}@127.0.0.1:${this.port}/${database}`;
  }

  async start(...settings: readonly string[]): Promise<void> {
    const own = ['-D', this.directory, '-p', String(this.port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'];
    this.#child = spawn(this.program, [...own, ...settings], { ...this.account, env: SERVER_ENVIRONMENT, cwd: '/', stdio: 'ignore' });
    const password = await clusterPassword(this.directory);
    await withConnection(this.url(password, 'postgres'), WAIT_MS, (client) => client.query('SELECT 1'));
  }

  async promote(): Promise<void> {
    const url = this.url(await clusterPassword(this.directory), 'postgres');
    await withConnection(url, WAIT_MS, (client) => client.query('SELECT pg_promote()'));
  }

  /** To the server and every process that it has started. */
  signalAll(signal: NodeJS.Signals): Promise<void> {
    return signalTree(this.#child!.pid!, signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
