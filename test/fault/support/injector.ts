import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../../support/random.js';
import type { Fault as UpstreamFault } from '../../support/stand-in-server.js';
import type { FaultProxy } from '../../support/fault-proxy.js';
import type { RedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';
import { type Deployment, LOCK_MS } from './deployment.js';
import type { Place } from './place.js';

/** What can be injected; which of them a deployment takes is in `SHARES`. */
export type Fault =
  | 'server' // kills the only process of the embedded deployment
  | 'api' // kills one api
  | 'worker' // kills one worker
  | 'starting' // kills a process during its start
  | 'replace' // stops a process with SIGTERM and starts the next release, or restarts this one
  | 'freeze' // SIGSTOP for longer than a job lock
  | 'clock' // the clock of a process jumps
  | 'postmaster' // kills Postgres
  | 'backend' // kills one connection's process: Postgres ends all others and recovers
  | 'terminate' // Postgres closes connections
  | 'exhaust' // Postgres closes connections and rejects new ones
  | 'halt' // Postgres is frozen
  | 'disk' // the disk of Postgres is full
  | 'redis' // kills Redis, which returns empty
  | 'silence' // open connections lose bytes, in one direction or both
  | 'cut' // connections break at any moment
  | 'lost-reply' // a connection breaks between what a request has done and its reply
  | 'upstream'; // the model API fails

/** Seconds; a clock jumps in either direction. */
const MAX_CLOCK_JUMP = 7_200;

/** A limit for a fault that never becomes possible, such as the kill of a process during its start when none starts any more. */
const POSSIBLE_SECONDS = 600;

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

const APP_CONNECTIONS = "SELECT pid FROM pg_stat_activity WHERE usename = 'verbatim_app' AND backend_type = 'client backend'";

/** Injects faults into a deployment, several at a time, and counts them. */
export class Injector {
  /** Faults by kind that have really happened: something was there to fail. */
  readonly counts = new Map<Fault, number>();
  /** Faults that end by themselves. */
  readonly #passing = new Set<Promise<unknown>>();
  readonly #frozen = new Set<unknown>();
  #isExhausted = false;
  #diskIsFull = false;
  #redisIsDown = false;

  constructor(
    private readonly deployment: Deployment,
    /** The main file of the next release; absent: the same build is restarted. */
    private readonly nextMain?: string,
  ) {}

  /** Causes a fault, as soon as it is possible. One that ends by itself does so in the background. */
  async inject(fault: Fault, chance: Chance): Promise<void> {
    await until(
      `there is something for the fault "${fault}"`,
      async () => {
        if (await this.#cause(fault, chance)) return true;
        await pause(50);
        return false;
      },
      POSSIBLE_SECONDS,
    );
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    if (process.env['FAULT_TRACE'] !== undefined) process.stderr.write(`${new Date().toISOString()} ${fault}\n`);
  }

  /** Resolves when all faults have ended and every process runs. */
  async calm(): Promise<void> {
    await Promise.all(this.#passing);
    await this.deployment.whole();
    // The next release can read everything, so at the end of an upgrade it runs everywhere.
    for (const place of this.deployment.places) {
      if (this.nextMain !== undefined && place.build !== this.nextMain) place.replace(this.nextMain);
    }
    await this.deployment.whole();
  }

  /** False: it is not possible now. */
  #cause(fault: Fault, chance: Chance): Promise<boolean> | boolean {
    const { places, postgres, redis } = this.deployment;
    const place = chance.of(places.filter(({ server }) => server !== null));
    switch (fault) {
      case 'server':
        return place?.kill() ?? false;
      case 'api':
      case 'worker':
        // One of each kind keeps running, however slow the machine is.
        return this.deployment.servers(fault).length > 1 && chance.of(places.filter(({ role }) => role === fault))!.kill();
      case 'starting':
        return this.#killStart(chance);
      case 'replace':
        return this.#replace(chance);
      case 'freeze':
        return place ? this.#freeze(place, chance) : false;
      case 'clock':
        return place?.surroundings?.setClock(chance.between(-MAX_CLOCK_JUMP, MAX_CLOCK_JUMP)).then(() => true) ?? false;
      case 'postmaster':
        return signal(postgres.pid, 'SIGKILL');
      case 'backend':
        return this.#ask(APP_CONNECTIONS).then((pids) => signal(chance.of(pids) as number | undefined, 'SIGKILL'));
      case 'terminate':
        return this.#terminate(chance);
      case 'exhaust':
        return this.#exhaust(chance);
      case 'halt':
        return this.#halt(chance.between(200, 2_500));
      case 'disk':
        return this.#fillDisk(chance);
      case 'redis':
        return redis ? this.#killRedis(redis) : false;
      case 'silence':
        return this.#onProxy(chance, (proxy) => proxy.silence(chance.of(['both', 'requests', 'replies'] as const)) > 0);
      case 'cut':
        return this.#onProxy(chance, (proxy) => proxy.cut() > 0);
      case 'lost-reply':
        return this.#onProxy(chance, (proxy) => proxy.cutAtReply(1_000));
      case 'upstream':
        return this.#failUpstream({ ...chance.of(UPSTREAM_FAULTS)! });
      default:
        return fault satisfies never;
    }
  }

  #onProxy(chance: Chance, break_: (proxy: FaultProxy) => Promise<boolean> | boolean): Promise<boolean> | boolean {
    const proxy = chance.of(this.deployment.places.flatMap(({ surroundings }) => surroundings?.proxies ?? []));
    return proxy ? break_(proxy) : false;
  }

  /** A start that is under way, else that of a process killed for it: late in a round nothing may ever start by itself. */
  async #killStart(chance: Chance): Promise<boolean> {
    const { places } = this.deployment;
    const place = chance.of(places.filter(({ server }) => server === null)) ?? chance.of(places.filter((one) => this.#isSpare(one)));
    if (!place) return false;
    await place.kill();
    while (place.server === null) {
      if (place.killStart()) return true;
      await pause(5);
    }
    return false;
  }

  /** Whether the deployment goes on without it. The only process of the embedded deployment is replaced at once. */
  #isSpare({ role }: Place): boolean {
    return role === 'all' || this.deployment.servers(role).length > 1;
  }

  /** The second process of each role changes between the releases. The first runs the next one, so that every session can be read somewhere. */
  #replace(chance: Chance): boolean {
    const { places } = this.deployment;
    if (this.nextMain === undefined) return chance.of(places)!.replace(undefined);
    const place = places.find((one, index) => !isSecond(one, index) && one.build !== this.nextMain) ?? chance.of(places.filter(isSecond))!;
    return place.replace(place.build === undefined ? this.nextMain : undefined);
  }

  #freeze(place: Place, chance: Chance): boolean {
    const { server } = place;
    if (!server || this.#frozen.has(server) || !signal(server.pid, 'SIGSTOP')) return false;
    this.#frozen.add(server);
    this.#later(chance.between(LOCK_MS, 2 * LOCK_MS), async () => {
      this.#frozen.delete(server);
      signal(server.pid, 'SIGCONT'); // unless it was killed meanwhile
    });
    return true;
  }

  async #halt(milliseconds: number): Promise<boolean> {
    const processes = await this.deployment.postgres.processes();
    for (const process of processes) signal(process, 'SIGSTOP');
    this.#later(milliseconds, async () => processes.forEach((process) => signal(process, 'SIGCONT')));
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
    this.#later(chance.between(200, 1_500), async () => {
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
    this.#later(chance.between(0, 1_500), async () => {
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

  /** The next request gets it. */
  async #failUpstream(fault: UpstreamFault): Promise<boolean> {
    const { upstream } = this.deployment;
    if (!upstream) return false;
    upstream.next(fault);
    await until('a request is made', async () => !upstream.isQueued(fault), 10).catch(() => undefined);
    return !upstream.withdraw(fault);
  }

  /** Runs `end` after a time, in the background. */
  #later(milliseconds: number, end: () => Promise<void>): void {
    const passing = pause(milliseconds)
      .then(end)
      .finally(() => this.#passing.delete(passing));
    this.#passing.add(passing);
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
      (error: unknown) => ['53100', '57P02', '57P03', '08006'].includes(String((error as { code?: unknown }).code)) || /terminated/.test(String(error)),
    );
  }
}

const isSecond = (_: Place, index: number): boolean => index % 2 === 1;

/** Whether there was such a process. */
function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && pid > 0 && process.kill(pid, name);
  } catch {
    return false;
  }
}
