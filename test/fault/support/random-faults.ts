import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { BullJobQueue } from '../../../src/platform/queue/bull-job-queue.js';
import { postgresBackend } from '../../../src/platform/queue/postgres-backend.js';
import { redisBackend } from '../../../src/platform/queue/redis-backend.js';
import { withConnection } from '../../../src/platform/postgres/connect.js';
import { canTest, FAKETIME, SHELL } from '../../support/needs.js';
import { Chance } from '../../support/random.js';
import { expectLedger, expectRunsOnce, type Promises } from '../../support/ledger.js';
import { turnJobViolations } from '../../support/turn-jobs.js';
import { until } from '../../support/until.js';
import { nextBuild } from './builds.js';
import { Deployment, type Layout } from './deployment.js';
import { deck, type Fault, type Shares, sharesOf, tableOf } from './fault-deck.js';
import { POSSIBLE_SECONDS } from './causes.js';
import { Injector } from './injector.js';
import { Users } from './users.js';

/**
 * FAULTS=5000 injects that many, a third into each of the three deployments, which have a spec file each; FAULT_KINDS=server,worker,freeze only these kinds.
 * FAULT_SEED=… repeats the random choices of a run, though not the timing of the machine; FAULT_TRACE=1 logs each fault.
 */
const FAULTS = Math.ceil(Number(process.env['FAULTS'] ?? 36) / 3);
const KINDS = (process.env['FAULT_KINDS'] ?? '').split(',').filter((kind) => kind !== '');
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);

/** The ledger is checked after so many faults. */
const ROUND = 100;

/** Concurrent conversations. */
const CONVERSATIONS = 4;

/** The longest pause of a lane between two faults, in milliseconds. */
const MAX_PAUSE_MS = 150;

/** By what share of its faults a lane may be ahead of the others, so that faults of all kinds meet until the end of a round. */
const MAX_LEAD = 0.1;

/** The longest that a lane may wait for another one, which may wait for its fault to become possible. */
const LANE_SECONDS = 2 * POSSIBLE_SECONDS;

/** The longest that work may remain after the last fault of a round. */
const REST_SECONDS = 120;

/** A limit for a run that hangs, in milliseconds. */
const START_LIMIT_MS = 600_000;
const FAULT_LIMIT_MS = 20_000;

/** The tests of one deployment: random faults while users talk; every accepted prompt ends once, in order. */
export function injecting(layout: Layout): void {
  const chance = new Chance(SEED).apart(layout);
  let deployment!: Deployment;
  let injector: Injector;

  beforeAll(async () => {
    deployment = await Deployment.start(layout, true);
    injector = new Injector(deployment, layout === 'embedded' ? undefined : await nextBuild(`${deployment.directory}/next`));
  });
  afterAll(() => (deployment as Deployment | undefined)?.stop());

  it(
    `${layout}: ${FAULTS} faults, and every accepted prompt ends once, in order`,
    async () => {
      process.stderr.write(`${layout}: ${FAULTS} faults; repeat with FAULT_SEED=${SEED}\n`);
      const all = deck(chance, FAULTS, possible(deployment));
      const began = performance.now();
      let prompts = 0;
      for (let first = 0; first < all.length; first += ROUND) {
        prompts += await round(deployment, injector, all.slice(first, first + ROUND), chance.apart(`round ${first}`));
        const last = Math.min(first + ROUND, all.length);
        const perFault = (performance.now() - began) / last / 1_000;
        process.stderr.write(`${layout}: ${prompts} prompts accounted for after ${last} faults; ${perFault.toFixed(2)} s per fault\n`);
      }
      process.stderr.write(`${tableOf(injector.counts)}\n`);
      expect(Object.fromEntries(injector.counts)).toEqual(countsOf(all));
      expect(all).toHaveLength(FAULTS);
      expect(await deployment.stop()).toEqual({ exits: deployment.places.map(() => 0), left: [] });
      expect(deployment.accidents).toEqual([]);
    },
    START_LIMIT_MS + FAULTS * FAULT_LIMIT_MS,
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
  const injecting = injectAll(injector, faults, chance, () => over).finally(() => (over = true));
  await Promise.all([injecting.catch(describeFailure), ...Array.from({ length: CONVERSATIONS }, (_, number) => converse(number).catch(describeFailure))]);
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

/** Injects the faults of a round, in a lane for each place of failure. */
async function injectAll(injector: Injector, faults: readonly Fault[], chance: Chance, isOver: () => boolean): Promise<void> {
  const lanes = injector.lanes
    .map(({ name, kinds }) => ({ name, faults: faults.filter((fault) => kinds.includes(fault)), done: 0 }))
    .filter((lane) => lane.faults.length > 0);
  const progress = ({ done, faults: { length } }: (typeof lanes)[number]): number => done / length;
  const inject = async (lane: (typeof lanes)[number]): Promise<void> => {
    const own = chance.apart(lane.name);
    for (const fault of lane.faults) {
      await pause(own.between(0, MAX_PAUSE_MS));
      await until(
        `the other lanes have come as far as ${lane.name}`,
        async () => isOver() || progress(lane) <= Math.min(...lanes.map(progress)) + MAX_LEAD,
        LANE_SECONDS,
      );
      if (isOver()) return;
      await injector.inject(fault, own);
      lane.done += 1;
    }
  };
  await Promise.all(lanes.map(inject));
}

/** What this machine allows; standard error says what is left out. */
function possible(deployment: Deployment): Shares {
  const { clock, disk, ...others } = sharesOf(deployment.layout, KINDS);
  const canJump = canTest('clock jumps', FAKETIME);
  const canFill = canTest('full disks', { isMet: deployment.disk !== null, remedy: 'run as root, with the right to mount' });
  canTest('calls of Bash', SHELL);
  return { ...others, ...(canJump && clock ? { clock } : {}), ...(canFill && disk ? { disk } : {}) };
}

function countsOf(faults: readonly Fault[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const fault of faults) counts[fault] = (counts[fault] ?? 0) + 1;
  return counts;
}

/** Remaining work, by place. */
async function leftovers(deployment: Deployment): Promise<readonly string[]> {
  const backend = deployment.redis ? redisBackend({ url: deployment.redis.url }) : postgresBackend({ url: deployment.appUrl });
  const queue = new BullJobQueue({ backend, lockMs: 1_000, report: () => undefined });
  try {
    const row = await withConnection(deployment.databaseUrl, 60_000, async (client) => {
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
