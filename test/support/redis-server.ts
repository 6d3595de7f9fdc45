import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort, isListening } from './port.js';
import { until } from './until.js';

/** A Redis of one's own, that keeps nothing on disk: killed and started again it is empty. */
export class RedisServer {
  #child: ChildProcess | null = null;

  private constructor(
    private readonly directory: string,
    readonly port: number,
  ) {}

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await mkdtemp(path.join(tmpdir(), 'verbatim-redis-')), await freePort());
    await server.startAgain();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Ends it without warning. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Starts another, empty, at the same address. */
  async startAgain(): Promise<void> {
    const child = spawn('redis-server', ['--bind', '127.0.0.1', '--port', String(this.port), '--save', '', '--appendonly', 'no', '--dir', this.directory], {
      stdio: 'ignore',
    });
    this.#child = child;
    await until('Redis takes connections', async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      return isListening(this.port);
    });
  }

  async flush(): Promise<void> {
    const client = new Redis(this.url);
    await client.flushall();
    client.disconnect();
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    await rm(this.directory, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
