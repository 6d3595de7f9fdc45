import { randomUUID } from 'node:crypto';
import { PostgresEventStore } from '../src/engine/store/postgres-event-store.js';
import { Database } from '../src/platform/postgres/store/prisma.js';
import { append, ids, job } from '../test/support/appends.js';
import type { TestDatabase } from '../test/support/database.js';
import { NO_ENCRYPTION } from '../test/support/encryption.js';
import { MARKS, marked } from './marks.js';
import { table } from './report.js';

const STORES = 4;
const CALLERS = 64;
const SECONDS = 5;
const ROUNDS = 3;

/**
 * Starts of turns: an append that leases its job to the caller, and one that ends the turn. Several stores stand for processes. In turn with one tenant and with as many as there are callers;
 * the ratio is of the best rounds.
 */
export async function benchStarts(urls: TestDatabase): Promise<void> {
  const databases = Array.from(
    { length: STORES },
    () => new Database({ url: urls.appUrl, poolSize: 2, appendPoolSize: 8, timeoutMs: 60_000, applicationName: 'verbatim bench' }),
  );
  const stores = databases.map((database) => new PostgresEventStore(database, NO_ENCRYPTION));
  const one = randomUUID();
  const tenants = { one: () => one, many: (caller: number) => MANY[caller]! };
  const best = { one: 0, many: 0 };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const kind of ['one', 'many'] as const) best[kind] = Math.max(best[kind], await startsASecond(stores, tenants[kind]));
    }
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
  table(`Starts of turns a second, ${CALLERS} callers in ${STORES} stores, best of ${ROUNDS} rounds`, [
    [`${CALLERS} tenants`, best.many.toFixed(0), '', ''],
    ['one tenant', best.one.toFixed(0), '', ''],
    ['  ratio', (best.one / best.many).toFixed(2), '', marked(MARKS.startsOfOneTenant)],
  ]);
}

/** One user, so that the totals are those of everybody. */
const USED = {
  userId: randomUUID(),
  model: 'a-model',
  prompts: 1,
  requests: 1,
  inputTokens: 10,
  outputTokens: 10,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  cost: 1,
};

const MANY = Array.from({ length: CALLERS }, () => randomUUID());

async function startsASecond(stores: readonly PostgresEventStore[], tenantOf: (caller: number) => string): Promise<number> {
  let starts = 0;
  const began = performance.now();
  const until = began + SECONDS * 1_000;
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      const store = stores[caller % stores.length]!;
      const dispatch = { holder: randomUUID(), perTenant: 1_000, leaseMs: 60_000 };
      while (performance.now() < until) {
        const of = { ...ids(), tenantId: tenantOf(caller) };
        const started = await store.append(append(of, 0, { jobs: [job(of)], dispatch, usage: [USED], summary: { userId: USED.userId } }));
        if (started.kind !== 'appended' || !started.claim) throw new Error('the turn was not handed over');
        starts += 1;
        await store.append(append(of, 1, { claim: started.claim, completedJobs: [started.claim.jobId], usage: [USED] }));
      }
    }),
  );
  return starts / ((performance.now() - began) / 1_000);
}
