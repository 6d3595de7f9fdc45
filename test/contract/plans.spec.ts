import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { tokenOf } from '../../src/platform/postgres/store/account-statements.js';
import { dueSessionsOf } from '../../src/features/erasure/postgres-due-erasures.js';
import { signInOf } from '../../src/features/sign-in/postgres-sign-ins.js';
import { toColumns } from '../../src/platform/postgres/store/row.js';
import { sessions } from '../../src/engine/store/list-statements.js';
import * as statements from '../../src/engine/store/statements.js';
import { PENDING, ROOTS } from '../../src/features/proofs/log-store/statements.js';
import { Prisma } from '../../src/generated/prisma/client.js';
import { append, ids, job, numbered } from '../support/appends.js';
import { FilledStore, SESSION, TENANT, USER } from '../support/filled-store.js';
import type { PostgresStore } from '../support/postgres-store.js';

/** The adapter's own statements, over its own connections, on a filled database: each must go by an index, and none may sort more than a few rows. */
let filled: FilledStore;
let store: PostgresStore;
let owner: Client;
let app: Client;

beforeAll(async () => {
  filled = await FilledStore.open();
  ({ store, owner, app } = filled);
});
afterAll(() => filled.close());

/** The rows of a partial index, such as that of closed sessions, or of a page may be sorted; those of a log or of a list may not. */
const FEW_ROWS = 100;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

async function nodesOf(sql: Prisma.Sql): Promise<readonly string[]> {
  const [row] = await store.database.inTenant(TENANT, (client) =>
    client.$queryRaw<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }[]>(Prisma.sql`EXPLAIN (FORMAT JSON) ${sql}`),
  );
  const flat = (plan: Plan): readonly string[] => [
    `${plan['Node Type']}${plan['Relation Name'] ? ` on ${plan['Relation Name']}` : ''}${/Sort/.test(plan['Node Type']) && plan['Plan Rows'] <= FEW_ROWS ? ' of few rows' : ''}`,
    ...(plan.Plans ?? []).flatMap(flat),
  ];
  return flat(row!['QUERY PLAN'][0]!.Plan);
}

async function expectIndexed(sql: Prisma.Sql): Promise<void> {
  const nodes = await nodesOf(sql);
  expect(nodes.filter((node) => /Seq Scan|Sort(?! of few rows)/.test(node))).toEqual([]);
  expect(nodes.some((node) => /Index/.test(node))).toBe(true);
}

const NONE = { event: 0, stream: 0, receipt: 0, session: 0, outbox: 0, app_user: 0, api_token: 0, sign_in: 0 };
const wholeScans = (use: () => Promise<unknown>) => filled.wholeScans(Object.keys(NONE), use);
const touched = (table: string, use: () => Promise<unknown>) => filled.touched(table, use);
const asTenant = (statement: Prisma.Sql) => filled.asTenant(statement);

describe('the credentials of a request', () => {
  it('are looked up by an index: token and cookie', async () => {
    const key = { tenantId: TENANT, hash: Buffer.alloc(32) };
    for (const statement of [tokenOf(key), signInOf(key, 1_000)]) {
      expect(await wholeScans(() => asTenant(statement))).toEqual(NONE);
    }
  });
});

describe('the log', () => {
  it('is read through its key', async () => {
    await expectIndexed(statements.read(TENANT, SESSION, 0, Number.MAX_SAFE_INTEGER, null));
    await expectIndexed(statements.read(TENANT, SESSION, 2_000, 2_100, null));
    await expectIndexed(statements.read(TENANT, SESSION, 100, Number.MAX_SAFE_INTEGER, 50));
  });

  it('returns one hash through its key', () => expectIndexed(statements.hashAt(TENANT, SESSION, 1_500)));

  it('is measured through its key', () => expectIndexed(statements.exceeds(TENANT, SESSION, { events: 500, bytes: 100_000 })));

  it('is read by the transparency log from the cursor', async () => {
    const { rows } = await owner.query<{ transaction: string; position: string }>(
      'SELECT xact_id::text AS transaction, position::text FROM event ORDER BY event.xact_id, event.position OFFSET 20000 LIMIT 1',
    );
    for (const cursor of [null, rows[0]!]) {
      const pending = () => app.query(PENDING, [cursor?.transaction ?? '0', cursor?.position ?? '0', 200]);
      expect(await wholeScans(pending)).toEqual(NONE);
      expect(await touched('event', pending)).toBeLessThan(500);
    }
  });

  it('is not scanned by the transparency log when there is nothing new, or when an older transaction is open', async () => {
    const { rows } = await owner.query<{ transaction: string; position: string }>(
      'SELECT xact_id::text AS transaction, position::text FROM event ORDER BY event.xact_id DESC, event.position DESC LIMIT 1',
    );
    for (const { transaction, position } of [rows[0]!, { transaction: '0', position: '0' }]) {
      const pending = () => app.query(PENDING, [transaction, position, 200_000]);
      expect(await wholeScans(pending)).toEqual(NONE);
    }
    expect(await touched('event', () => app.query(PENDING, [rows[0]!.transaction, rows[0]!.position, 200]))).toBeLessThan(10);
  });

  it('is appended to without a table scan', async () => {
    const of = ids();
    const scans = await wholeScans(async () => {
      for (let version = 0; version < 20; version += 2) {
        const given = append(of, version, { events: numbered(2), jobs: [job(of)] });
        const { text, values } = statements.append(given, toColumns(given.events));
        await app.query(text, values);
      }
    });
    expect(scans).toEqual(NONE);
  });

  it('is verified without reading other logs', async () => {
    await expectIndexed(statements.readWithHash(TENANT, SESSION, 1_000, Number.MAX_SAFE_INTEGER, 500));
    await expectIndexed(statements.head(TENANT, SESSION));
  });

  it('finds the forks of a session without reading other logs', async () => {
    expect(await touched('event', () => asTenant(statements.forks(TENANT, SESSION)))).toBeLessThan(10);
  });

  it('detects a table scan in these counters', async () => {
    const scans = await wholeScans(() => owner.query('SELECT count(*) FROM event WHERE type = $1', ['x']));
    expect(scans['event']).toBeGreaterThan(0);
  });
});

