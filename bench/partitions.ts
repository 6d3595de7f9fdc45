/**
 * The log in one table beside the log in hash partitions by session, and receipts in one table beside receipts by time, filled alike and measured in alternation. See
 * docs/decisions/0460-the-log-is-one-table.md. TEST_DATABASE_URL names a server to use instead of the embedded one.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { prepareTemplate } from '../test/support/template.js';
import { startMeasuredServer } from './database-counters.js';
import { measureReceipts } from './partitions-receipts.js';
import { percentile, table } from './report.js';
import { walAt } from './wal.js';

const COUNTS = [1, 8, 32] as const;
const SESSIONS = Number(process.env['BENCH_SESSIONS'] ?? 100_000);
const TURNS = 3;
const EVENTS = 8; // of a turn, in three commits: 3 + 2 + 3
const BLOCKS = 10;
const TURNS_OF_BLOCK = 300;
const READS = 400;
const PAGE = 50;
const LEAVES = 256;

type Cells = Map<number, number[]>;
const nameOf = (count: number): string => `log_${count}`;

/** With the columns, checks and indexes of the table `event`. */
const create = (count: number): string => `
  CREATE TABLE ${nameOf(count)} (LIKE event INCLUDING ALL) ${count > 1 ? 'PARTITION BY HASH (session_id)' : ''};
  ${Array.from({ length: count > 1 ? count : 0 }, (_, index) => `CREATE TABLE ${nameOf(count)}_${index} PARTITION OF ${nameOf(count)} FOR VALUES WITH (MODULUS ${count}, REMAINDER ${index})`).join(';')};
  CREATE FUNCTION append_${count}(p_tenant uuid, p_session uuid, p_base bigint, p_types text[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO ${nameOf(count)} (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
    SELECT p_session, p_base + e.ordinal, p_tenant, gen_random_uuid(), p_session, e.type, 1, '{"kind":"user","id":"00000000-0000-0000-0000-000000000000"}',
      ('{"text":"' || repeat(md5(e.ordinal::text), 12) || '"}')::json, uuid_send(gen_random_uuid()), sha256(''), sha256(''), now()
    FROM unnest(p_types) WITH ORDINALITY AS e(type, ordinal); END $$;
  CREATE PROCEDURE turns_${count}(p_turns int, p_base bigint) LANGUAGE plpgsql AS $$ DECLARE s record; BEGIN
    FOR s IN SELECT tenant_id, session_id FROM bench_session ORDER BY random() LIMIT p_turns LOOP
      PERFORM append_${count}(s.tenant_id, s.session_id, p_base, ARRAY['prompt.submitted', 'turn.started', 'turn.prepared']); COMMIT;
      PERFORM append_${count}(s.tenant_id, s.session_id, p_base + 3, ARRAY['model.requested', 'model.answered']); COMMIT;
      PERFORM append_${count}(s.tenant_id, s.session_id, p_base + 5, ARRAY['message.appended', 'turn.ended', 'session.configured']); COMMIT;
    END LOOP; END $$;
  CREATE FUNCTION feed_${count}(p_transaction xid8, p_position bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$ BEGIN
    RETURN (SELECT count(*) FROM (SELECT e.hash FROM ${nameOf(count)} e WHERE (e.xact_id, e.position) > (p_transaction, p_position) AND e.xact_id < pg_snapshot_xmin(pg_current_snapshot())
      ORDER BY e.xact_id, e.position LIMIT ${LEAVES}) n)
      + (SELECT 1 FROM (SELECT e.xact_id FROM ${nameOf(count)} e ORDER BY e.xact_id DESC, e.position DESC LIMIT 1) newest WHERE newest.xact_id IS NOT NULL); END $$`;

const READ = (count: number): string =>
  `SELECT seq, data::text, hash FROM ${nameOf(count)} WHERE tenant_id = $1::uuid AND session_id = $2::uuid AND seq > $3::bigint AND seq <= $4::bigint ORDER BY seq LIMIT ${PAGE}`;

export async function benchPartitions(): Promise<void> {
  const given = process.env['TEST_DATABASE_URL'];
  const database = given ? { url: given, stop: async () => undefined, withoutAutovacuum: async () => undefined } : await startMeasuredServer();
  const client = new pg.Client({ connectionString: database.url });
  try {
    await prepareTemplate(database.url);
    await database.withoutAutovacuum(); // one that runs keeps rows from being frozen
    await client.connect();
    await client.query(`SET synchronous_commit = off; SET random_page_cost = 1; SET jit = off; SET max_parallel_workers_per_gather = 0`);
    const { rows } = await client.query<{ version: string }>('SHOW server_version');
    process.stdout.write(`\nPostgres ${rows[0]!['server_version' as 'version']}; ${SESSIONS * TURNS * EVENTS} events in each layout\n`);
    await fill(client);
    await measureAppends(client);
    await measureReads(client);
    await measureFeed(client);
    await measureNewConnection(database.url);
    await measureLocks(client);
    await measureFreezing(client);
    await measureVacuum(client);
    await measureReceipts(client);
  } finally {
    await client.end();
    await database.stop();
  }
}

