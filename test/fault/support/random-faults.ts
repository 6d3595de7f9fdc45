import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { BullJobQueue } from '../../../src/adapters/queue/bull-job-queue.js';
import { postgresBackend } from '../../../src/adapters/queue/postgres-backend.js';
import { redisBackend } from '../../../src/adapters/queue/redis-backend.js';
import { withConnection } from '../../../src/adapters/postgres/connect.js';
import { canTest, FAKETIME, SHELL } from '../../support/needs.js';
import { Chance } from '../../support/random.js';
import { expectLedger, expectRunsOnce, type Promises } from '../../support/ledger.js';
import { turnJobViolations } from '../../support/turn-jobs.js';
import { until } from '../../support/until.js';
import { nextBuild } from './builds.js';
import { Deployment, type Layout } from './deployment.js';
import { type Fault, Injector } from './injector.js';
import { Users } from './users.js';

/** FAULTS=5000 injects that many, a third into each deployment; FAULT_SEED=… repeats the random choices of a run, though not the timing of the machine; FAULT_TRACE=1 logs each fault. */
const FAULTS = Number(process.env['FAULTS'] ?? 36);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);

/** The ledger is checked after so many faults. */
const ROUND = 100;

/** Concurrent conversations, and faults that are injected at a time. */
const CONVERSATIONS = 4;
const LANES = 4;

/** The longest pause of a lane between two faults, in milliseconds. */
const MAX_PAUSE_MS = 150;

/** The longest that work may remain after the last fault of a round. */
const REST_SECONDS = 120;

/** A limit for a run that hangs, in milliseconds. */
const START_LIMIT_MS = 600_000;
const FAULT_LIMIT_MS = 20_000;

/** How often a fault occurs, relative to the others. */
type Shares = Readonly<Partial<Record<Fault, number>>>;

const ANYWHERE: Shares = { clock: 3, postmaster: 1, backend: 1, terminate: 3, exhaust: 1, halt: 2, disk: 1, upstream: 12 };
const SEVERAL: Shares = { ...ANYWHERE, api: 2, worker: 3, starting: 1, replace: 2, freeze: 4, silence: 3, cut: 4, 'lost-reply': 6 };

const SHARES: Readonly<Record<Layout, Shares>> = {
  embedded: { ...ANYWHERE, server: 3, starting: 1, replace: 1, freeze: 2 },
  postgres: SEVERAL,
  redis: { ...SEVERAL, redis: 2 },
};

/** The tests of one deployment: random faults while users talk; every accepted prompt ends once, in order. */
export function injecting(layout: Layout): void {
  const chance = new Chance(SEED).apart(layout);
  const faults = Math.ceil(FAULTS / 3);
  let deployment!: Deployment;
  let injector: Injector;

  beforeAll(async () => {
    deployment = await Deployment.start(layout, true);
    injector = new Injector(deployment, layout === 'embedded' ? undefined : await nextBuild(`${deployment.directory}/next`));
  });
  afterAll(() => (deployment as Deployment | undefined)?.stop());

  it(
    `${layout}: ${faults} faults, and every accepted prompt ends once, in order`,
    async () => {
      process.stderr.write(`${layout}: ${faults} faults; repeat with FAULT_SEED=${SEED}\n`);
      const all = deck(chance, faults, possible(deployment));
      const began = performance.now();
      let prompts = 0;
      for (let first = 0; first < all.length; first += ROUND) {
        prompts += await round(deployment, injector, all.slice(first, first + ROUND), chance.apart(`round ${first}`));
        const perFault = (performance.now() - began) / Math.min(first + ROUND, all.length) / 1_000;
        process.stderr.write(`${layout}: ${prompts} prompts accounted for after ${kinds(injector)}; ${perFault.toFixed(1)} s per fault\n`);
      }
      expect([...injector.counts.values()].reduce((sum, count) => sum + count, 0)).toBe(faults);
      expect(await deployment.stop()).toEqual({ exits: deployment.places.map(() => 0), left: [] });
      expect(deployment.accidents).toEqual([]);
    },
    START_LIMIT_MS + faults * FAULT_LIMIT_MS,
  );
}