describe('an erasure of what a user owns', () => {
  it('finds the sessions without reading those of other tenants', async () => {
    const due = dueSessionsOf({ tenantId: TENANT, userId: USER, startedAt: new Date(Date.now() + 60_000).toISOString() }, null, 1_000, null);
    let rows: readonly object[] = [];
    expect(await touched('session', async () => (rows = await asTenant(due)))).toBeLessThan(500);
    expect(rows.length).toBeGreaterThan(50);
  });
});

describe('the search for ended retentions', () => {
  it('reads neither the sessions that it has erased nor those with a retention that cannot have ended', async () => {
    const tenant = randomUUID();
    const due = randomUUID();
    await owner.query(`INSERT INTO tenant VALUES ($1, 'r')`, [tenant]);
    await owner.query(`INSERT INTO tenant_setting (tenant_id, name, value) VALUES ($1, 'retentionDays', '5')`, [tenant]);
    await owner.query(
      `INSERT INTO session SELECT CASE n WHEN 0 THEN $2::uuid ELSE gen_random_uuid() END, $1, gen_random_uuid(), NULL, 'm', 'closed', 0, NULL, n > 0, now(), now() - interval '1 year', n > 0
        FROM generate_series(0, 10000) AS n`,
      [tenant, due],
    );
    await owner.query(
      `INSERT INTO session SELECT gen_random_uuid(), $1, gen_random_uuid(), NULL, 'm', 'idle', 0, NULL, n % 2 = 0, now(), now() FROM generate_series(1, 10000) AS n`,
      [tenant],
    );
    await owner.query('INSERT INTO stream VALUES ($1, $2, 5, $3, now())', [due, tenant, Buffer.alloc(32)]);
    await owner.query(`INSERT INTO session_retention SELECT session_id, tenant_id, 40, updated_at + interval '40 days' FROM session WHERE tenant_id <> $1`, [
      tenant,
    ]);
    await owner.query('VACUUM ANALYZE session, session_retention');
    let rows: readonly object[] = [];
    const search = async (): Promise<unknown> => (rows = (await app.query('SELECT session_id FROM expired_sessions(50, NULL)')).rows);
    expect(await touched('session', search)).toBeLessThan(20);
    expect(await touched('session_retention', search)).toBeLessThan(20);
    expect(rows).toEqual([{ session_id: due }]);
  });
});

describe('a search for what has become due', () => {
  it.each([
    ['receipt', 'prune_receipts(86400000.0, 100)'],
    ['session', 'requeue_orphaned_turns(86400000.0 * 60, 100)'],
    ['session', 'expired_waits(86400000.0 * 60, 100)'],
    ['erased_session', 'unfinished_erasures(86400000.0, 100, NULL)'],
    ['session_schedule', 'due_schedules(100, NULL, NULL)'],
    ['session_schedule', 'next_schedule_run()'],
  ])('reads no row of the table %s that is not due: %s', async (table, call) => {
    await owner.query("UPDATE session SET status = 'waiting' WHERE session_id IN (SELECT session_id FROM session WHERE status = 'running' LIMIT 50)");
    await owner.query('INSERT INTO erased_session SELECT session_id, tenant_id, false FROM stream LIMIT 1000 ON CONFLICT DO NOTHING');
    await owner.query(
      `INSERT INTO session_schedule SELECT tenant_id, session_id, session_id, now() + interval '1 day' FROM stream LIMIT 1000 ON CONFLICT DO NOTHING`,
    );
    await owner.query('VACUUM ANALYZE session, erased_session, session_schedule');
    expect(await touched(table, () => app.query(`SELECT ${call}`))).toBeLessThan(10);
  });
});