/** In the order in which turns come: one turn of every session, then the next. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(`CREATE TABLE bench_session AS SELECT ('00000000-0000-0000-0000-' || lpad((n % 1000)::text, 12, '0'))::uuid AS tenant_id, gen_random_uuid() AS session_id
    FROM generate_series(1, ${SESSIONS}) AS n; ANALYZE bench_session`);
  const seconds: number[] = [];
  for (const count of COUNTS) {
    await client.query(create(count));
    const began = performance.now();
    for (let turn = 0; turn < TURNS; turn += 1) {
      await client.query(`SELECT append_${count}(tenant_id, session_id, ${turn * EVENTS}, ARRAY['prompt.submitted', 'turn.started', 'turn.prepared', 'model.requested', 'model.answered', 'message.appended', 'turn.ended', 'session.configured'])
        FROM bench_session ORDER BY session_id`);
    }
    await client.query(`VACUUM ANALYZE ${nameOf(count)}`);
    seconds.push((performance.now() - began) / 1_000);
  }
  compared('Filling', [['seconds', seconds, 1]]);
}

async function measureAppends(client: pg.Client): Promise<void> {
  const [ms, wal]: [Cells, Cells] = [new Map(), new Map()];
  await client.query('CHECKPOINT');
  for (let block = -1; block < BLOCKS; block += 1) {
    for (const count of COUNTS) {
      await client.query('CHECKPOINT');
      const [from, began] = [await walAt(client), performance.now()];
      await client.query(`CALL turns_${count}(${TURNS_OF_BLOCK}, ${1_000 + (block + 1) * EVENTS})`);
      const spent = (performance.now() - began) / TURNS_OF_BLOCK;
      if (block >= 0) add(ms, count, spent);
      if (block >= 0) add(wal, count, ((await walAt(client)) - from) / TURNS_OF_BLOCK);
    }
  }
  compared('A turn of eight events in three commits, the log alone', [
    ['ms, median', medians(ms), 3],
    ['ms, least', COUNTS.map((count) => Math.min(...ms.get(count)!)), 3],
    ['WAL with page images, bytes', medians(wal), 0],
  ]);
}

async function measureReads(client: pg.Client): Promise<void> {
  const { rows: sessions } = await client.query<{ tenant_id: string; session_id: string }>(`SELECT * FROM bench_session ORDER BY random() LIMIT ${READS}`);
  const rows: (readonly [string, readonly number[], number])[] = [];
  for (const mode of ['auto', 'force_custom_plan', 'force_generic_plan']) {
    await client.query(`SET plan_cache_mode = ${mode}`);
    const us: Cells = new Map();
    for (const [index, { tenant_id, session_id }] of sessions.entries()) {
      for (const count of COUNTS) {
        const began = performance.now();
        const { rows: page } = await client.query({ name: `read ${mode} ${count}`, text: READ(count), values: [tenant_id, session_id, 0, 100] });
        if (page.length !== TURNS * EVENTS) throw new Error(`${page.length} events`);
        if (index > 20) add(us, count, (performance.now() - began) * 1_000);
      }
    }
    rows.push([`prepared, ${mode}, µs`, medians(us), 0]);
  }
  await client.query('RESET plan_cache_mode');
  const planning: Cells = new Map();
  for (const { tenant_id, session_id } of sessions) {
    for (const count of COUNTS) {
      const literal = READ(count).replace('$1', `'${tenant_id}'`).replace('$2', `'${session_id}'`).replace('$3', '0').replace('$4', '100');
      const { rows: plan } = await client.query<{ 'QUERY PLAN': readonly [{ readonly 'Planning Time': number }] }>(`EXPLAIN (FORMAT JSON, SUMMARY) ${literal}`);
      add(planning, count, plan[0]!['QUERY PLAN'][0]['Planning Time'] * 1_000);
    }
  }
  compared(`A page of ${TURNS * EVENTS} events`, [...rows, ['planning alone, µs', medians(planning), 0]]);
}

async function measureFeed(client: pg.Client): Promise<void> {
  const [busy, idle, buffers]: [Cells, Cells, Cells] = [new Map(), new Map(), new Map()];
  for (const count of COUNTS) {
    const { rows } = await client.query<{ x: string; p: string }>(
      `SELECT xact_id::text AS x, position::text AS p FROM ${nameOf(count)} ORDER BY log_${count}.xact_id DESC, log_${count}.position DESC OFFSET 20000 LIMIT 1`,
    );
    const { rows: end } = await client.query<{ x: string; p: string }>(
      `SELECT xact_id::text AS x, position::text AS p FROM ${nameOf(count)} ORDER BY log_${count}.xact_id DESC, log_${count}.position DESC LIMIT 1`,
    );
    for (let time = 0; time < 200; time += 1) {
      for (const [cells, at] of [
        [busy, rows[0]!],
        [idle, end[0]!],
      ] as const) {
        const began = performance.now();
        await client.query({ name: `feed ${count}`, text: `SELECT feed_${count}($1::xid8, $2::bigint)`, values: [at.x, at.p] });
        if (time > 10) add(cells, count, (performance.now() - began) * 1_000);
      }
    }
    const { rows: plan } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Shared Hit Blocks': number } }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT feed_${count}('${end[0]!.x}', ${end[0]!.p})`,
    );
    add(buffers, count, plan[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks']);
  }
  compared('The feed of the transparency log', [
    [`${LEAVES} events after a place, µs`, medians(busy), 0],
    ['nothing new, µs', medians(idle), 0],
    ['nothing new, buffers', medians(buffers), 0],
  ]);
}

/** What the first append, page and look at the feed of a connection cost, and what the connection then keeps of the catalogue and of plans. */
async function measureNewConnection(url: string): Promise<void> {
  const [ms, bytes]: [Cells, Cells] = [new Map(), new Map()];
  for (let time = 0; time < 15; time += 1) {
    for (const count of COUNTS) {
      const one = new pg.Client({ connectionString: url });
      await one.connect();
      await one.query('SELECT count(*) FROM bench_session WHERE false');
      const began = performance.now();
      await one.query(`SELECT append_${count}(gen_random_uuid(), gen_random_uuid(), 0, ARRAY['a'])`);
      await one.query({ name: 'read', text: READ(count), values: [randomUUID(), randomUUID(), 0, 100] });
      await one.query(`SELECT feed_${count}('0', 0)`);
      add(ms, count, performance.now() - began);
      // Calls enough for every session of the pool to have touched each partition, and for generic plans.
      for (let call = 0; call < 100; call += 1) {
        await one.query(`SELECT append_${count}(gen_random_uuid(), gen_random_uuid(), 0, ARRAY['a'])`);
        await one.query({ name: 'read', text: READ(count), values: [randomUUID(), randomUUID(), 0, 100] });
      }
      for (let call = 0; call < 8; call += 1) await one.query(`SELECT feed_${count}('0', 0)`);
      const { rows } = await one.query<{ bytes: string }>('SELECT sum(total_bytes) AS bytes FROM pg_backend_memory_contexts');
      add(bytes, count, Number(rows[0]!.bytes) / 1_024);
      await one.end();
    }
  }
  compared('A new connection', [
    ['first append, page and look at the feed, ms', medians(ms), 1],
    ['its memory after 100 of each, KB', medians(bytes), 0],
  ]);
}

