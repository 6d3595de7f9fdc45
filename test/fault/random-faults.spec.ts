import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { BullJobQueue } from '../../src/adapters/queue/bull-job-queue.js';
import { postgresBackend } from '../../src/adapters/queue/postgres-backend.js';
import { redisBackend } from '../../src/adapters/queue/redis-backend.js';
import { Chance } from '../support/random.js';
import { expectLedger, expectRunsOnce, type Promises } from '../support/ledger.js';
import { hasRedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';
import { turnJobViolations } from '../support/turn-jobs.js';
import { Deployment, type Fault } from './support/deployment.js';
import { HAS_FAKETIME } from './support/surroundings.js';
import { Users } from './support/users.js';

/** FAULTS=5000 injects that many; FAULT_SEED=… repeats the random choices of a run, though not the timing of the machine. */
const FAULTS = Number(process.env['FAULTS'] ?? 40);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);

/** The ledger is checked after so many faults. */
const ROUND = 100;

/** Concurrent conversations. */
const CONVERSATIONS = 8;

/** The longest that work may remain after the last fault of a round. */
const REST_SECONDS = 60;

/** The longest that one fault may take, in milliseconds. */
const FAULT_MS = 6_000;

type Shares = Readonly<Partial<Record<Fault, number>>>;

const OTHER_FAULTS: Shares = { freeze: 2, silence: 2, cut: 3, exhaust: 1, clock: HAS_FAKETIME ? 2 : 0, upstream: 4 };

if (!HAS_FAKETIME) process.stderr.write('SKIPPED: clock jumps: install faketime to include them\n');
describe('random faults', () => injecting('on Postgres', false, Math.floor(FAULTS / 2), { api: 3, worker: 4, postgres: 2, ...OTHER_FAULTS }));

if (hasRedisServer())
  describe('random faults', () => injecting('with Redis', true, Math.ceil(FAULTS / 2), { api: 3, worker: 3, postgres: 2, redis: 2, ...OTHER_FAULTS }));
else process.stderr.write('SKIPPED: random faults with Redis: install redis-server to run them\n');

function injecting(name: string, withRedis: boolean, faults: number, shares: Shares): void {
  const chance = new Chance(SEED).apart(name);
  let deployment!: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.start(withRedis, true);
  });
  afterAll(() => deployment.stop());

  it(
    `${name}: ${faults} faults, and every accepted prompt ends once, in order`,
    async () => {
      process.stderr.write(`${faults} faults ${name}; repeat with FAULT_SEED=${SEED}\n`);
      const all = deck(chance, faults, shares);
      let prompts = 0;
      for (let first = 0; first < all.length; first += ROUND)
        prompts += await round(deployment, all.slice(first, first + ROUND), chance.apart(`round ${first}`));
      process.stderr.write(`${faults} faults ${name}: ${prompts} prompts, all accounted for\n`);
      expect(await deployment.stop()).toEqual({ exits: [0, 0, 0, 0], left: [] });
    },
    400_000 + faults * FAULT_MS,
  );
}

/** Injects faults while users talk, waits until all work is complete, and checks the ledger. Resolves to the number of accepted prompts. */
async function round(deployment: Deployment, faults: readonly Fault[], chance: Chance): Promise<number> {
  const promises = new Map<string, Promises>();
  let over = false;
  const converse = async (number: number): Promise<void> => {
    for (let session = 0; !over; session += 1) {
      const users = await Users.arrive(deployment, chance.apart(`conversation ${number} session ${session}`));
      promises.set(users.sessionId, await users.talk());
    }
  };
  const describeFailure = async (error: unknown): Promise<never> => {
    process.stderr.write(`${await deployment.describe()}\n`);
    throw error;
  };
  const inject = async (): Promise<void> => {
    for (const fault of faults) {
      if (over) return;
      await new Promise((resolve) => setTimeout(resolve, chance.between(0, 500)));
      await deployment.inject(fault, chance);
    }
  };
  await Promise.all([
    inject().finally(() => (over = true)),
    ...Array.from({ length: CONVERSATIONS }, (_, number) =>
      converse(number)
        .catch(describeFailure)
        .finally(() => (over = true)),
    ),
  ]);
  await deployment.whole();
  expect(deployment.accidents).toEqual([]);

  let left: readonly string[] = [];
  await until('no work is left', async () => (left = await leftovers(deployment)).length === 0, REST_SECONDS).catch((error: unknown) => {
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

/** The faults in random order, by their shares. */
function deck(chance: Chance, count: number, shares: Shares): readonly Fault[] {
  const once = (Object.entries(shares) as [Fault, number][]).flatMap(([kind, share]) => Array.from({ length: share }, () => kind));
  return chance.shuffled(Array.from({ length: count }, (_, index) => once[index % once.length]!));
}

/** Remaining work, by place. */
async function leftovers(deployment: Deployment): Promise<readonly string[]> {
  const owner = new pg.Client({ connectionString: deployment.databaseUrl });
  const backend = deployment.redis ? redisBackend({ url: deployment.redis.url }) : postgresBackend({ url: deployment.appUrl });
  const queue = new BullJobQueue({ backend, lockMs: 1_000, report: () => undefined });
  try {
    await owner.connect();
    const { rows } = await owner.query<{ outbox: number; busy: number }>(
      "SELECT (SELECT count(*) FROM outbox)::int AS outbox, (SELECT count(*) FROM session WHERE status <> 'idle' OR queue_length > 0)::int AS busy",
    );
    const counts = await (await queue.inner()).getJobCounts('active', 'waiting', 'delayed', 'prioritized', 'failed');
    return Object.entries({ ...rows[0], ...counts })
      .filter(([, count]) => count > 0)
      .map(([place, count]) => `${count} in ${place}`);
  } finally {
    await queue.stop(0);
    await owner.end();
  }
}
