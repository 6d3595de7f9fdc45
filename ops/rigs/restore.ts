import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { JsonLinesFile } from '../../src/features/proofs/anchors/json-lines-file.js';
import { readCheckpoint } from '../../packages/proofs/checkpoint.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { serverAccount } from '../../src/platform/postgres/embedded/account.js';
import { Client } from '../../test/support/client.js';
import { InstalledPostgres } from '../../test/support/postgres-programs.js';
import { eventually } from './eventually.js';
import { filled } from './files.js';
import { verbatim } from './ledger.js';
import type { Rig, UnderLoad } from './rig.js';

const WAIT_MS = 60_000;

export const restore: Rig = {
  name: 'restore',
  about: 'pgBackRest: the database is lost and restored to its last WAL, and to a point in time, after which the log says what to do',
  programs: ['pgbackrest', 'pg_basebackup'],
  async start() {
    const drill = await Drill.prepare();
    return {
      servers: [{}],
      databaseUrl: drill.url,
      faults: [
        { name: 'restored to the end of the WAL', isShort: false, inject: (under) => drill.toTheEnd(under) },
        { name: 'restored to a point in time', isShort: true, inject: (under) => drill.toPointInTime(under) },
      ],
      stop: () => drill.stop(),
    };
  },
};

/** A Postgres whose WAL pgBackRest archives, and those that are restored from it. */
class Drill {
  #restored = 0;

  private constructor(
    private readonly directory: string,
    private readonly config: string,
    private postgres: InstalledPostgres,
  ) {}

  static async prepare(): Promise<Drill> {
    const account = await serverAccount();
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-restore-'));
    for (const name of ['', 'first', 'repository', 'locks']) {
      await mkdir(path.join(directory, name), { recursive: true });
      if (account.uid !== undefined) await chown(path.join(directory, name), account.uid, account.gid!);
    }
    const config = path.join(directory, 'pgbackrest.conf');
    const postgres = await InstalledPostgres.start(path.join(directory, 'first'), archiving(directory, config));
    const drill = new Drill(directory, config, postgres);
    await drill.#configure('first');
    await drill.#pgbackrest('stanza-create');
    await withConnection(`${postgres.url}/postgres`, WAIT_MS, (client) => client.query('CREATE DATABASE verbatim'));
    return drill;
  }

  get url(): string {
    return `${this.postgres.url}/verbatim`;
  }

  /** All acknowledged prompts are kept, and the log continues by itself. */
  async toTheEnd(under: UnderLoad): Promise<void> {
    await this.#pgbackrest('backup');
    await under.load.stop();
    await this.#lose(under);
    await this.#restore(under, '--type=default');
    await verbatim(under.servers.settings, 'log', 'status');
    await this.#continue(under);
  }

  /** What came after that time is lost, which the log says, and the rest is kept. */
  async toPointInTime(under: UnderLoad): Promise<void> {
    const { load, servers } = under;
    await this.#pgbackrest('backup');
    await load.stop();
    const kept = [...load.told];
    const time = await this.#ask<string>('SELECT clock_timestamp()::text AS value');
    await load.start();
    await load.stop();
    const lost = load.told.filter((told) => !kept.includes(told));
    const events = Number(await this.#ask<string>('SELECT count(*)::text AS value FROM event'));
    const anchors = new JsonLinesFile(servers.anchorFile);
    const anchored = async () => readCheckpoint((await anchors.newest()) ?? '')?.size ?? 0;
    await eventually('all events are in an anchored checkpoint', async () => (await anchored()) >= events);
    await this.#lose(under);
    await this.#restore(under, '--type=time', `--target=${time}`, '--target-action=promote');
    const said = await verbatim(servers.settings, 'log', 'status').then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    if (!said.includes('verbatim log begin NAME')) throw new Error(`after the loss of anchored events, verbatim log status says ${said}`);
    await verbatim(servers.settings, 'log', 'begin', `rig/log-${this.#restored}`);
    load.told = kept;
    await this.#continue(under);
    const client = new Client(servers.urls[0]!, servers.token);
    for (const { sessionId } of lost) {
      const { status } = await client.get(`/v1/sessions/${sessionId}`);
      if (status !== 404) throw new Error(`session ${sessionId}, made after the point in time, answers ${status}`);
    }
  }

  async stop(): Promise<void> {
    await this.postgres.stop().catch(() => undefined); // already ended
    await rm(this.directory, { recursive: true, force: true });
  }

  async #configure(name: string): Promise<void> {
    const values = {
      REPOSITORY: path.join(this.directory, 'repository'),
      LOCKS: path.join(this.directory, 'locks'),
      DATA_DIR: path.join(this.directory, name),
      SOCKET_DIR: this.directory,
      POSTGRES_PORT: new URL(this.postgres.url).port,
    };
    await writeFile(this.config, await filled('pgbackrest.conf', values));
    await chmod(this.config, 0o644);
  }

  /** The servers are stopped, the WAL is archived, the database crashes. */
  async #lose({ servers }: UnderLoad): Promise<void> {
    await servers.stopAll();
    const last = await this.#ask<string>('SELECT pg_walfile_name(pg_switch_wal()) AS value');
    const archived = () => this.#ask<boolean>(`SELECT coalesce(last_archived_wal >= '${last}', false) AS value FROM pg_stat_archiver`);
    await eventually('the WAL is archived', archived);
    await this.postgres.stop();
  }

  async #restore({ servers }: UnderLoad, ...options: readonly string[]): Promise<void> {
    this.#restored += 1;
    const name = `restored-${this.#restored}`;
    const data = path.join(this.directory, name);
    await this.#pgbackrest('restore', `--pg1-path=${data}`, ...options);
    this.postgres = await InstalledPostgres.start(data, archiving(this.directory, this.config));
    await this.#configure(name);
    await eventually('the restore is complete', () => this.#ask<boolean>('SELECT NOT pg_is_in_recovery() AS value'));
    servers.databaseUrl = this.url;
  }

  async #continue({ servers, load }: UnderLoad): Promise<void> {
    await servers.add({});
    await load.start();
  }

  async #ask<Value>(sql: string): Promise<Value> {
    const { rows } = await withConnection(this.url, WAIT_MS, (client) => client.query<{ value: Value }>(sql));
    return rows[0]!.value;
  }

  async #pgbackrest(command: string, ...options: readonly string[]): Promise<void> {
    const account = await serverAccount();
    if (command === 'restore') await mkdirFor(options[0]!.split('=')[1]!, account);
    await promisify(execFile)('pgbackrest', [`--config=${this.config}`, '--stanza=verbatim', ...options, command], { ...account, cwd: '/' });
  }
}

const archiving = (directory: string, config: string): readonly string[] => [
  `unix_socket_directories=${directory}`,
  'archive_mode=on',
  `"archive_command=pgbackrest --config=${config} --stanza=verbatim archive-push %p"`,
];

async function mkdirFor(directory: string, { uid, gid }: { readonly uid?: number; readonly gid?: number }): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (uid !== undefined) await chown(directory, uid, gid!);
}
