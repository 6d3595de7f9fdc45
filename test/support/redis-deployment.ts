import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { freePort, isListening } from './port.js';
import { until } from './until.js';

const run = promisify(execFile);

/** The slots of a cluster. */
const SLOTS = 16_384;

/** Programs of Redis on this machine that belong together. */
export class RedisDeployment {
  readonly #directory: string;
  readonly #children = new Map<number, ChildProcess>();

  private constructor(
    directory: string,
    private address = '',
  ) {
    this.#directory = directory;
  }

  /** For REDIS_URL. */
  get url(): string {
    return this.address;
  }

  get caFile(): string {
    return path.join(this.#directory, 'ca.pem');
  }

  static async #in(work: (deployment: RedisDeployment) => Promise<string>): Promise<RedisDeployment> {
    const deployment = new RedisDeployment(await mkdtemp(path.join(tmpdir(), 'verbatim-redis-')));
    deployment.address = await work(deployment);
    return deployment;
  }

  static socket(): Promise<RedisDeployment> {
    return RedisDeployment.#in(async (own) => {
      const file = path.join(own.#directory, 'redis.sock');
      const port = await own.#server('--unixsocket', file);
      await until('there is a socket', async () => isListening(port));
      return `unix://${file}?db=1`;
    });
  }

  static withTls(): Promise<RedisDeployment> {
    return RedisDeployment.#in(async (own) => {
      const [key, port] = [path.join(own.#directory, 'key.pem'), await freePort()];
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', own.caFile, ...subject]);
      await own.#start(
        port,
        '--port',
        '0',
        '--tls-port',
        String(port),
        '--tls-cert-file',
        own.caFile,
        '--tls-key-file',
        key,
        '--tls-ca-cert-file',
        own.caFile,
        '--tls-auth-clients',
        'no',
      );
      return `rediss://localhost:${port}`;
    });
  }

  /** Three primaries, each with a replica if wanted. */
  static cluster({ hasReplicas = false }: { readonly hasReplicas?: boolean } = {}): Promise<RedisDeployment> {
    return RedisDeployment.#in(async (own) => {
      const ports: number[] = [];
      const nodes = hasReplicas ? 6 : 3;
      for (let node = 0; node < nodes; node += 1) {
        const file = path.join(own.#directory, `nodes-${node}.conf`);
        ports.push(
          await own.#server(
            '--cluster-enabled',
            'yes',
            '--cluster-config-file',
            file,
            '--cluster-node-timeout',
            '2000',
            '--cluster-port',
            String(await freePort()),
          ),
        );
      }
      const clients = ports.map((port) => new Redis(port));
      const busPort = async (client: Redis): Promise<string> => String(((await client.config('GET', 'cluster-port')) as string[])[1]);
      for (const [index, client] of clients.entries()) {
        const [first, last] = [Math.floor((index * SLOTS) / 3), Math.floor(((index + 1) * SLOTS) / 3) - 1];
        if (index < 3) await client.call('CLUSTER', 'ADDSLOTSRANGE', first, last);
        await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
        if (index > 0) await client.call('CLUSTER', 'MEET', '127.0.0.1', String(ports[0]), await busPort(clients[0]!));
      }
      const isWhole = async (client: Redis): Promise<boolean> => String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
      const knowsAll = async (client: Redis): Promise<boolean> => {
        const state = String(await client.call('CLUSTER', 'INFO'));
        return state.includes(`cluster_known_nodes:${nodes}\r`);
      };
      for (const client of clients) await until('the nodes know each other', () => knowsAll(client));
      for (const [index, replica] of clients.slice(3).entries()) {
        await replica.call('CLUSTER', 'REPLICATE', String(await clients[index]!.call('CLUSTER', 'MYID')));
        await until('the replica follows', () => own.isFollowing(ports[index + 3]!));
      }
      for (const client of clients) {
        await until('the cluster is whole', () => isWhole(client));
        client.disconnect();
      }
      return `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
    });
  }

  /** A primary, its replica and a sentinel that may decide alone. */
  static sentinel(): Promise<RedisDeployment> {
    return RedisDeployment.#in(async (own) => {
      const primary = await own.#server();
      await own.#server('--replicaof', '127.0.0.1', String(primary));
      const port = await freePort();
      const file = path.join(own.#directory, 'sentinel.conf');
      await writeFile(
        file,
        `port ${port}\nsentinel monitor main 127.0.0.1 ${primary} 1\nsentinel down-after-milliseconds main 500\nsentinel failover-timeout main 5000\n`,
      );
      await own.#run(port, [file, '--sentinel']);
      const client = new Redis(port);
      await until('the sentinel knows the replica', async () => {
        const replicas = (await client.call('SENTINEL', 'REPLICAS', 'main')) as unknown[];
        const text = JSON.stringify(replicas);
        return replicas.length === 1 && text.includes('"master-link-status","ok"');
      });
      client.disconnect();
      own.#sentinel = port;
      return `redis+sentinel://127.0.0.1:${port}/main`;
    });
  }

  #sentinel = 0;

  /** The port of the primary, as the sentinel knows it. */
  primary(): Promise<number> {
    return asking(this.#sentinel, async (client) => Number(((await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as string[])[1]));
  }

  /** The port of the cluster's node that has the slot of this key, as the node at `port` knows it. */
  ownerOf(key: string, port: number): Promise<number> {
    return asking(port, async (client) => {
      const slot = Number(await client.call('CLUSTER', 'KEYSLOT', key));
      const ranges = (await client.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
      return ranges.find(([first, last]) => slot >= first && slot <= last)?.[2][1] ?? 0;
    });
  }

  /** Whether the server at `port` is a replica that has all of its primary. */
  isFollowing(port: number): Promise<boolean> {
    return asking(port, async (client) => /role:slave[^]*master_link_status:up/.test(String(await client.info('replication'))));
  }

  /** Ports of the servers that run. */
  get ports(): readonly number[] {
    return [...this.#children.keys()];
  }

  signal(port: number, signal: NodeJS.Signals): void {
    this.#children.get(port)?.kill(signal);
  }

  /** Ends the server without warning. */
  kill(port: number): Promise<void> {
    return this.#end(port, 'SIGKILL');
  }

  /** Ends the primary of the sentinel without warning. */
  async killPrimary(): Promise<void> {
    await this.kill(await this.primary());
  }

  async stop(): Promise<void> {
    for (const port of this.#children.keys()) await this.#end(port, 'SIGKILL');
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #server(...options: readonly string[]): Promise<number> {
    const port = await freePort();
    await this.#start(port, '--port', String(port), ...options);
    return port;
  }

  #start(port: number, ...options: readonly string[]): Promise<void> {
    return this.#run(port, [
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      this.#directory,
      '--repl-diskless-sync-delay',
      '0',
      ...options,
    ]);
  }

  async #run(port: number, options: readonly string[]): Promise<void> {
    const child = spawn('redis-server', options, { stdio: 'ignore' });
    this.#children.set(port, child);
    await until('Redis takes connections', async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      return isListening(port);
    });
  }

  async #end(port: number, signal: NodeJS.Signals): Promise<void> {
    const child = this.#children.get(port);
    this.#children.delete(port);
    if (!child || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

async function asking<Result>(port: number, ask: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = new Redis(port);
  try {
    return await ask(client);
  } finally {
    client.disconnect();
  }
}
