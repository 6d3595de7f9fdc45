import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/adapters/postgres/embedded-postgres.js';
import { findProgram } from '../../../src/adapters/tools/bash/sandbox.js';
import { appLogin } from '../../../src/adapters/postgres/app-role.js';
import type { Chance } from '../../support/random.js';
import type { Client } from '../../support/client.js';
import { type Exit, ServerProcess } from '../../support/process.js';
import { isListening } from '../../support/port.js';
import { RedisServer } from '../../support/redis-server.js';
import { prepareTemplate } from '../../support/template.js';
import { makeTenant } from '../../support/tenant.js';
import { until } from '../../support/until.js';

export type Kind = 'api' | 'worker' | 'postgres' | 'redis';

/** Short times, so that what died is noticed soon and nobody waits long for what is away. */
const HASTY = {
  JOB_LOCK_MS: '1000',
  STALLED_AFTER_MS: '2000',
  DATABASE_TIMEOUT_MS: '5000',
  STREAM_HEARTBEAT_MS: '2000',
  SHUTDOWN_GRACE_MS: '5000',
  LOG_LEVEL: 'warn',
};

/** Whether this machine lets the server run its shell at all. */
export const HAS_SHELL = process.getuid?.() === 0 || findProgram('bwrap', process.env['PATH'] ?? '') !== null;

/** A start may fall into the moment in which the database is killed; whoever supervises processes starts them again. */
const STARTS = 10;

interface Place {
  readonly role: 'api' | 'worker';
  server: ServerProcess | null;
}

/** Two apis, two workers, a database and, if asked, a Redis, each a process of its own that is started again whenever it was killed. */
export class Deployment {
  readonly #places: readonly Place[] = (['api', 'api', 'worker', 'worker'] as const).map((role) => ({ role, server: null }));
  readonly #starting = new Set<Promise<void>>();
  readonly #urls: string[] = [];
  /** What must not happen: processes that ended though nobody had killed them. */
  readonly accidents: string[] = [];
  /** CheckpointRecorder the processes, so that whatever is left of them can be found. */
  readonly mark = randomUUID();
  #stopping = false;

  private constructor(
    private readonly postgres: EmbeddedPostgres,
    readonly redis: RedisServer | null,
    readonly token: string,
    private readonly directory: string,
  ) {}