describe('the transparency log', () => {
  it('reads the roots of a tile that is not full without reading all tiles', async () => {
    let rows: readonly object[] = [];
    expect(await touched('tlog_tile', async () => (rows = (await app.query(ROOTS, [[1], [3]])).rows))).toBeLessThan(300);
    expect(rows).toHaveLength(1_000 - 3 * 256);
  });
});

describe('the session list', () => {
  const last = { at: new Date(Date.now() - 86_400_000 * 10).toISOString(), id: SESSION };

  it('pages by an index, for a tenant and for a user', async () => {
    for (const userId of [null, USER])
      for (const place of [null, last]) await expectIndexed(sessions(TENANT, { userId, archived: false }, 20, place, 'simple', 'newest'));
  });

  it('reads no other sessions for what waits for a user, and for what the user has pinned', async () => {
    await owner.query(`INSERT INTO app_user (tenant_id, user_id, name) VALUES ($1, $2, 'pins') ON CONFLICT DO NOTHING`, [TENANT, USER]);
    const mine = 'SELECT session_id FROM session WHERE tenant_id = $1 AND user_id = $2 ORDER BY updated_at LIMIT 2';
    await owner.query(`INSERT INTO session_pin (tenant_id, user_id, session_id) SELECT $1, $2, session_id FROM (${mine}) s`, [TENANT, USER]);
    await owner.query("UPDATE session SET status = 'running', turn_id = gen_random_uuid() WHERE tenant_id = $1 AND user_id = $2 AND status = 'waiting'", [
      TENANT,
      USER,
    ]);
    await owner.query(`UPDATE session SET status = 'waiting', turn_id = gen_random_uuid() WHERE session_id IN (${mine})`, [TENANT, USER]);
    await owner.query('VACUUM ANALYZE session, session_pin');
    for (const filter of [{ status: 'waiting' as const }, { pinnedBy: USER }]) {
      const statement = sessions(TENANT, { userId: USER, archived: false, ...filter }, 100, null, 'simple', 'newest');
      let rows: readonly object[] = [];
      expect([filter, (await touched('session', async () => (rows = await asTenant(statement)))) < 20, rows.length]).toEqual([filter, true, 2]);
    }
  });

  it('pages by an index with every filter that leaves the order alone', async () => {
    const filters = [{ archived: true }, { status: 'closed' }, { status: 'running' }, { updatedAfter: last.at }, { updatedBefore: last.at }] as const;
    for (const filter of filters) await expectIndexed(sessions(TENANT, { userId: null, archived: false, ...filter }, 20, null, 'simple', 'newest'));
  });

  it('finds expired waits by an index', async () => {
    const { text, values } = statements.expiredWaits(1_000, 100);
    expect(await wholeScans(() => app.query(text, values))).toEqual(NONE);
  });
});

describe('the outbox', () => {
  const COMPLETE = `SELECT append_events($1, gen_random_uuid(), 0, gen_random_uuid(), sha256(''), '{}', ARRAY[gen_random_uuid()], ARRAY['session.closed'], ARRAY[1],
    ARRAY['{}'], '[]', $2, NULL, NULL, gen_random_uuid(), NULL, 'm', 'idle', 0, NULL)`;
  const CALM = randomUUID();
  /** Many jobs of one tenant, some of them leased, and one job of another. */
  const backlog = async (count: number, out: number): Promise<void> => {
    await owner.query('DELETE FROM outbox');
    const insert =
      "INSERT INTO outbox (queue, job_id, payload, tenant_id, turn_id, leased, place, not_before) SELECT $1, gen_random_uuid(), jsonb_build_object($2::text, $3::text), $3::uuid, gen_random_uuid(), n <= $4, CASE WHEN n <= $4 THEN n END, now() + interval '1 hour' FROM generate_series(1, $5::int) AS n";
    await owner.query(insert, ['turns', 'tenantId', TENANT, out, count]);
    await owner.query(insert, ['turns', 'tenantId', CALM, 0, 1]);
    await owner.query('VACUUM ANALYZE outbox');
  };

  it.each([
    ['no job is leased', 0],
    ['the flood has all its places', 40],
  ])('leases jobs without reading those that wait, when %s', async (_, out) => {
    await backlog(20_000, out);
    let first: { readonly id: string; readonly payload: { readonly tenantId: string } }[] = [];
    expect(await touched('outbox', async () => (first = (await app.query('SELECT * FROM lease_jobs(10, 40, 30000)')).rows))).toBeLessThan(200);
    const calm = first.find(({ payload }) => payload.tenantId === CALM);
    for (const done of [calm, ...first.slice(0, 3)]) {
      const given = [done!.payload.tenantId, [done!.id]];
      expect(await touched('outbox', () => app.query(COMPLETE, given))).toBeLessThan(20);
    }
  });

  it('searches for orphaned turns in running sessions only', async () => {
    await backlog(100, 0);
    const scans = await wholeScans(() => app.query('SELECT requeue_orphaned_turns(86400000 * 29.0, 10)'));
    expect(scans['session']).toBe(0);
  });
});