/** Locks of tables and indexes that a transaction holds after the statement; a server keeps 16 of a transaction apart from its shared table before version 18. */
async function measureLocks(client: pg.Client): Promise<void> {
  const cells = new Map<string, number[]>();
  for (const count of COUNTS) {
    const statements: Readonly<Record<string, string>> = {
      'of an append': `SELECT append_${count}(gen_random_uuid(), gen_random_uuid(), 0, ARRAY['a'])`,
      'of a page': `SELECT FROM ${nameOf(count)} WHERE tenant_id = '${randomUUID()}' AND session_id = '${randomUUID()}' ORDER BY seq`,
      'of a page, generic plan': `EXECUTE page_${count}('${randomUUID()}', '${randomUUID()}', 0, 100)`,
      'of a look at the feed': `SELECT feed_${count}('0', 0)`,
    };
    await client.query(`PREPARE page_${count} AS ${READ(count)}; SET plan_cache_mode = force_generic_plan`);
    for (const [what, statement] of Object.entries(statements)) {
      await client.query('BEGIN');
      await client.query(statement);
      const { rows } = await client.query<{ held: string }>(
        `SELECT count(*) AS held FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND relation >= 16384`,
      );
      await client.query('ROLLBACK');
      cells.set(what, [...(cells.get(what) ?? []), Number(rows[0]!.held)]);
    }
    await client.query('RESET plan_cache_mode');
  }
  compared(
    'Locks of tables and indexes',
    [...cells].map(([what, held]) => [what, held, 0] as const),
  );
}

