import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Account, serverAccount } from '../../src/platform/postgres/embedded/account.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { FaultProxy } from '../../test/support/fault-proxy.js';
import { freePort, isListening } from '../../test/support/port.js';
import { POSTGRES_PROGRAMS } from '../../test/support/postgres-programs.js';
import { signalTree } from '../../test/support/process-tree.js';
import { eventually } from './eventually.js';
import { filled } from './files.js';

const NODES = ['first', 'second', 'third'] as const;
const PASSWORD = 'rig';
const DATABASE = 'verbatim';
const WAIT_MS = 60_000;

/** A node of the cluster: Patroni and its Postgres. */
export class PatroniNode {
  #child: ChildProcess | null = null;

  constructor(
    readonly name: string,
    private readonly directory: string,
    private readonly account: Account,
    readonly postgresPort: number,
    readonly restPort: number,
    /** Between Patroni and etcd. */
    readonly etcd: FaultProxy,
  ) {}

  get file(): string {
    return path.join(this.directory, `${this.name}.yml`);
  }

  get data(): string {
    return path.join(this.directory, this.name);
  }

  start(): void {
    const log = createWriteStream(path.join(this.directory, `${this.name}.log`), { flags: 'a' });
    this.#child = spawn('patroni', [this.file], { ...this.account, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.pipe(log);
    this.#child.stderr?.pipe(log);
  }

