import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/adapters/postgres/embedded-postgres.js';
import { findProgram } from '../../../src/adapters/tools/bash/sandbox.js';
import { appLogin } from '../../../src/adapters/postgres/app-role.js';
import { withConnection } from '../../../src/adapters/postgres/connect.js';
import type { Chance } from '../../support/random.js';
import type { Client } from '../../support/client.js';
import { type Exit, ServerProcess } from '../../support/process.js';
import { isListening } from '../../support/port.js';
import { RedisServer } from '../../support/redis-server.js';
import { type Fault as UpstreamFault, type StandIn, startStandIn } from '../../support/stand-in-server.js';
import { prepareTemplate } from '../../support/template.js';
import { makeTenant } from '../../support/tenant.js';
import { until } from '../../support/until.js';
import { Surroundings } from './surroundings.js';

/** What is killed. */
export type Kind = 'api' | 'worker' | 'postgres' | 'redis';

/** All faults: kills, and what else happens to a process that keeps running. */
export type Fault =
  | Kind
  | 'freeze' // SIGSTOP for longer than a job lock
  | 'silence' // open connections lose bytes, in one direction or both
  | 'cut' // all connections break, some between a commit and its reply
  | 'exhaust' // Postgres rejects new connections of the application
  | 'clock' // the clock of a process jumps
  | 'upstream'; // the model API fails

/** Short times, so that faults are detected soon. */
const HASTY = {
  JOB_LOCK_MS: '1000',
  STALLED_AFTER_MS: '2000',
  DATABASE_TIMEOUT_MS: '5000',
  STREAM_HEARTBEAT_MS: '2000',
  SHUTDOWN_GRACE_MS: '5000',
  LOG_LEVEL: 'warn',
};

const LOCK_MS = Number(HASTY.JOB_LOCK_MS);

/** Seconds; a clock jumps in either direction. */
const MAX_CLOCK_JUMP = 7_200;

/** Faults of the model API; the requests after a client error are not retried. */
const UPSTREAM_FAULTS: readonly UpstreamFault[] = [
  { kind: 'error-response', status: 429 },
  { kind: 'error-response', status: 500 },
  { kind: 'error-response', status: 529 },
  { kind: 'error-response', status: 400 },
  { kind: 'page', status: 502, contentType: 'text/html', text: '<html>bad gateway</html>' },
  { kind: 'cut', after: 2 },
  { kind: 'end', after: 3 },
  { kind: 'stall', after: 2 },
  { kind: 'garbage', after: 2 },
  { kind: 'silence' },
  { kind: 'bytes' },
];

/** Whether the server can run its shell on this machine. */
export const HAS_SHELL = process.getuid?.() === 0 || findProgram('bwrap', process.env['PATH'] ?? '') !== null;

/** A start may fail because the database is killed at the same time; it is repeated, as a supervisor would. */
const STARTS = 10;

interface Place {
  readonly role: 'api' | 'worker';
  surroundings: Surroundings | null;
  server: ServerProcess | null;
}

interface Leftovers {
  readonly exits: readonly Exit[];
  readonly left: readonly string[];
}

/** Two apis, two workers, a database and, optionally, a Redis, each a separate process that is restarted after it was killed. */
export class Deployment {
  readonly #places: readonly Place[] = (['api', 'api', 'worker', 'worker'] as const).map((role) => ({ role, server: null, surroundings: null }));
  readonly #starting = new Set<Promise<void>>();
  readonly #urls: string[] = [];
  /** Faults that end by themselves. */
  readonly #passing = new Set<Promise<void>>();
  #upstream: StandIn | null = null;
  /** Processes that ended without being killed, which must not happen. */
  readonly accidents: string[] = [];
  /** In the environment of every process, so that remaining processes can be found. */
  readonly mark = randomUUID();
  #stopping = false;
  #stopped: Promise<Leftovers> | null = null;

  private constructor(
    private readonly postgres: EmbeddedPostgres,
    readonly redis: RedisServer | null,
    readonly token: string,
    private readonly directory: string,
  ) {}

