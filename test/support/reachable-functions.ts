import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Client } from 'pg';

const DAY = 86_400_000;

/** Lower than any id. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** Functions of all tenants, and what each is while a node is away. Each finds something in the rows of `beforeAll`. */
export const PAIRS: readonly (readonly [all: string, reachable: string])[] = [
  ['due_schedules(100, NULL, NULL)', 'reachable_due_schedules(10000, 100, NULL, NULL)'],
  ['due_schedules(2, NULL, NULL)', 'reachable_due_schedules(10000, 2, NULL, NULL)'],
  ['due_schedules(2, $second)', 'reachable_due_schedules(10000, 2, $second)'],
  [`expired_waits(${DAY}, 100)`, `reachable_expired_waits(10000, ${DAY}, 100)`],
  [`expired_waits(${DAY}, 3)`, `reachable_expired_waits(10000, ${DAY}, 3)`],
  ['open_helpers(100, NULL, NULL, NULL)', 'reachable_helpers(10000, 100, NULL, NULL, NULL)'],
  ['open_helpers(2, NULL, NULL, NULL)', 'reachable_helpers(10000, 2, NULL, NULL, NULL)'],
  ['open_helpers(2, $helper)', 'reachable_helpers(10000, 2, $helper)'],
  ['open_erasures(100)', 'reachable_user_erasures(10000, 100)'],
  [`unfinished_erasures(${DAY}, 100, NULL)`, `reachable_unfinished_erasures(10000, ${DAY}, 100, NULL)`],
  [`unfinished_erasures(${DAY}, 100, $half)`, `reachable_unfinished_erasures(10000, ${DAY}, 100, $half)`],
  ['expired_sessions(100, NULL)', 'reachable_expired_sessions(10000, 100, NULL)'],
  ['expired_sessions(100, $part)', 'reachable_expired_sessions(10000, 100, $part)'],
  [`cold_sessions(${DAY}, 100, NULL, NULL, NULL, NULL)`, `reachable_cold_sessions(10000, ${DAY}, 100, NULL, NULL, NULL, NULL)`],
  [`sessions_after('${NIL}', '${NIL}', 1000)`, `reachable_sessions(10000, '${NIL}', '${NIL}', 1000)`],
  [`sessions_after('${NIL}', '${NIL}', 7)`, `reachable_sessions(10000, '${NIL}', '${NIL}', 7)`],
  ['sessions_after($session, 7)', 'reachable_sessions(10000, $session, 7)'],
  ['leased_turns(100)', 'reachable_leased_turns(10000, 100)'],
  ['read_backlog()', 'read_reachable_backlog(10000)'],
  ['read_archives()', 'read_reachable_archives(10000)'],
  ['read_removals()', 'read_reachable_removals(10000)'],
  ['next_lease_end()', '(SELECT lease_ms FROM next_reachable(10000))'],
  ['next_schedule_run()', '(SELECT run_ms FROM next_reachable(10000))'],
  ['end_abandoned_leases(3600000, 0)', 'end_reachable_leases(10000, 3600000, 0)'],
  ['claim_removals(100, 1000)', 'claim_reachable_removals(10000, 100, 1000)'],
  [`requeue_orphaned_turns(${DAY}, 100)`, `requeue_reachable_turns(10000, ${DAY}, 100)`],
  [`prune_receipts(${DAY}, 100)`, `prune_reachable_receipts(10000, ${DAY}, 100)`],
  [`prune_receipts(${DAY}, 2)`, `prune_reachable_receipts(10000, ${DAY}, 2)`],
  ['redeliver_jobs()', 'redeliver_reachable_jobs(10000)'],
  ['lease_jobs(100, 3, 1000)', 'lease_reachable_jobs(10000, 100, 3, 1000)'],
  ['lease_jobs(100, 4, 1000)', 'lease_reachable_jobs(10000, 100, 4, 1000)'],
  ['lease_jobs(3, 4, 1000)', 'lease_reachable_jobs(10000, 3, 4, 1000)'],
];

/** What some of them write; a time of now differs. */
const WRITTEN = [
  `SELECT tenant_id, job_id, payload, leased, holder, not_before <= clock_timestamp() + interval '1 second' AS is_due FROM outbox`,
  'SELECT tenant_id, command_id FROM receipt',
  'SELECT tenant_id, object, removing FROM object_removal',
];

const idOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** What has a row of each kind that is due, and of some that are not. */
export const TENANTS: readonly string[] = Array.from({ length: 6 }, (_, index) => idOf(`tenant ${index}`));

/** Every function of all tenants finds and writes the same as what takes its place while a node is away, in the rows of `fill`. */
export function reachableTests(at: () => Client): void {
  it.each(PAIRS)('%s and %s find and write the same while all nodes are up', async (all, reachable) => {
    const owner = at();
    const values = await places(owner);
    const filled = (call: string): string => call.replaceAll(/\$(\w+)/g, (_, name: string) => values[name]!).replace(/^\((SELECT .*)\)$/, '($1) AS t');
    const [expected, found] = [await answer(owner, filled(all)), await answer(owner, filled(reachable))];
    expect(found).toEqual(expected);
    expect(found.hasFound).toBe(true);
  });

  it('cold sessions are found page by page, each once and in their order', async () => {
    const owner = at();
    const ofAll = `SELECT format('%L, %L, %L, %L', tenant_id, archived, updated_at, session_id) AS at FROM`;
    const pages: string[] = [];
    for (let after = 'NULL, NULL, NULL, NULL', isMore = true; isMore;) {
      const { rows } = await owner.query<{ at: string }>(`${ofAll} reachable_cold_sessions(10000, ${DAY}, 7, ${after})`);
      pages.push(...rows.map(({ at }) => at));
      isMore = rows.length > 0;
      after = rows.at(-1)?.at ?? after;
    }
    const { rows } = await owner.query<{ at: string }>(
      `${ofAll} cold_sessions(${DAY}, 1000, NULL, NULL, NULL, NULL) ORDER BY tenant_id, archived, updated_at, session_id`,
    );
    expect(pages).toEqual(rows.map(({ at }) => at));
    expect(pages.length).toBeGreaterThan(50);
  });
}

export async function fill(owner: Client): Promise<void> {
  for (const [index, tenant] of TENANTS.entries()) await fillTenant(owner, tenant, index);
}

