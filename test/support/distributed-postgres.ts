import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { distribute } from '../../src/platform/postgres/distribute.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { InstalledPostgres } from './postgres-programs.js';
import { signalTree } from './process-tree.js';
import { prepareTemplate } from './template.js';

const WAIT_MS = 120_000;

/** The foreign keys of those tables, by name. */
export const FOREIGN_KEYS = `SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE 'tlog%' ORDER BY 1`;

/** Folders of servers. */
const NAMES = ['coordinator', 'first', 'second', 'third', 'fourth'];

interface Options {
  readonly nodes?: number;
  readonly shards?: number;
  /** Of Postgres, besides those of every test. */
  readonly settings?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A coordinator and nodes, two of them unless it is said otherwise, with the extension Citus; every table of tenants is distributed by its tenant. */
export class DistributedPostgres {
  private constructor(
    private readonly folder: string,
    readonly coordinator: InstalledPostgres,
    readonly nodes: readonly InstalledPostgres[],
    /** As FOREIGN_KEYS: those of the schema before it was distributed. */
    readonly foreignKeys: readonly { readonly name: string }[],
  ) {}

  static async start({ nodes: count = 2, shards = 4, settings = ['log_statement=all'], environment = {} }: Options = {}): Promise<DistributedPostgres> {
    const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-distributed-'));
    await chmod(folder, 0o755);
    const servers: InstalledPostgres[] = [];
    for (const name of NAMES.slice(0, count + 1))
      servers.push(await server(path.join(folder, name), [`citus.shard_count=${shards}`, ...settings], environment));
    const [coordinator, ...nodes] = servers as [InstalledPostgres, ...InstalledPostgres[]];
    await prepareTemplate(databaseOf(coordinator));
    const { rows: keys } = await withConnection(databaseOf(coordinator), WAIT_MS, (client) => client.query<{ name: string }>(FOREIGN_KEYS));
    const distributed = new DistributedPostgres(folder, coordinator, nodes, keys);
    for (const each of servers) await withConnection(distributed.url(each), WAIT_MS, (client) => client.query('CREATE EXTENSION citus'));
    await withConnection(distributed.url(coordinator), WAIT_MS, async (client) => {
      await client.query(`SELECT citus_set_coordinator_host('127.0.0.1', $1)`, [portOf(coordinator)]);
      for (const node of nodes) await client.query(`SELECT citus_add_node('127.0.0.1', $1)`, [portOf(node)]);
      await distribute(client);
    });
    return distributed;
  }

  /** As its superuser. */
  url(of: InstalledPostgres): string {
    return databaseOf(of);
  }

  /** Of the nodes. */
  get ports(): readonly number[] {
    return this.nodes.map(portOf);
  }

  nodeAt(port: number): InstalledPostgres {
    return this.nodes.find((node) => portOf(node) === port)!;
  }

  /** What its server has logged: each statement with the number of its process. */
  log(of: InstalledPostgres): Promise<string> {
    return readFile(path.join(this.#dataOf(of), 'server.log'), 'utf8');
  }

  /** To the server and every process that it has started. */
  async signal(of: InstalledPostgres, signal: NodeJS.Signals): Promise<void> {
    const [pid] = (await readFile(path.join(this.#dataOf(of), 'postmaster.pid'), 'utf8')).split('\n');
    await signalTree(Number(pid), signal);
  }

  #dataOf(of: InstalledPostgres): string {
    return path.join(this.folder, NAMES[[this.coordinator, ...this.nodes].indexOf(of)]!);
  }

  async stop(): Promise<void> {
    await Promise.allSettled([this.coordinator, ...this.nodes].map((each) => each.stop()));
    await rm(this.folder, { recursive: true });
  }
}

const databaseOf = ({ url }: InstalledPostgres): string => `${url}/verbatim`;

async function server(data: string, settings: readonly string[], environment: Readonly<Record<string, string>>): Promise<InstalledPostgres> {
  await mkdir(data);
  const more = ['shared_preload_libraries=citus', 'citus.node_conninfo=sslmode=disable', 'max_prepared_transactions=100', 'wal_level=logical', ...settings];
  const started = await InstalledPostgres.start(data, more, environment);
  await withConnection(`${started.url}/postgres`, WAIT_MS, async (client) => {
    await client.query('CREATE DATABASE verbatim');
    // The newest minor versions have the list, and without it Citus cannot split a shard.
    const { rows } = await client.query<{ plugins: string | null }>(`SELECT current_setting('output_plugin_libraries', true) AS plugins`);
    if (rows[0]!.plugins === null) return;
    await client.query(`ALTER SYSTEM SET output_plugin_libraries = pgoutput, test_decoding, citus`);
    await client.query('SELECT pg_reload_conf()');
  });
  return started;
}

const portOf = ({ url }: InstalledPostgres): number => Number(new URL(url).port);