/** Injects faults while users talk, waits until all work is complete, and checks the ledger. Resolves to the number of accepted prompts. */
async function round(deployment: Deployment, injector: Injector, faults: readonly Fault[], chance: Chance): Promise<number> {
  const promises = new Map<string, Promises>();
  let over = false;
  const converse = async (number: number): Promise<void> => {
    for (let session = 0; !over; session += 1) {
      const users = await Users.arrive(deployment, chance.apart(`conversation ${number} session ${session}`));
      promises.set(users.sessionId, await users.talk());
    }
  };
  const describeFailure = async (error: unknown): Promise<never> => {
    over = true;
    process.stderr.write(`${String(error)}\n${await deployment.describe()}\n`);
    throw error;
  };
  const remaining = [...faults];
  const inject = async (lane: Chance): Promise<void> => {
    for (let fault = remaining.pop(); fault !== undefined && !over; fault = remaining.pop()) {
      await pause(lane.between(0, MAX_PAUSE_MS));
      await injector.inject(fault, lane);
    }
  };
  const injected = Promise.all(Array.from({ length: LANES }, (_, lane) => inject(chance.apart(`lane ${lane}`)))).finally(() => (over = true));
  await Promise.all([injected.catch(describeFailure), ...Array.from({ length: CONVERSATIONS }, (_, number) => converse(number).catch(describeFailure))]);
  await injector.calm();
  expect(deployment.accidents).toEqual([]);

  let left: readonly string[] = [];
  await until('no work is left', async () => (left = await leftovers(deployment)).length === 0, REST_SECONDS).catch(async (error: unknown) => {
    process.stderr.write(`${await deployment.describe()}\n`);
    throw new Error(left.join(', '), { cause: error });
  });
  expect(await turnJobViolations(deployment.databaseUrl)).toEqual([]);
  expect(promises.size).toBeGreaterThanOrEqual(CONVERSATIONS);
  const client = await deployment.calmApi(chance);
  for (const [sessionId, made] of promises) {
    await expectLedger(client, sessionId, made);
    await expectRunsOnce(client, sessionId, 'lines');
  }
  return [...promises.values()].reduce((sum, { prompts: { length } }) => sum + length, 0);
}

/** What this machine allows; standard error says what is left out. */
function possible(deployment: Deployment): Shares {
  const { clock, disk, ...others } = SHARES[deployment.layout];
  const canJump = canTest('clock jumps', FAKETIME);
  const canFill = canTest('full disks', { isMet: deployment.disk !== null, remedy: 'run as root, with the right to mount' });
  canTest('calls of Bash', SHELL);
  return { ...others, ...(canJump ? { clock: clock! } : {}), ...(canFill ? { disk: disk! } : {}) };
}

/** The faults in random order, by their shares. */
function deck(chance: Chance, count: number, shares: Shares): readonly Fault[] {
  const once = (Object.entries(shares) as [Fault, number][]).flatMap(([kind, share]) => Array.from({ length: share }, () => kind));
  const repeated = Array.from({ length: Math.ceil(count / once.length) }, () => chance.shuffled(once));
  return repeated.flat().slice(0, count);
}

const kinds = ({ counts }: Injector): string => [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');

/** Remaining work, by place. */
async function leftovers(deployment: Deployment): Promise<readonly string[]> {
  const backend = deployment.redis ? redisBackend({ url: deployment.redis.url }) : postgresBackend({ url: deployment.appUrl });
  const queue = new BullJobQueue({ backend, lockMs: 1_000, report: () => undefined });
  try {
    const row = await withConnection(deployment.databaseUrl, 5_000, async (client) => {
      const { rows } = await client.query<{ outbox: number; busy: number }>(
        "SELECT (SELECT count(*) FROM outbox)::int AS outbox, (SELECT count(*) FROM session WHERE status <> 'idle' OR queue_length > 0)::int AS busy",
      );
      return rows[0];
    });
    const counts = await (await queue.inner()).getJobCounts('active', 'waiting', 'delayed', 'prioritized', 'failed');
    return Object.entries({ ...row, ...counts })
      .filter(([, count]) => count > 0)
      .map(([place, count]) => `${count} in ${place}`);
  } finally {
    await queue.stop(0);
  }
}
