import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { tokenOf } from '../../src/platform/postgres/store/account-statements.js';
import { dueSessionsOf } from '../../src/features/erasure/postgres-due-erasures.js';
import { signInOf } from '../../src/features/sign-in/postgres-sign-ins.js';
import { toColumns } from '../../src/platform/postgres/store/row.js';
import { sessions } from '../../src/engine/store/list-statements.js';
import * as statements from '../../src/engine/store/statements.js';
import { PENDING, ROOTS } from '../../src/features/proofs/log-store/statements.js';
import { Prisma } from '../../src/generated/prisma/client.js';
import { append, ids, job, numbered } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';

/** The adapter's own statements, over its own connections, on a filled database: each must go by an index, and none may sort more than a few rows. */
let store: PostgresStore;
let owner: Client;
let app: Client;

const TENANT = randomUUID();
const USER = randomUUID();
const SESSION = randomUUID();

/** 20,000 sessions of 5 events, one of 3,000; every hundredth session is ours and as many run. */
const FILL = `
  ALTER TABLE event DISABLE TRIGGER USER;
  INSERT INTO stream SELECT CASE n WHEN 0 THEN '${SESSION}' ELSE gen_random_uuid() END, CASE n % 100 WHEN 0 THEN '${TENANT}' ELSE gen_random_uuid() END, CASE n WHEN 0 THEN 3000 ELSE 5 END, sha256(''), now()
    FROM generate_series(0, 20000) AS n;
  INSERT INTO session SELECT session_id, tenant_id, CASE WHEN random() < 0.5 THEN '${USER}' ELSE gen_random_uuid() END, NULL, 'm', 'idle', 0, NULL, false, now(), now() - random() * interval '30 days' FROM stream;
  INSERT INTO session_summary SELECT session_id, tenant_id, '{}', 'first', 2, NULL, 'last' FROM session;
  UPDATE session SET status = 'running', turn_id = gen_random_uuid() WHERE random() < 0.01;
  INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
    SELECT s.session_id, n, s.tenant_id, gen_random_uuid(), gen_random_uuid(), 'session.closed', 1, '{"kind":"user","id":"x"}', '{"reason":"some text to make a row of common size"}', uuid_send(gen_random_uuid()), sha256(''), sha256(''), now()
    FROM stream s, generate_series(1, s.version) AS n;
  INSERT INTO receipt SELECT tenant_id, command_id, salt, sha256(''), session_id, seq, seq, now() FROM event;
  ALTER TABLE event ENABLE ALWAYS TRIGGER event_immutable, ENABLE ALWAYS TRIGGER event_no_truncate;
  INSERT INTO tenant VALUES ('${TENANT}', 't');
  INSERT INTO app_user (tenant_id, user_id, name) SELECT '${TENANT}', gen_random_uuid(), 'u' FROM generate_series(1, 2000);
  INSERT INTO api_token (token_id, token_hash, tenant_id, user_id, role)
    SELECT gen_random_uuid(), sha256(uuid_send(gen_random_uuid())), tenant_id, user_id, 'member' FROM app_user, generate_series(1, 3);
  INSERT INTO sign_in (sign_in_id, secret_hash, tenant_id, user_id, method, groups, expires_at)
    SELECT gen_random_uuid(), sha256(uuid_send(gen_random_uuid())), tenant_id, user_id, 'link', '{}', now() + interval '1 day' FROM app_user, generate_series(1, 3);
  INSERT INTO tlog_tile (level, tile_index, root, hashes)
    SELECT level, n, sha256(''), decode(repeat('00', 8192), 'hex') FROM (VALUES (0, 1000), (1, 3)) AS levels(level, tiles), generate_series(0, tiles - 1) AS n;
  VACUUM ANALYZE stream, session, session_summary, event, receipt, app_user, api_token, sign_in, tlog_tile`;

beforeAll(async () => {
  store = await postgresStore();
  [owner, app] = await Promise.all([connect(store.urls.ownerUrl, 60_000), connect(store.urls.appUrl, 60_000)]);
  await app.query('SET max_parallel_workers_per_gather = 0'); // a parallel worker's scan would be counted some time later
  for (const statement of FILL.split(';')) await owner.query(statement);
});
afterAll(async () => {
  await Promise.all([owner.end(), app.end()]);
  await store.close();
});

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

/** Connections report what they did up to a second later, so both report before a counter is read: what one did earlier must not count later. */
async function flushStatistics(): Promise<void> {
  for (const client of [owner, app]) await client.query('SELECT pg_stat_force_next_flush()');
}

/** Statements inside a function appear only in the statistics of the tables. */
async function wholeScans(use: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const read = async (): Promise<ReadonlyMap<string, number>> => {
    await flushStatistics();
    const { rows } = await owner.query<{ relname: string; seq_scan: string }>(
      `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE schemaname = 'public' AND relname = ANY ($1)`,
      [Object.keys(NONE)],
    );
    return new Map(rows.map((row) => [row.relname, Number(row.seq_scan)]));
  };
  const before = await read();
  await use();
  const after = await read();
  return Object.fromEntries([...after].map(([table, count]) => [table, count - before.get(table)!]));
}

/** On the connection of the statistics, with the rows of the tenant. */
async function asTenant({ text, values }: Prisma.Sql): Promise<readonly object[]> {
  await app.query(`SELECT set_config('verbatim.tenant', $1, false)`, [TENANT]);
  const { rows } = await app.query<object>(text, values);
  await app.query(`SELECT set_config('verbatim.tenant', '', false)`);
  return rows;
}

/** Rows read by any kind of scan. */
async function touched(table: string, use: () => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    await flushStatistics();
    const { rows } = await owner.query<{ rows: string }>(
      "SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid) AS rows FROM pg_stat_user_tables t WHERE relname = $1 AND schemaname = 'public'",
      [table],
    );
    return Number(rows[0]!.rows);
  };
  const before = await read();
  await use();
  return (await read()) - before;
}

const NONE = { event: 0, stream: 0, receipt: 0, session: 0, outbox: 0, app_user: 0, api_token: 0, sign_in: 0 };

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
      'SELECT xact_id::text AS transaction, position::text FROM event ORDER BY xact_id, position OFFSET 20000 LIMIT 1',
    );
    for (const cursor of [null, rows[0]!]) {
      const pending = () => app.query(PENDING, [cursor?.transaction ?? '0', cursor?.position ?? '0', 200]);
      expect(await wholeScans(pending)).toEqual(NONE);
      expect(await touched('event', pending)).toBeLessThan(500);
    }
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
  ])('reads no row of the table %s that is not due: %s', async (table, call) => {
    await owner.query("UPDATE session SET status = 'waiting' WHERE session_id IN (SELECT session_id FROM session WHERE status = 'running' LIMIT 50)");
    await owner.query('INSERT INTO erased_session SELECT session_id, tenant_id, false FROM stream LIMIT 1000 ON CONFLICT DO NOTHING');
    await owner.query('VACUUM ANALYZE session, erased_session');
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
