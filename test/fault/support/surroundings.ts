import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FaultProxy } from '../../support/fault-proxy.js';
import { FAKETIME_FILE } from '../../support/needs.js';

/** What can fail around one process of a deployment, independently of other processes: its connections and its clock. */
export class Surroundings {
  private constructor(
    /** Between clients and the process. */
    readonly clients: FaultProxy,
    private readonly postgres: FaultProxy | null,
    private readonly redis: FaultProxy | null,
    private readonly clockFile: string,
  ) {}

  /** Without `databaseUrl` the process runs a database itself. */
  static async start(databaseUrl: string | null, redisUrl: string | null, directory: string, name: string): Promise<Surroundings> {
    const surroundings = new Surroundings(
      await FaultProxy.start(),
      databaseUrl === null ? null : await FaultProxy.start(databaseUrl),
      redisUrl === null ? null : await FaultProxy.start(redisUrl),
      path.join(directory, `${name}.clock`),
    );
    await surroundings.setClock(0);
    return surroundings;
  }

  /** Settings of the process. */
  environment(databaseUrl: string | null, redisUrl: string | null): Record<string, string> {
    return {
      ...(this.postgres && databaseUrl !== null ? { DATABASE_URL: this.postgres.url(databaseUrl) } : {}),
      ...(this.redis && redisUrl !== null ? { REDIS_URL: this.redis.url(redisUrl) } : {}),
      ...(FAKETIME_FILE
        ? { LD_PRELOAD: FAKETIME_FILE, FAKETIME_TIMESTAMP_FILE: this.clockFile, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_CACHE_DURATION: '1' }
        : {}),
    };
  }

  /** Between the process and its services. */
  get proxies(): readonly FaultProxy[] {
    return [this.postgres, this.redis].filter((proxy) => proxy !== null);
  }

  /** Seconds by which the clock of the process is ahead, from the next second on. */
  async setClock(seconds: number): Promise<void> {
    await writeFile(this.clockFile, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
  }

  async close(): Promise<void> {
    await Promise.all([this.clients, ...this.proxies].map((proxy) => proxy.close()));
  }
}