/** A session of each kind that is due, and of some that are not. */
async function fillTenant(owner: Client, tenant: string, index: number): Promise<void> {
  const insert = (table: string, row: Readonly<Record<string, unknown>>) => {
    const columns = Object.keys({ tenant_id: tenant, ...row });
    const places = columns.map((_, at) => `$${at + 1}`).join(', ');
    return owner.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, [tenant, ...Object.values(row)]);
  };
  const of = (name: string): string => idOf(`${tenant} ${name}`);
  // The later a row is written, the longer it is due: pages have their order from the functions.
  const old = new Date(Date.UTC(2020, 0, 1, 0, 30 - index)).toISOString();
  const later = '2100-01-01T00:00:00Z';
  const soon = new Date(Date.now() + 600_000).toISOString();
  const user = of('user');
  const session = async (name: string, row: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const id = of(name);
    const times = { created_at: old, updated_at: old };
    await insert('stream', { session_id: id, version: 3, head_hash: Buffer.alloc(32), updated_at: old });
    await insert('session', { session_id: id, user_id: user, title: null, model: 'm', status: 'idle', queue_length: 0, ...times, ...row });
    return id;
  };
  const job = (name: string, row: Readonly<Record<string, unknown>>) =>
    insert('outbox', { turn_id: of(name), queue: 'turns', job_id: of(name), payload: { turnId: of(name) }, not_before: soon, ...row });
  await insert('tenant', { name: `tenant ${index}` });
  await insert('app_user', { user_id: user, name: 'a user' });
  await insert('user_erasure', { erasure_id: of('erasure'), user_id: user, requested_by: user, started_at: old });
  await insert('tenant_setting', { name: 'retentionDays', value: JSON.stringify(index % 2 === 0 ? 100 : null) });
  const scheduled = await session('scheduled', { updated_at: later });
  await insert('session_schedule', { session_id: scheduled, schedule_id: of('due'), next_run_at: old });
  await insert('session_schedule', { session_id: scheduled, schedule_id: of('not due'), next_run_at: later });
  await session('waiting', { status: 'waiting', turn_id: of('wait'), archived: true });
  const parent = await session('parent', { status: 'waiting', turn_id: of('parent turn') });
  await session('helper over', { parent_id: parent, parent_turn_id: of('parent turn'), helper_turn_id: of('helper over turn') });
  await session('helper left', { parent_id: parent, parent_turn_id: of('earlier turn'), helper_turn_id: of('left'), turn_id: of('left'), status: 'running' });
  const own = await session('own retention');
  await insert('session_retention', { session_id: own, days: 2, not_before: old });
  const put = await session('put off', { updated_at: new Date().toISOString() });
  await insert('session_retention', { session_id: put, days: 2, not_before: old });
  const held = await session('held');
  await insert('legal_hold', { session_id: held });
  await session('orphaned', { parent_id: held, parent_turn_id: of('turn'), is_orphaned: true });
  await insert('erased_session', { session_id: await session('half erased', { is_erased: true }), is_complete: false, updated_at: old });
  await insert('erased_session', { session_id: held, is_complete: false, updated_at: old });
  await session('erased and archived', { is_erased: true, archived: true });
  await session('imported', { status: 'importing' });
  await session('orphaned turn', { status: 'running', turn_id: of('orphaned turn'), queue_length: 2 });
  await session('running turn', { status: 'running', turn_id: of('held'), queue_length: 1 });
  await job('held', { leased: true, place: 1, holder: of('process') });
  await job('handed', { leased: true, place: 2 });
  await job('expired', { leased: true, place: 3, not_before: old });
  await job('waits', { leased: false, not_before: old });
  await insert('object_removal', { object: of('object'), asked_at: old, due_at: old });
  await insert('object_removal', { object: of('later'), asked_at: old, due_at: later });
  await insert('receipt', {
    command_id: of('command'),
    salt: Buffer.alloc(16),
    request_digest: Buffer.alloc(32),
    session_id: own,
    first_seq: 1,
    last_seq: 1,
    created_at: old,
  });
  await insert('log_archive', {
    session_id: put,
    object: of('archive'),
    object_bytes: 10 + index,
    content_bytes: 9,
    content_digest: Buffer.alloc(32),
    is_plain: true,
    version: 3,
  });
}

/** The last row of a page, as the values that the next page begins after. */
async function places(owner: Client): Promise<Readonly<Record<string, string>>> {
  const row = async (sql: string): Promise<string> => (await owner.query<{ at: string }>(sql)).rows.at(-1)!.at;
  return {
    second: await row(`SELECT format('%L, %L', next_run_at, schedule_id) AS at FROM due_schedules(2, NULL, NULL)`),
    helper: await row(`SELECT format('%L, %L, %L', runs, tenant_id, session_id) AS at FROM open_helpers(2, NULL, NULL, NULL)`),
    half: await row(`SELECT erasure_part(session_id)::text AS at FROM unfinished_erasures(${DAY}, 1, NULL)`),
    session: await row(`SELECT format('%L, %L', tenant_id, session_id) AS at FROM sessions_after('${NIL}', '${NIL}', 7) ORDER BY tenant_id, session_id`),
    part: await row(`SELECT erasure_part(session_id)::text AS at FROM expired_sessions(1, NULL)`),
  };
}

/** What it answers and has written, in any order. */
async function answer(owner: Client, call: string) {
  await owner.query('BEGIN');
  try {
    const { rows } = await owner.query<Record<string, unknown>>(`SELECT * FROM ${call}`);
    const written: Record<string, unknown>[] = [];
    for (const sql of WRITTEN) written.push(...(await owner.query<Record<string, unknown>>(sql)).rows);
    const texts = [...rows, ...written].map((row) => JSON.stringify(Object.values(row).map(steady))).toSorted();
    return { texts, hasFound: rows.some((row) => Object.values(row).some((value) => value !== null && value !== 0 && value !== '0')) };
  } finally {
    await owner.query('ROLLBACK');
  }
}
/** Without what changes from one moment to the next. */
function steady(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return Math.round(value / 1_000_000);
  return value instanceof Date && Math.abs(value.getTime() - Date.now()) < 60_000 ? 'now' : value;
}
