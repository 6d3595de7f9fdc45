import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../../src/platform/postgres/embedded-postgres.js';
import { appLogin } from '../../../src/platform/postgres/app-role.js';
import { SHELL } from '../../support/needs.js';
import type { Chance } from '../../support/random.js';
import { Client } from '../../support/client.js';
import type { Exit, ServerProcess } from '../../support/process.js';
import { isListening } from '../../support/port.js';
import { RedisServer } from '../../support/redis-server.js';
import { type StandIn, startStandIn } from '../../support/stand-in-server.js';
import { prepareTemplate } from '../../support/template.js';
import { makeTenant } from '../../support/tenant.js';
import { until } from '../../support/until.js';
import { Place, type Role } from './place.js';
import { PostgresServer } from './postgres-server.js';
import { RequestCopies } from './request-copies.js';
import { SmallDisk } from '../../support/small-disk.js';
import { Surroundings } from './surroundings.js';

/** `embedded`: one process with its own database. The others: two apis and two workers on Postgres, without or with Redis. */
export type Layout = 'embedded' | 'postgres' | 'redis';

const SEVERAL: readonly Role[] = ['api', 'api', 'worker', 'worker'];

/** With faults, a process that hands turns over to itself runs beside those that use the queue only. */
const rolesOf = (layout: Layout, faulty: boolean): readonly Role[] => (layout === 'embedded' ? ['all'] : faulty ? [...SEVERAL, 'all'] : SEVERAL);

/** Short times, so that faults are detected soon. */
const HASTY = { STREAM_HEARTBEAT_MS: '2000', SHUTDOWN_GRACE_MS: '5000', LOG_LEVEL: 'warn', DATABASE_TIMEOUT_MS: '5000' };

/** A lock of a job, in milliseconds: with faults of every kind, and in suites with one fault at a time. */
export const LOCK_MS = 2_000;
const SHORT_LOCK_MS = 3_000;

interface Stopped {
  readonly exits: readonly Exit[];
  readonly left: readonly string[];
}

interface Parts {
  readonly postgres: PostgresServer;
  /** Stops a database that does not belong to a process of the deployment. */
  readonly stopPostgres: () => Promise<void>;
  readonly redis: RedisServer | null;
  readonly upstream: StandIn | null;
  readonly disk: SmallDisk | null;
  readonly directory: string;
}

/** A whole installation, each part a separate process that is restarted after it was killed. */
export class Deployment {
  readonly places: readonly Place[];
  /** Processes that ended without being killed, which must not happen. */
  readonly accidents: string[] = [];
  /** Requests that arrive twice. */
  readonly copies = new RequestCopies();
  /** In the environment of every process, so that remaining processes can be found. */
  readonly #mark = randomUUID();
  #token = '';
  #stopping = false;
  #stopped: Promise<Stopped> | null = null;

  private constructor(
    readonly layout: Layout,
    private readonly parts: Parts,
    roles: readonly Role[],
    surroundings: readonly (Surroundings | null)[],
  ) {
    this.places = roles.map((role, index) => {
      const own = surroundings[index]!;
      const environment = (start: number) => this.#environment(role, own, start);
      return new Place({ role, surroundings: own, environment, onAccident: (report) => this.accidents.push(report) });
    });
  }