/** A twentieth of the sessions leaves, as archived logs do; then all is frozen. */
async function measureVacuum(client: pg.Client): Promise<void> {
  const rows = new Map<string, number[]>();
  const note = (what: string, value: number): unknown => rows.set(what, [...(rows.get(what) ?? []), value]);
  for (const count of COUNTS) {
    const { rows: sizes } = await client.query<{ heap: string; indexes: string }>(
      `SELECT sum(pg_table_size(c.oid)) / 1048576 AS heap, sum(pg_indexes_size(c.oid)) / 1048576 AS indexes FROM pg_class c WHERE c.relkind = 'r' AND c.relname ~ '^${nameOf(count)}(_|$)'`,
    );
    note('table, MB', Number(sizes[0]!.heap));
    note('indexes, MB', Number(sizes[0]!.indexes));
    await client.query(
      `DELETE FROM ${nameOf(count)} e USING (SELECT * FROM bench_session WHERE get_byte(uuid_send(session_id), 0) < 13) gone WHERE e.tenant_id = gone.tenant_id AND e.session_id = gone.session_id`,
    );
    for (const [what, options] of [
      ['', ''],
      [' that freezes', 'FREEZE, '],
      [' that finds nothing', ''],
    ] as const) {
      await client.query('CHECKPOINT');
      const [from, began] = [await walAt(client), performance.now()];
      await client.query(`VACUUM (${options}PARALLEL 0) ${nameOf(count)}`);
      note(`vacuum${what}, ms`, performance.now() - began);
      note(`vacuum${what}, WAL in MB`, ((await walAt(client)) - from) / 1_048_576);
    }
  }
  compared(
    'Vacuum, of all partitions one after the other',
    [...rows].map(([what, values]) => [what, values, 1] as const),
  );
}

/** Rows that are never changed, frozen by the first vacuum that comes to them or by a later one of the whole table; the first one soon, or after a checkpoint. */
async function measureFreezing(client: pg.Client): Promise<void> {
  const rows = new Map<string, number[]>();
  const ways = [true, false].flatMap((isSoon) => [50_000_000, 0].map((age) => ({ isSoon, age })));
  for (const { isSoon, age } of ways) {
    const name = `log_vacuumed_${isSoon ? 'soon' : 'late'}_${age}`;
    await client.query(
      `CREATE TABLE ${name} (LIKE event INCLUDING ALL) WITH (autovacuum_enabled = off); INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM log_1 LIMIT 100000`,
    );
    await client.query(`SET vacuum_freeze_min_age = ${age}`);
    for (const [what, options] of [
      ['first vacuum', ''],
      ['one before ids run out', 'FREEZE, '],
    ] as const) {
      if (options !== '' || !isSoon) await client.query('CHECKPOINT');
      const from = await walAt(client);
      await client.query(`VACUUM (${options}PARALLEL 0) ${name}`);
      rows.set(what, [...(rows.get(what) ?? []), ((await walAt(client)) - from) / 1_048_576]);
    }
    const { rows: sizes } = await client.query<{ mb: string }>(`SELECT pg_table_size('${name}') / 1048576.0 AS mb`);
    rows.set('table', [...(rows.get('table') ?? []), Number(sizes[0]!.mb)]);
  }
  await client.query('RESET vacuum_freeze_min_age');
  table(
    `WAL of vacuums in MB (${ways.map(({ isSoon, age }) => `${isSoon ? 'soon' : 'after a checkpoint'}, ${age === 0 ? 'frozen at once' : 'frozen late'}`).join('; ')})`,
    [...rows].map(([what, values]) => [what, ...values.map((value) => value.toFixed(1))] as const),
  );
}

function add(cells: Cells, count: number, value: number): void {
  cells.set(count, [...(cells.get(count) ?? []), value]);
}

const medians = (cells: Cells): readonly number[] => COUNTS.map((count) => percentile(cells.get(count)!, 0.5));

function compared(title: string, rows: readonly (readonly [label: string, values: readonly number[], digits: number])[]): void {
  table(
    `${title} (one table; partitions: ${COUNTS.slice(1).join(', ')})`,
    rows.map(([label, values, digits]) => [label, ...values.map((value) => value.toFixed(digits))] as const),
  );
}
