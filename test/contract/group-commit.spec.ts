import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import type { AppendOutcome } from '../../src/ports/index.js';
import { append, appended, closed, type Ids, ids, job, numbered } from '../support/appends.js';
import { type Cut, cuttingProxy } from '../support/cutting-proxy.js';
import { openDatabase, postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { until } from '../support/until.js';
import { NO_ENCRYPTION } from '../support/encryption.js';

let store: PostgresStore;
/** Holds session locks. */
let holder: pg.Client;
let owner: pg.Client;

beforeAll(async () => {
  store = await postgresStore();
  owner = await connect(store.urls.ownerUrl, 60_000);
});
beforeEach(async () => {
  holder = await connect(store.urls.ownerUrl, 60_000);
});
afterEach(() => holder.end());
afterAll(async () => {
  await owner.end();
  await store.close();
});

const lock = (of: Ids) => holder.query('SELECT pg_advisory_lock(session_lock($1, $2))', [of.tenantId, of.sessionId]);
const waitingForLocks = async (): Promise<number> =>
  (await holder.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")).rowCount!;

/** An append that is in progress until `holder` unlocks its session: those that follow wait for it, but not for long. */
async function inProgress(events: PostgresEventStore): Promise<{ readonly end: () => Promise<AppendOutcome> }> {
  const of = ids();
  await lock(of);
  const first = events.append(append(of, 0));
  await until('an append waits for its session', async () => (await waitingForLocks()) > 0);
  return {
    end: async () => {
      await holder.query('SELECT pg_advisory_unlock_all()');
      return first;
    },
  };
}

async function commits(of: readonly Ids[]): Promise<number> {
  const { rows } = await owner.query<{ commits: number }>('SELECT count(DISTINCT xact_id)::int AS commits FROM event WHERE session_id = ANY ($1)', [
    of.map(({ sessionId }) => sessionId),
  ]);
  return rows[0]!.commits;
}

describe('appends that wait at the same moment', () => {
  it('share a commit, and do not wait for one of another session that is locked', async () => {
    const slow = await inProgress(store.events);
    const sessions = Array.from({ length: 12 }, ids);
    const given = sessions.map((of) => append(of, 0, { events: numbered(3), jobs: [job(of)], summary: { title: '"\\ 𝔸' } }));
    const outcomes = await Promise.all(given.map((one) => store.events.append(one)));
    expect(await commits(sessions)).toBe(1);
    for (const [index, of] of sessions.entries()) {
      expect(appended(outcomes[index]!).map(({ id }) => id)).toEqual(given[index]!.events.map(({ id }) => id));
      expect(appended(outcomes[index]!)).toStrictEqual(await store.events.load(of.tenantId, of.sessionId));
      expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, events: 3 });
    }
    appended(await slow.end());
  });

  it('get their own outcomes', async () => {
    const [fresh, known, contested, fencedOut] = [ids(), ids(), ids(), ids()];
    const first = append(known, 0);
    await store.events.append(first);
    await store.events.append(append(fencedOut, 0));
    const slow = await inProgress(store.events);
    const outcomes = await Promise.all(
      [
        append(fresh, 0),
        { ...first, events: append(known, 0).events },
        { ...first, requestHash: 'aa'.repeat(32) },
        append(contested, 0),
        append(contested, 0),
        append({ ...known, tenantId: randomUUID() }, 1),
        append(fencedOut, 1, { claim: { jobId: randomUUID(), fence: 1 } }),
      ].map((one) => store.events.append(one)),
    );
    expect(outcomes).toMatchObject([
      { kind: 'appended' },
      { kind: 'duplicate', firstSeq: 1, lastSeq: 1 },
      { kind: 'key_reused' },
      { kind: 'appended' },
      { kind: 'conflict', version: 1 },
      { kind: 'conflict', version: 0 },
      { kind: 'fenced' },
    ]);
    appended(await slow.end());
  });

  it('are appended without one that fails', async () => {
    const slow = await inProgress(store.events);
    const good = [ids(), ids(), ids()];
    const bad = append(ids(), 0);
    const [broken, ...others] = await Promise.allSettled([
      store.events.append({ ...bad, events: bad.events.map((event) => ({ ...event, id: 'not an id' })) }),
      ...good.map((of) => store.events.append(append(of, 0))),
    ]);
    expect(broken.status === 'rejected' && String(broken.reason)).toContain('not an id');
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    for (const of of good) expect(await store.events.load(of.tenantId, of.sessionId)).toHaveLength(1);
    appended(await slow.end());
  });

  it('are appended without one with a locked session, which follows', async () => {
    const locked = ids();
    const others = [ids(), ids()];
    const slow = await inProgress(store.events);
    await lock(locked);
    const late = store.events.append(append(locked, 0));
    for (const outcome of await Promise.all(others.map((of) => store.events.append(append(of, 0))))) appended(outcome);
    expect(await store.events.load(locked.tenantId, locked.sessionId)).toEqual([]);
    appended(await slow.end());
    expect(appended(await late)).toHaveLength(1);
  });

  it('take no more turns of a tenant than its share', async () => {
    const tenantId = randomUUID();
    const terms = { holder: randomUUID(), perTenant: 2, leaseMs: 60_000 };
    const slow = await inProgress(store.events);
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => {
        const of = { ...ids(), tenantId };
        return store.events.append(append(of, 0, { jobs: [job(of)], dispatch: terms }));
      }),
    );
    expect(outcomes.map((outcome) => outcome.kind === 'appended' && outcome.claim !== null)).toEqual([true, true, false, false, false]);
    appended(await slow.end());
  });

  it.each<Cut>(['before', 'after'])('are appended once when the connection breaks %s the statement', async (cut) => {
    let next: Cut | null = null;
    const proxy = await cuttingProxy(store.urls.appUrl, () => {
      const now = next;
      next = null;
      return now;
    });
    const database = openDatabase(proxy.url, { poolSize: 3 });
    try {
      const events = new PostgresEventStore(database, NO_ENCRYPTION);
      await Promise.all([database.ping(), database.ping(), database.ping()]);
      const slow = await inProgress(events);
      next = cut;
      const sessions = [ids(), ids(), ids()];
      const outcomes = await Promise.all(sessions.map((of) => events.append(append(of, 0, { events: [closed(), closed()] }))));
      expect(proxy.cuts[cut]).toBe(1);
      for (const [index, of] of sessions.entries()) expect(appended(outcomes[index]!)).toStrictEqual(await store.events.load(of.tenantId, of.sessionId));
      appended(await slow.end());
    } finally {
      await database.close();
      await proxy.close();
    }
  });
});
