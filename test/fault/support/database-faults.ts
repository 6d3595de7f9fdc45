import type { Chance } from '../../support/random.js';
import type { RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';
import type { Deployment } from './deployment.js';
import { type Causes, POSSIBLE_SECONDS, signal } from './causes.js';
import type { PassingFaults } from './passing-faults.js';

export type DatabaseFault =
  | 'postmaster' // kills Postgres
  | 'backend' // kills one connection's process: Postgres ends all others and recovers
  | 'terminate' // Postgres closes connections
  | 'exhaust' // Postgres closes connections and rejects new ones
  | 'halt' // Postgres is frozen
  | 'disk' // the disk of Postgres is full
  | 'redis'; // kills Redis, which returns empty

const APP_CONNECTIONS = "SELECT pid FROM pg_stat_activity WHERE usename = 'verbatim_app' AND backend_type = 'client backend'";

/** What SQL reports when the disk is full, or when Postgres has stopped because of it. */
const DISK_ERRORS: readonly string[] = ['53100', '57P02', '57P03', '08006'];

/** Faults of Postgres and Redis. */
export class DatabaseFaults {
  readonly causes: Causes<DatabaseFault>;
  #isExhausted = false;
  #diskIsFull = false;
  #redisIsDown = false;

  constructor(
    private readonly deployment: Deployment,
    private readonly passing: PassingFaults,
  ) {
    const { postgres, redis } = deployment;
    this.causes = {
      postmaster: () => signal(postgres.pid, 'SIGKILL'),
      backend: async (chance) => signal(chance.of(await this.#ask(APP_CONNECTIONS)) as number | undefined, 'SIGKILL'),
      terminate: (chance) => this.#terminate(chance),
      exhaust: (chance) => this.#exhaust(chance),
      halt: (chance) => this.#halt(chance.between(200, 2_500)),
      disk: (chance) => this.#fillDisk(chance),
      redis: () => (redis ? this.#killRedis(redis) : false),
    };
  }

  async #halt(milliseconds: number): Promise<boolean> {
    const processes = await this.deployment.postgres.processes();
    for (const process of processes) signal(process, 'SIGSTOP');
    this.passing.endAfter(milliseconds, () => processes.forEach((process) => signal(process, 'SIGCONT')));
    return processes.length > 1;
  }

  async #terminate(chance: Chance): Promise<boolean> {
    const share = chance.next();
    return (await this.#ask(`SELECT pg_terminate_backend(pid) FROM (${APP_CONNECTIONS} AND random() <= ${share}) AS chosen`)).length > 0;
  }

  async #exhaust(chance: Chance): Promise<boolean> {
    if (this.#isExhausted) return false;
    this.#isExhausted = true;
    const limited = await this.#succeeds('ALTER ROLE verbatim_app CONNECTION LIMIT 0');
    await this.#ask(`SELECT pg_terminate_backend(pid) FROM (${APP_CONNECTIONS}) AS connection`);
    this.passing.endAfter(chance.between(200, 1_500), async () => {
      await until('connections are allowed again', () => this.#succeeds('ALTER ROLE verbatim_app CONNECTION LIMIT -1'), POSSIBLE_SECONDS);
      this.#isExhausted = false;
    });
    return limited;
  }

  /** Full to the last page that Postgres needs: with its log on the same disk it may stop altogether. */
  async #fillDisk(chance: Chance): Promise<boolean> {
    const { disk } = this.deployment;
    if (!disk || this.#diskIsFull) return false;
    this.#diskIsFull = true;
    await disk.fill(chance.between(0, 512) * 1024);
    const logged = chance.happens(0.5);
    const filled = await this.#refusal(
      `CREATE ${logged ? '' : 'UNLOGGED'} TABLE full_disk_${chance.between(0, 1e9)} AS SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 200000) i GROUP BY i % 2000`,
    );
    this.passing.endAfter(chance.between(0, 1_500), async () => {
      await disk.empty();
      this.#diskIsFull = false;
    });
    return filled;
  }

  async #killRedis(redis: RedisServer): Promise<boolean> {
    if (this.#redisIsDown) return false;
    this.#redisIsDown = true;
    await redis.kill();
    await redis.startAgain();
    this.#redisIsDown = false;
    return true;
  }

  /** Empty while Postgres does not answer. */
  #ask(sql: string): Promise<readonly unknown[]> {
    return this.deployment.postgres.query(sql).catch(() => []);
  }

  #succeeds(sql: string): Promise<boolean> {
    return this.deployment.postgres.query(sql).then(
      () => true,
      () => false,
    );
  }

  /** Whether Postgres reports a full disk, or stops because of it. */
  #refusal(sql: string): Promise<boolean> {
    return this.deployment.postgres.query(sql).then(
      () => false,
      (error: unknown) => DISK_ERRORS.includes(String((error as { code?: unknown }).code)) || /terminated/.test(String(error)),
    );
  }
}