  static async start(withRedis: boolean): Promise<Deployment> {
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-faults-'));
    await chmod(directory, 0o711); // or the accounts of sessions could not reach their files
    const postgres = await startEmbeddedPostgres({ database: 'faults', volatile: true });
    await prepareTemplate(postgres.url);
    const redis = withRedis ? await RedisServer.start() : null;
    const token = await makeTenant(appLogin(postgres.url).appUrl, 'faults');
    const deployment = new Deployment(postgres, redis, token, directory);
    await Promise.all(deployment.#places.map((place) => deployment.#fill(place)));
    return deployment;
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  get appUrl(): string {
    return appLogin(this.postgres.url).appUrl;
  }

  /** One of the apis that are there, as soon as there is one. */
  async api(chance: Chance): Promise<Client> {
    await this.#thereAre('api', 1);
    return chance.of(this.servers('api'))!.client(this.token);
  }

  async #thereAre(role: Place['role'], count: number): Promise<void> {
    while (this.servers(role).length < count) {
      if (this.#stopping) throw new Error('the deployment has been stopped');
      await pause(20);
    }
  }

  servers(role: Place['role']): readonly ServerProcess[] {
    return this.#places.flatMap((place) => (place.role === role && place.server ? [place.server] : []));
  }

  /**
   * Kills one of that kind without warning. An api or worker is started again in the background, a database or Redis before this resolves. However slow the
   * machine is, somebody stays to notice: an api or worker is killed while there is another, a database or Redis while there is one of each.
   */
  async kill(kind: Kind, chance: Chance): Promise<void> {
    switch (kind) {
      case 'api':
      case 'worker': {
        await this.#thereAre(kind, 2);
        const place = chance.of(this.#places.filter(({ role }) => role === kind))!;
        const victim = place.server!;
        place.server = null;
        await victim.kill();
        this.#startAgain(place);
        return;
      }
      case 'postgres': {
        await Promise.all([this.#thereAre('api', 1), this.#thereAre('worker', 1)]);
        const { pid } = this.postgres;
        process.kill(pid, 'SIGKILL');
        return until('Postgres runs again', async () => this.postgres.pid !== pid && this.postgres.pid !== 0);
      }
      case 'redis':
        await Promise.all([this.#thereAre('api', 1), this.#thereAre('worker', 1)]);
        await this.redis!.kill();
        return this.redis!.startAgain();
      default:
        return kind satisfies never;
    }
  }

  /** Kills every process of that role at once, and starts them again in the background. */
  async killAll(role: Place['role']): Promise<void> {
    await this.#thereAre(role, 2);
    const victims = this.#places.filter((place) => place.role === role).map((place) => ({ place, server: place.server! }));
    for (const { place } of victims) place.server = null;
    await Promise.all(victims.map(({ server }) => server.kill()));
    for (const { place } of victims) this.#startAgain(place);
  }

  /** What there is to see when something has gone wrong. */
  async describe(): Promise<string> {
    const owner = new pg.Client({ connectionString: this.postgres.url });
    try {
      await owner.connect();
      const look = async (sql: string): Promise<string> => JSON.stringify((await owner.query(sql)).rows);
      return [
        `outbox: ${await look('SELECT job_id, leased, not_before - now() AS due_in FROM outbox')}`,
        `queue: ${await look('SELECT id, state, attempts_made, failed_reason, lock_token, locked_until_ms, process_at_ms FROM bullmq.job')}`,
        `database: ${await look('SELECT application_name, state, wait_event, left(query, 80) AS query, now() - query_start AS since FROM pg_stat_activity WHERE datname = current_database()')}`,
        ...this.#places.map(({ role, server }) => `${role}: ${server?.printed().slice(-3_000) ?? 'not there'}`),
      ].join('\n');
    } finally {
      await owner.end();
    }
  }

  /** Resolves when every place is filled. */
  async whole(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** Asks everything to end; resolves with how each process did, and with whatever is still there. */
  async stop(): Promise<{ readonly exits: readonly Exit[]; readonly left: readonly string[] }> {
    this.#stopping = true;
    await this.whole();
    const exits = await Promise.all(this.#places.flatMap(({ server }) => (server ? [server.stop()] : [])));
    await this.redis?.stop();
    await this.postgres.stop();
    await rm(this.directory, { recursive: true, force: true });
    return { exits, left: [...(await this.#listeners()), ...(await processesWith(this.mark))] };
  }

  #startAgain(place: Place): void {
    const starting = this.#fill(place).finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  async #fill(place: Place): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const server = await ServerProcess.start({
          ...HASTY,
          ...(HAS_SHELL ? { TOOLS: 'Bash' } : {}),
          DATA_DIR: this.directory,
          ...(this.redis ? { REDIS_URL: this.redis.url } : {}),
          DATABASE_URL: this.postgres.url,
          ROLE: place.role,
          FAULT_MARK: this.mark,
        });
        this.#urls.push(server.url);
        place.server = server;
        void server.exited.then((exit) => this.#ended(place, server, exit));
        return;
      } catch (error) {
        if (attempt === STARTS) throw error;
        await pause(50);
      }
    }
  }

  #ended(place: Place, server: ServerProcess, exit: Exit): void {
    if (place.server !== server || this.#stopping) return;
    this.accidents.push(`a ${place.role} ended by itself with ${exit}:\n${server.printed().slice(-4_000)}`);
    place.server = null;
    this.#startAgain(place);
  }

  async #listeners(): Promise<readonly string[]> {
    const ports = [...this.#urls, this.postgres.url, ...(this.redis ? [this.redis.url] : [])].map((url) => Number(new URL(url).port));
    const open = await Promise.all(ports.map(isListening));
    return ports.filter((_, index) => open[index]).map((port) => `somebody listens on ${port}`);
  }
}

/** Processes that carry the mark in their environment. */
async function processesWith(mark: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => environments[index]!.includes(mark)).map((pid) => `process ${pid} is left`);
}
