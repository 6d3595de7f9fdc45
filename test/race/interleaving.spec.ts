import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { toColumns } from '../../src/platform/postgres/store/row.js';
import * as statements from '../../src/engine/store/statements.js';
import { PostgresTransparencyLog } from '../../src/features/proofs/log-store/postgres-transparency-log.js';
import type { Append, FeedCursor } from '../../src/ports/index.js';
import { append, appended, ids, job, numbered } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { until } from '../support/until.js';

/** Two connections whose transactions overlap in a chosen order, and the transparency log as reader of the feed. */
let store: PostgresStore;
let log: PostgresTransparencyLog;
let slow: Client;
let fast: Client;
let owner: Client;
let cursor: FeedCursor | null;

beforeAll(async () => {
  store = await postgresStore();
  log = new PostgresTransparencyLog({ url: store.urls.appUrl, timeoutMs: 60_000, applicationName: 'verbatim test' });
  [slow, fast, owner] = await Promise.all([connect(store.urls.appUrl, 60_000), connect(store.urls.appUrl, 60_000), connect(store.urls.ownerUrl, 60_000)]);
});
beforeEach(async () => {
  cursor = null;
  await until('the feed has shown everything so far', async () => {
    await shown();
    const { rowCount } = await owner.query('SELECT 1 FROM event WHERE (xact_id, position) > ($1::xid8, $2::bigint)', [
      cursor?.transaction ?? '0',
      cursor?.position ?? '0',
    ]);
    return rowCount === 0;
  });
});
afterEach(async () => {
  await Promise.all([slow.query('ROLLBACK'), fast.query('ROLLBACK')]);
});
afterAll(async () => {
  await Promise.all([slow.end(), fast.end(), owner.end(), log.close()]);
  await store.close();
});

/** The append of the adapter, on a connection of our own. */
async function appendOn(client: Client, given: Append): Promise<string> {
  const { text, values } = statements.append(given, toColumns(given.events));
  const { rows } = await client.query<{ outcome: string }>(text, values);
  return rows[0]!.outcome;
}

/** Events that the feed shows from the last call on, up to what it hides. */
async function shown(): Promise<readonly string[]> {
  const seen: string[] = [];
  for (;;) {
    const { leaves, cursor: next } = await log.pending(cursor, 2);
    cursor = next;
    if (leaves.length === 0) return seen;
    seen.push(...leaves.map(({ sessionId, seq }) => `${sessionId} ${seq}`));
  }
}

/** What it shows once it shows that many: a transaction of any other database on this server can hold it up for a moment. */
async function eventually(count: number): Promise<readonly string[]> {
  const seen: string[] = [];
  await until(`the feed shows ${count} events`, async () => seen.push(...(await shown())) >= count);
  return seen;
}

async function backend(client: Client): Promise<number> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
}

function eventsOf({ sessionId, expectedVersion, events }: Append): readonly string[] {
  return events.map((_, index) => `${sessionId} ${expectedVersion + index + 1}`);
}

it('hides committed events from the feed while an older transaction is open, then returns both once', async () => {
  const [early, late] = [append(ids(), 0, { events: numbered(2) }), append(ids(), 0, { events: numbered(2) })];
  await slow.query('BEGIN');
  await appendOn(slow, early);
  await appendOn(fast, late);
  expect(await store.events.load(late.tenantId, late.sessionId)).toHaveLength(2); // its own readers need not wait
  expect(await shown()).toEqual([]);
  await slow.query('COMMIT');
  expect(await eventually(4)).toEqual([...eventsOf(early), ...eventsOf(late)]);
});

it('does not skip events of a transaction that wrote first and committed last', async () => {
  const early = [append(ids(), 0), append(ids(), 0)];
  const before = append(ids(), 0);
  await appendOn(fast, before);
  await slow.query('BEGIN');
  await appendOn(slow, early[0]!);
  const between = append(ids(), 0);
  await appendOn(fast, between);
  expect(await eventually(1)).toEqual(eventsOf(before));
  await appendOn(slow, early[1]!); // a higher position under the older transaction
  await slow.query('COMMIT');
  expect(await eventually(3)).toEqual([...eventsOf(early[0]!), ...eventsOf(early[1]!), ...eventsOf(between)]);
});

it('continues when the older transaction is rolled back', async () => {
  const [given, kept] = [append(ids(), 0), append(ids(), 0)];
  await slow.query('BEGIN');
  await appendOn(slow, given);
  await appendOn(fast, kept);
  await slow.query('ROLLBACK');
  expect(await eventually(1)).toEqual(eventsOf(kept));
});

it('is not delayed by a read-only transaction', async () => {
  await slow.query('BEGIN');
  await slow.query('SELECT count(*) FROM event');
  const given = append(ids(), 0);
  await appendOn(fast, given);
  expect(await eventually(1)).toEqual(eventsOf(given));
});

