import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { BullJobQueue } from '../../src/adapters/queue/bull-job-queue.js';
import { postgresBackend } from '../../src/adapters/queue/postgres-backend.js';
import { redisBackend } from '../../src/adapters/queue/redis-backend.js';
import { Chance } from '../support/random.js';
import { expectLedger, expectRunsOnce, type Promises } from '../support/ledger.js';
import { hasRedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';
import { Deployment, type Kind } from './support/deployment.js';
import { Users } from './support/users.js';

/** FAULT_KILLS=5000 kills that many; FAULT_SEED=… repeats what chance has chosen, as far as the machine lets it. */
const KILLS = Number(process.env['FAULT_KILLS'] ?? 200);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);

/** Conversations that go on at the same time. */
const TABLES = 8;

/** The longest that work may lie about after the last kill. */
const REST_SECONDS = 40;

/** No round takes longer than this, in milliseconds. */
const ROUND_MS = 5_000;

describe('killing at random', () => killing('on Postgres alone', false, Math.floor(KILLS / 2), { api: 3, worker: 4, postgres: 3, redis: 0 }));

if (hasRedisServer()) describe('killing at random', () => killing('with Redis', true, Math.ceil(KILLS / 2), { api: 3, worker: 3, postgres: 2, redis: 3 }));
else process.stderr.write('SKIPPED: killing at random, with Redis: there is no redis-server on this machine\n');

function killing(name: string, withRedis: boolean, kills: number, shares: Readonly<Record<Kind, number>>): void {
  const chance = new Chance(SEED).apart(name);
  let deployment!: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.start(withRedis);
  }, 180_000);
  afterAll(() => deployment.stop(), 180_000);

  it(
    `${name}: ${kills} kills, and every accepted prompt ends once, in order`,
    async () => {
      process.stderr.write(`${kills} kills ${name}; FAULT_SEED=${SEED} has them again\n`);
      const told = new Map<string, Promises>();
      let over = false;
      const table = async (number: number): Promise<void> => {
        for (let party = 0; !over; party += 1) {
          const users = await Users.arrive(deployment, chance.apart(`table ${number} party ${party}`));
          told.set(users.sessionId, await users.talk());
        }
      };
      const describe = async (error: unknown): Promise<never> => {
        process.stderr.write(`${await deployment.describe()}\n`);
        throw error;
      };
      const killer = async (): Promise<void> => {
        for (const kind of deck(chance, kills, shares)) {
          if (over) return;
          await new Promise((resolve) => setTimeout(resolve, chance.between(0, 500)));
          await deployment.kill(kind, chance);
        }
      };
      await Promise.all([
        killer().finally(() => (over = true)),
        ...Array.from({ length: TABLES }, (_, number) =>
          table(number)
            .catch(describe)
            .finally(() => (over = true)),
        ),
      ]);
      await deployment.whole();
      expect(deployment.accidents).toEqual([]);

      // Everything has come to rest by itself: nothing waits, nothing runs.
      let left: readonly string[] = [];
      await until('nothing is left to do', async () => (left = await leftovers(deployment)).length === 0, REST_SECONDS).catch((error: unknown) => {
        throw new Error(left.join(', '), { cause: error });
      });
      expect(told.size).toBeGreaterThanOrEqual(TABLES);
      const client = await deployment.api(chance);
      for (const [sessionId, promises] of told) {
        await expectLedger(client, sessionId, promises);
        await expectRunsOnce(client, sessionId, 'lines');
      }
      const prompts = [...told.values()].reduce((sum, { prompts: { length } }) => sum + length, 0);
      process.stderr.write(`${kills} kills ${name}: ${prompts} prompts in ${told.size} sessions, all accounted for\n`);

      expect(await deployment.stop()).toEqual({ exits: [0, 0, 0, 0], left: [] });
    },
    300_000 + kills * ROUND_MS,
  );
}

/** Which kind to kill each time: all kinds by their shares, in any order. */
function deck(chance: Chance, kills: number, shares: Readonly<Record<Kind, number>>): readonly Kind[] {
  const once = (Object.entries(shares) as [Kind, number][]).flatMap(([kind, share]) => Array.from({ length: share }, () => kind));
  return chance.shuffled(Array.from({ length: kills }, (_, index) => once[index % once.length]!));
}

/** Work that is still somewhere, by name. */
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