  /**
   * `faulty`: everything that an `Injector` needs: each process has its own connections and clock, all have a model API that can fail and, where this machine
   * allows it, a disk that can be full.
   */
  static async start(layout: Layout, faulty = false): Promise<Deployment> {
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-faults-'));
    await chmod(directory, 0o711); // or the accounts of sessions could not reach their files
    const disk = faulty ? await SmallDisk.mount(path.join(directory, 'disk')) : null;
    const dataDir = path.join(disk?.directory ?? directory, 'cluster');
    const embedded = layout === 'embedded';
    if (embedded) await symlink(dataDir, path.join(directory, 'postgres'));
    const own = embedded ? null : await startEmbeddedPostgres({ database: 'faults', volatile: true, ...(disk ? { dataDir } : {}) });
    if (own) await prepareTemplate(own.url);
    const redis = layout === 'redis' ? await RedisServer.start() : null;
    const parts: Parts = {
      postgres: new PostgresServer(own?.dataDir ?? dataDir, embedded ? 'verbatim' : 'faults'),
      stopPostgres: async () => own?.stop(),
      redis,
      upstream: faulty ? await startStandIn() : null,
      disk,
      directory,
    };
    const roles = rolesOf(layout, faulty);
    const surroundings = roles.map((role, index) => (faulty ? Surroundings.start(own?.url ?? null, redis?.url ?? null, directory, `${role}-${index}`) : null));
    const deployment = new Deployment(layout, parts, roles, await Promise.all(surroundings));
    try {
      await Promise.all(deployment.places.map((place) => place.start()));
      deployment.#token = await makeTenant(deployment.appUrl, 'faults');
      return deployment;
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  get postgres(): PostgresServer {
    return this.parts.postgres;
  }

  get redis(): RedisServer | null {
    return this.parts.redis;
  }

  get upstream(): StandIn | null {
    return this.parts.upstream;
  }

  get disk(): SmallDisk | null {
    return this.parts.disk;
  }

  /** A directory that is deleted with the deployment. */
  get directory(): string {
    return this.parts.directory;
  }

  get databaseUrl(): string {
    return this.parts.postgres.url;
  }

  get appUrl(): string {
    return appLogin(this.databaseUrl).appUrl;
  }

  /** The running processes that serve requests (`api`) or run turns (`worker`). */
  servers(role: 'api' | 'worker'): readonly ServerProcess[] {
    return this.#running(role).flatMap(({ server }) => server ?? []);
  }

  #running(role: 'api' | 'worker'): readonly Place[] {
    return this.places.filter((place) => (place.role === role || place.role === 'all') && place.server !== null);
  }

  /** A client of one of the running apis, as soon as there is one. */
  async api(chance: Chance): Promise<Client> {
    await this.waitFor('api', 1);
    return new Client(chance.of(this.#running('api'))!.url, this.#token);
  }

  /** The same after all faults; its open connections may still be silent, so it is used once it is ready. */
  async calmApi(chance: Chance): Promise<Client> {
    const client = await this.api(chance);
    await until('an api is ready', async () => (await client.get('/health/ready')).status === 200);
    return client;
  }

  async waitFor(role: 'api' | 'worker', count: number): Promise<void> {
    while (this.servers(role).length < count) {
      if (this.#stopping) throw new Error('the deployment has been stopped');
      await pause(20);
    }
  }

  /** Kills all processes of that role at once; they are restarted in the background. */
  async killAll(role: 'api' | 'worker'): Promise<void> {
    await this.waitFor(role, 2);
    await Promise.all(this.places.filter((place) => place.role === role).map((place) => place.kill()));
  }

  /** Kills Postgres; resolves when it has restarted. */
  async killPostgres(): Promise<void> {
    const { pid } = this.postgres;
    process.kill(pid, 'SIGKILL');
    await until('Postgres runs again', async () => ![0, pid].includes(this.postgres.pid));
  }

  /** Resolves when every process runs. */
  async whole(): Promise<void> {
    for (const { surroundings } of this.places) await surroundings?.setClock(0);
    await Promise.all(this.places.map((place) => place.started()));
  }

  /** The state of all parts, for the log of a failed test. */
  async describe(): Promise<string> {
    const look = async (what: string, sql: string): Promise<string> =>
      this.postgres.query(`SELECT to_json(answer) FROM (${sql}) AS answer`).then(
        (rows) => `${what}: ${JSON.stringify(rows)}`,
        (error: unknown) => `${what}: ${String(error)}`,
      );
    return [
      await look('outbox', 'SELECT job_id, leased, fence, not_before - now() AS due_in FROM outbox'),
      ...(this.redis ? [] : [await look('queue', 'SELECT id, state, attempts_made, failed_reason, locked_until_ms, process_at_ms FROM bullmq.job')]),
      await look('database', 'SELECT application_name, state, wait_event, left(query, 80) AS query, now() - query_start AS since FROM pg_stat_activity'),
      ...this.places.map(({ role, server }) => `${role}: ${server?.printed().slice(-3_000) ?? 'not there'}`),
    ].join('\n');
  }

  /** Stops everything; resolves to the exit of each process, and to what is left: processes and open ports. A second call stops nothing again. */
  stop(): Promise<Stopped> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<Stopped> {
    await this.whole();
    this.#stopping = true;
    // Only the last of each: a port of an earlier server may belong to another program of the machine by now.
    const urls = [...this.places.flatMap((place) => place.urls.slice(-1)), this.databaseUrl, ...(this.redis ? [this.redis.url] : [])];
    const exits = await Promise.all(this.places.map((place) => place.stop()));
    await Promise.all(this.places.map(({ surroundings }) => surroundings?.close()));
    await this.upstream?.close();
    await this.redis?.stop();
    await this.parts.stopPostgres();
    await this.disk?.unmount();
    await rm(this.directory, { recursive: true, force: true });
    const ports = urls.map((url) => Number(new URL(url).port));
    const open = await Promise.all(ports.map(isListening));
    return {
      exits: exits.filter((exit) => exit !== null),
      left: [...ports.filter((_, index) => open[index]).map((port) => `port ${port} is still open`), ...(await processesWith(this.#mark))],
    };
  }

  #environment(role: Role, surroundings: Surroundings | null, start: number): Record<string, string> {
    const { redis, upstream } = this.parts;
    const databaseUrl = this.layout === 'embedded' ? null : this.databaseUrl;
    const lockMs = surroundings ? LOCK_MS : SHORT_LOCK_MS;
    return {
      ...HASTY,
      JOB_LOCK_MS: String(lockMs),
      STALLED_AFTER_MS: String(2 * lockMs),
      ...(SHELL.isMet ? { TOOLS: 'Bash' } : {}),
      ...(upstream ? { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: 'key', MODEL_TIMEOUT_MS: '2000', MODEL_RETRY_MAX_MS: '500' } : {}),
      DATA_DIR: this.directory,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      ...(redis ? { REDIS_URL: redis.url } : {}),
      ...surroundings?.environment(databaseUrl, redis?.url ?? null),
      ROLE: role,
      // Both ways to run a turn, in turns.
      ...(surroundings ? { TURN_DISPATCH: start % 2 === 0 ? 'direct' : 'queue', DATABASE_TIMEOUT_MS: '3000' } : {}),
      FAULT_MARK: this.#mark,
    };
  }
}

/** Processes with the mark in their environment. */
async function processesWith(mark: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => environments[index]!.includes(mark)).map((pid) => `process ${pid} is left`);
}