it('takes the session lock before a transaction id, so that ids follow the order of seq', async () => {
  const of = ids();
  appended(await store.events.append(append(of, 0)));
  const [first, second] = [append(of, 1), append(of, 2)];
  await slow.query('BEGIN');
  await appendOn(slow, first);
  const pid = await backend(fast);
  const waiting = appendOn(fast, second);
  expect(await untilWaiting(pid)).toEqual({ wait_event: 'advisory', backend_xid: null });

  const elsewhere = append(ids(), 0);
  appended(await store.events.append(elsewhere)); // takes an id after `first` and before `second`
  await slow.query('COMMIT');
  expect(await waiting).toBe('appended');
  expect(await eventually(4)).toEqual([`${of.sessionId} 1`, ...eventsOf(first), ...eventsOf(elsewhere), ...eventsOf(second)]);
});

it('shows a waiting writer the commits of the previous one', async () => {
  const of = ids();
  await slow.query('BEGIN');
  await appendOn(slow, append(of, 0));
  const pid = await backend(fast);
  const waiting = appendOn(fast, append(of, 0));
  await untilWaiting(pid);
  await slow.query('COMMIT');
  expect(await waiting).toBe('conflict');
});

interface Waiting {
  readonly wait_event: string;
  readonly backend_xid: string | null;
}

async function untilWaiting(pid: number): Promise<Waiting> {
  let found: Waiting | undefined;
  await until('the second writer waits for a lock', async () => {
    [found] = await store.database.run(
      (client) => client.$queryRaw<Waiting[]>`SELECT wait_event, backend_xid::text FROM pg_stat_get_activity(${pid}::int) WHERE wait_event_type = 'Lock'`,
    );
    return found !== undefined;
  });
  return found!;
}

it('claims a turn after the reports that are being appended, so that none of an earlier claim comes later', async () => {
  const of = ids();
  const turn = job(of);
  const started = await store.events.append(append(of, 0, { jobs: [turn], dispatch: { holder: randomUUID(), perTenant: 10, leaseMs: 60_000 } }));
  if (started.kind !== 'appended') throw new Error(started.kind);
  await slow.query('BEGIN');
  expect(await appendOn(slow, append(of, 1, { claim: started.claim }))).toBe('appended');
  const pid = await backend(fast);
  let claimed = false;
  const claim = fast.query('SELECT claim_turn($1::uuid, $2::uuid, $3::text)', [of.tenantId, of.sessionId, turn.id]).then(() => (claimed = true));
  await until('the claim waits or is made', async () => claimed || (await isBlocked(pid)));
  expect(claimed).toBe(false);
  await slow.query('COMMIT');
  await claim;
  expect(await store.events.append(append(of, 2, { claim: started.claim }))).toEqual({ kind: 'fenced' });
});

async function isBlocked(pid: number): Promise<boolean> {
  const { rows } = await slow.query<{ blocked: boolean }>('SELECT cardinality(pg_blocking_pids($1)) > 0 AS blocked', [pid]);
  return rows[0]!.blocked;
}

describe('appends that start turns of one tenant at the same time', () => {
  /** Its claim, without waiting for a commit: null when the job is pending. */
  async function start(client: Client, tenantId: string, perTenant: number): Promise<string | null> {
    const of = { ...ids(), tenantId };
    const given = append(of, 0, { jobs: [job(of)], dispatch: { holder: randomUUID(), perTenant, leaseMs: 60_000 } });
    const { text, values } = statements.append(given, toColumns(given.events));
    return (await client.query<{ claim_fence: string | null }>(text, values)).rows[0]!.claim_fence;
  }
  const leased = async (tenantId: string): Promise<number> =>
    (await owner.query<{ count: number }>('SELECT count(*)::int AS count FROM outbox WHERE tenant_id = $1 AND leased', [tenantId])).rows[0]!.count;

  it.each([1, 2, 5])('do not wait for each other, and hand over no more turns than its share of %s', async (share) => {
    const tenantId = randomUUID();
    await slow.query('BEGIN');
    expect(await start(slow, tenantId, share)).not.toBeNull();
    // The first is not committed: its lease counts all the same.
    for (let count = 1; count < share; count += 1) expect(await start(fast, tenantId, share)).not.toBeNull();
    expect(await start(fast, tenantId, share)).toBeNull();
    await slow.query('COMMIT');
    expect(await leased(tenantId)).toBe(share);
    expect(await start(fast, tenantId, share)).toBeNull();
  });

  it('take the place of one that is rolled back', async () => {
    const tenantId = randomUUID();
    await slow.query('BEGIN');
    await start(slow, tenantId, 1);
    await slow.query('ROLLBACK');
    expect(await start(fast, tenantId, 1)).not.toBeNull();
  });

  it('leave to the queue what the tenant may still have, whose jobs are leased meanwhile', async () => {
    const tenantId = randomUUID();
    await start(fast, tenantId, 0);
    await slow.query('BEGIN');
    await slow.query('SELECT pg_advisory_xact_lock(8150315, uuid_hash($1) # 1)', [tenantId]); // as an append that takes the place
    expect((await store.outbox.lease(1_000, 1, 60_000)).jobs.filter(({ payload }) => payload.tenantId === tenantId)).toEqual([]);
    expect((await store.outbox.lease(1_000, 2, 60_000)).jobs.filter(({ payload }) => payload.tenantId === tenantId)).toHaveLength(1);
  });
});