  /** Throws with the end of its log when Patroni has ended by itself. */
  async requireRunning(): Promise<void> {
    if (this.#child === null || this.#child.exitCode === null) return;
    const log = await readFile(path.join(this.directory, `${this.name}.log`), 'utf8');
    throw new Error(`Patroni of the ${this.name} node ended with ${this.#child.exitCode}: ${log.slice(-2_000)}`);
  }

  /** To Postgres and its backends. */
  async signalPostgres(signal: NodeJS.Signals): Promise<void> {
    const [pid] = await readFile(path.join(this.data, 'postmaster.pid'), 'utf8').then(
      (text) => text.split('\n').map(Number),
      () => [],
    );
    if (pid) await signalTree(pid, signal);
  }

  /** To the whole node. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal);
    await this.signalPostgres(signal);
  }

  /** As when its machine loses power. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    await this.signalPostgres('SIGKILL');
  }
}

/** Three nodes with Patroni, etcd and HAProxy in front of them. */
export class PatroniCluster {
  readonly #others: ChildProcess[] = [];

  private constructor(
    private readonly directory: string,
    readonly nodes: readonly PatroniNode[],
    private readonly proxyPort: number,
  ) {}

  static async start(): Promise<PatroniCluster> {
    const account = await serverAccount();
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-patroni-'));
    await chmod(directory, 0o755);
    if (account.uid !== undefined) await chown(directory, account.uid, account.gid!);
    const etcdPort = await freePort();
    const nodes: PatroniNode[] = [];
    for (const name of NODES) {
      const etcd = await FaultProxy.start(`http://127.0.0.1:${etcdPort}`);
      nodes.push(new PatroniNode(name, directory, account, await freePort(), await freePort(), etcd));
    }
    const cluster = new PatroniCluster(directory, nodes, await freePort());
    try {
      await cluster.#start(account, etcdPort);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Through HAProxy. */
  get url(): string {
    return urlOf(`127.0.0.1:${this.proxyPort}`);
  }

  /** With the addresses of all nodes. */
  get addresses(): string {
    return urlOf(this.nodes.map(({ postgresPort }) => `127.0.0.1:${postgresPort}`).join(','));
  }

  /** The node that Patroni says is the primary. */
  async primary(): Promise<PatroniNode> {
    let found: PatroniNode | undefined;
    await eventually('there is a primary', async () => {
      for (const node of this.nodes) {
        await node.requireRunning();
        if (await isUp(node, '/primary')) found = node;
      }
      return found !== undefined;
    });
    return found!;
  }

  /** The synchronous standby. */
  async standby(): Promise<PatroniNode> {
    let found: PatroniNode | undefined;
    await eventually('there is a synchronous standby', async () => {
      for (const node of this.nodes) if (await isUp(node, '/synchronous')) found = node;
      return found !== undefined;
    });
    return found!;
  }

  /** Until another node than this one is the primary. */
  async replaced(old: PatroniNode): Promise<void> {
    const others = this.nodes.filter((node) => node !== old);
    await eventually('another node is the primary', async () => (await Promise.all(others.map((node) => isUp(node, '/primary')))).some(Boolean));
  }

  /** Until all nodes run, two follow the primary, and one of these is synchronous. */
  async whole(): Promise<void> {
    const primary = await this.primary();
    const others = this.nodes.filter((node) => node !== primary);
    const isWhole = async () => (await Promise.all(others.map((node) => isUp(node, '/replica?lag=1MB')))).every(Boolean);
    await eventually('all nodes follow', isWhole);
    await this.standby();
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      await node.signal('SIGCONT');
      await node.kill();
      await node.etcd.close();
    }
    for (const child of this.#others) if (child.exitCode === null) await Promise.all([once(child, 'exit'), child.kill('SIGKILL')]);
    await rm(this.directory, { recursive: true, force: true });
  }

  async #start(account: Account, etcdPort: number): Promise<void> {
    const peer = `http://127.0.0.1:${await freePort()}`;
    const etcd = `http://127.0.0.1:${etcdPort}`;
    const own = ['--data-dir', path.join(this.directory, 'etcd'), '--log-level', 'error', '--name', 'one', '--initial-cluster', `one=${peer}`];
    await mkdir(path.join(this.directory, 'etcd'), { mode: 0o700 });
    const urls = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--listen-client-urls', etcd, '--advertise-client-urls', etcd];
    this.#others.push(spawn('etcd', [...own, ...urls], { stdio: 'ignore', cwd: '/' }));
    await eventually('etcd answers', () => isListening(etcdPort));
    for (const node of this.nodes) {
      const values = {
        NODE: node.name,
        NODE_HOST: '127.0.0.1',
        REST_PORT: node.restPort,
        POSTGRES_PORT: node.postgresPort,
        ETCD_HOSTS: `127.0.0.1:${node.etcd.port}`,
        BIN_DIR: POSTGRES_PROGRAMS!,
        DATA_DIR: node.data,
        SOCKET_DIR: this.directory,
        CLIENTS: '127.0.0.1/32',
        PASSWORD,
      };
      await writeFile(node.file, await filled('patroni.yml', values));
      node.start();
      if (node.name === NODES[0]) await this.primary();
    }
    const servers = this.nodes.flatMap(({ name, postgresPort, restPort }) => [
      [name.toUpperCase(), `127.0.0.1:${postgresPort}`],
      [`${name.toUpperCase()}_REST_PORT`, restPort],
    ]);
    const file = path.join(this.directory, 'haproxy.cfg');
    await writeFile(file, await filled('haproxy.cfg', { LISTEN: `127.0.0.1:${this.proxyPort}`, ...Object.fromEntries(servers) }));
    this.#others.push(spawn('haproxy', ['-q', '-f', file], { stdio: 'ignore', cwd: '/', env: { PATH: `${process.env['PATH']}:/usr/sbin` } }));
    const postgres = this.url.replace(/[^/]*$/, 'postgres');
    await withConnection(postgres, WAIT_MS, (client) => client.query(`CREATE DATABASE ${DATABASE}`));
    await this.whole();
  }
}

const urlOf = (hosts: string): string => `postgresql://postgres:${PASSWORD}@${hosts}/${DATABASE}`;

/** Whether Patroni answers 200 there: its health checks for load balancers. */
async function isUp(node: PatroniNode, check: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${node.restPort}${check}`, { signal: AbortSignal.timeout(1_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