  /** `withSurroundings`: every process gets its own connections and clock, and all a model API, so that `inject` can make them fail. */
  static async start(withRedis: boolean, withSurroundings = false): Promise<Deployment> {
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-faults-'));
    await chmod(directory, 0o711); // or the accounts of sessions could not reach their files
    const postgres = await startEmbeddedPostgres({ database: 'faults', volatile: true });
    await prepareTemplate(postgres.url);
    const redis = withRedis ? await RedisServer.start() : null;
    const token = await makeTenant(appLogin(postgres.url).appUrl, 'faults');
    const deployment = new Deployment(postgres, redis, token, directory);
    if (withSurroundings) await deployment.#surround();
    await Promise.all(deployment.#places.map((place) => deployment.#fill(place)));
    return deployment;
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  get appUrl(): string {
    return appLogin(this.postgres.url).appUrl;
  }

  /** One of the running apis, as soon as there is one. */
  async api(chance: Chance): Promise<Client> {
    await this.#waitFor('api', 1);
    return chance.of(this.servers('api'))!.client(this.token);
  }

  /** The same after all faults; its open connections may still be silent, so it is used once it is ready. */
  async calmApi(chance: Chance): Promise<Client> {
    const client = await this.api(chance);
    await until('an api is ready', async () => (await client.get('/health/ready')).status === 200);
    return client;
  }

  async #waitFor(role: Place['role'], count: number): Promise<void> {
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
   * machine is, one process of each role keeps running: an api or worker is killed while there is another, a database or Redis while there is one of each.
   */
  async kill(kind: Kind, chance: Chance): Promise<void> {
    switch (kind) {
      case 'api':
      case 'worker': {
        await this.#waitFor(kind, 2);
        const place = chance.of(this.#places.filter(({ role }) => role === kind))!;
        const victim = place.server!;
        place.server = null;
        await victim.kill();
        this.#restart(place);
        return;
      }
      case 'postgres': {
        await Promise.all([this.#waitFor('api', 1), this.#waitFor('worker', 1)]);
        const { pid } = this.postgres;
        process.kill(pid, 'SIGKILL');
        return until('Postgres runs again', async () => this.postgres.pid !== pid && this.postgres.pid !== 0);
      }
      case 'redis':
        await Promise.all([this.#waitFor('api', 1), this.#waitFor('worker', 1)]);
        await this.redis!.kill();
        return this.redis!.startAgain();
      default:
        return kind satisfies never;
    }
  }

  /** Causes a fault. Faults that end by themselves do so in the background. */
  async inject(fault: Fault, chance: Chance): Promise<void> {
    const place = chance.of(this.#places.filter(({ server }) => server !== null));
    switch (fault) {
      case 'api':
      case 'worker':
      case 'postgres':
      case 'redis':
        return this.kill(fault, chance);
      case 'freeze':
        if (place?.server) this.#pass(this.#freeze(place.server, chance.between(LOCK_MS, 5 * LOCK_MS)));
        return;
      case 'silence':
        chance.of(place?.surroundings?.proxies ?? [])?.silence(chance.of(['both', 'requests', 'replies'] as const));
        return;
      case 'cut':
        chance.of(place?.surroundings?.proxies ?? [])?.cut();
        return;
      case 'exhaust':
        this.#pass(this.#exhaust(chance.between(200, 2_000)));
        return;
      case 'clock':
        await place?.surroundings?.setClock(chance.between(-MAX_CLOCK_JUMP, MAX_CLOCK_JUMP));
        return;
      case 'upstream':
        this.#upstream?.next(chance.of(UPSTREAM_FAULTS)!);
        return;
      default:
        return fault satisfies never;
    }
  }

  /** Kills every process of that role at once, and starts them again in the background. */
  async killAll(role: Place['role']): Promise<void> {
    await this.#waitFor(role, 2);
    const victims = this.#places.filter((place) => place.role === role).map((place) => ({ place, server: place.server! }));
    for (const { place } of victims) place.server = null;
    await Promise.all(victims.map(({ server }) => server.kill()));
    for (const { place } of victims) this.#restart(place);
  }

  /** The state of all parts, for the log of a failed test. */
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

  /** Resolves when every process runs and all faults have ended. */
  async whole(): Promise<void> {
    await Promise.all(this.#passing);
    for (const { surroundings } of this.#places) await surroundings?.setClock(0);
    await Promise.all(this.#starting);
  }

  /** Stops everything; resolves to the exit of each process, and to what is left: processes and open ports. A second call stops nothing again. */
  stop(): Promise<Leftovers> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<Leftovers> {
    this.#stopping = true;
    await this.whole();
    const exits = await Promise.all(this.#places.flatMap(({ server }) => (server ? [server.stop()] : [])));
    for (const { surroundings } of this.#places) await surroundings?.close();
    await this.#upstream?.close();
    await this.redis?.stop();
    await this.postgres.stop();
    await rm(this.directory, { recursive: true, force: true });
    return { exits, left: [...(await this.#listeners()), ...(await processesWith(this.mark))] };
  }

  async #surround(): Promise<void> {
    this.#upstream = await startStandIn();
    for (const [index, place] of this.#places.entries()) {
      place.surroundings = await Surroundings.start(this.postgres.url, this.redis?.url ?? null, this.directory, `${place.role}-${index}`);
    }
  }

  #pass(fault: Promise<void>): void {
    const passing = fault.finally(() => this.#passing.delete(passing));
    this.#passing.add(passing);
  }

  async #freeze(server: ServerProcess, milliseconds: number): Promise<void> {
    server.signal('SIGSTOP');
    await pause(milliseconds);
    server.signal('SIGCONT'); // no effect on a process that was killed meanwhile
  }

  async #exhaust(milliseconds: number): Promise<void> {
    const set = (limit: number): Promise<unknown> =>
      withConnection(this.postgres.url, 30_000, (client) => client.query(`ALTER ROLE verbatim_app CONNECTION LIMIT ${limit}`));
    await set(0);
    await pause(milliseconds);
    await set(-1);
  }

  #restart(place: Place): void {
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
          ...place.surroundings?.environment(this.postgres.url, this.redis?.url ?? null),
          ...(this.#upstream
            ? {
                ANTHROPIC_BASE_URL: this.#upstream.url,
                ANTHROPIC_API_KEY: 'key',
                MODEL_TIMEOUT_MS: '2000',
                MODEL_RETRY_MAX_MS: '500',
                JOB_LOCK_MS: '2000',
                STALLED_AFTER_MS: '4000',
              }
            : {}),
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
    this.accidents.push(`a ${place.role} ended unexpectedly with ${exit}:\n${server.printed().slice(-4_000)}`);
    place.server = null;
    this.#restart(place);
  }

  async #listeners(): Promise<readonly string[]> {
    const ports = [...this.#urls, this.postgres.url, ...(this.redis ? [this.redis.url] : [])].map((url) => Number(new URL(url).port));
    const open = await Promise.all(ports.map(isListening));
    return ports.filter((_, index) => open[index]).map((port) => `port ${port} is still open`);
  }
}

/** Processes with the mark in their environment. */
async function processesWith(mark: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => environments[index]!.includes(mark)).map((pid) => `process ${pid} is left`);
}
