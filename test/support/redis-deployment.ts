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

  /** Three primaries without replicas. */
  static cluster(): Promise<RedisDeployment> {
    return RedisDeployment.#in(async (own) => {
      const ports: number[] = [];
      for (let node = 0; node < 3; node += 1) {
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
        await client.call('CLUSTER', 'ADDSLOTSRANGE', first, last);
        await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
        if (index > 0) await client.call('CLUSTER', 'MEET', '127.0.0.1', String(ports[0]), await busPort(clients[0]!));
      }
      const isWhole = async (client: Redis): Promise<boolean> => {
        const state = String(await client.call('CLUSTER', 'INFO'));
        return state.includes('cluster_state:ok') && state.includes('cluster_known_nodes:3');
      };
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
      own.#primary = primary;
      return `redis+sentinel://127.0.0.1:${port}/main`;
    });
  }

  #primary = 0;

  /** Ends the primary of the sentinel without warning. */
  async killPrimary(): Promise<void> {
    await this.#end(this.#primary, 'SIGKILL');
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
