/**
 * One row for each append beside one row for each event and a receipt: the appends of a real short turn, written to both layouts in alternation. See
 * docs/decisions/0247-a-row-for-each-event.md.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { appLogin } from '../src/platform/postgres/app-role.js';
import { ServerProcess } from '../test/support/process.js';
import { prepareTemplate } from '../test/support/template.js';
import { makeTenant } from '../test/support/tenant.js';
import { BY_APPEND, BY_EVENT, type Layout } from './append-layouts.js';
import { type MeasuredServer, startMeasuredServer } from './database-counters.js';
import { inTurn } from './load.js';
import { percentile, table } from './report.js';

const SESSIONS = 50;
const BLOCKS = 10;
const TURNS_OF_BLOCK = 100;
const EVENTS_READ = 10_000;
const PAGE = 50;
const READS = 25;
const ERASURES = 300;
const LAYOUTS = [BY_EVENT, BY_APPEND] as const;

/** An append, as the store has recorded it. */
interface Recorded {
  readonly actor: string;
  readonly types: readonly string[];
  readonly schemas: readonly number[];
  readonly data: readonly string[];
}

interface Log {
  readonly session: string;
  version: number;
  head: Buffer;
}

export async function benchAppendRows(): Promise<void> {
  const database = await startMeasuredServer();
  const client = new pg.Client({ connectionString: database.url });
  try {
    await prepareTemplate(database.url);
    const turn = await recordedTurn(database);
    await client.connect();
    for (const { create } of LAYOUTS) await client.query(create);
    const bench = new Bench(database, client, turn);
    await bench.write();
    await bench.size();
    await bench.read();
    await bench.erase();
  } finally {
    await client.end();
    await database.stop();
  }
}

/** The appends of the last one of a few turns of a server. */
async function recordedTurn(database: MeasuredServer): Promise<readonly Recorded[]> {
  const token = await makeTenant(appLogin(database.url).appUrl, 'append rows');
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', DATABASE_URL: database.url });
  try {
    await inTurn(server.client(token), 3);
  } finally {
    await server.stop();
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<Recorded>(
      `SELECT (array_agg(actor::text))[1] AS actor, array_agg(type ORDER BY seq) AS types, array_agg(schema_version ORDER BY seq) AS schemas, array_agg(data::text ORDER BY seq) AS data
       FROM event WHERE seq >= (SELECT max(seq) FROM event WHERE type = 'prompt.submitted') GROUP BY command_id ORDER BY min(seq)`,
    );
    const bytes = rows.map(({ data }) => data.reduce((sum, one) => sum + Buffer.byteLength(one), 0));
    process.stdout.write(`\nA short turn: ${rows.map(({ types }, index) => `${types.join(', ')} (${bytes[index]} bytes of data)`).join(' | ')}\n`);
    return rows;
  } finally {
    await client.end();
  }
}

class Bench {
  readonly #tenant = randomUUID();
  readonly #logs = new Map(LAYOUTS.map((layout) => [layout, Array.from({ length: SESSIONS }, newLog)]));

  constructor(
    private readonly database: MeasuredServer,
    private readonly client: pg.Client,
    private readonly turn: readonly Recorded[],
  ) {}

  get #events(): number {
    return this.turn.reduce((sum, { types }) => sum + types.length, 0);
  }

  async write(): Promise<void> {
    for (const layout of LAYOUTS) await this.#turns(layout, SESSIONS); // plans, and the first pages
    await this.database.reset();
    const bytes = LAYOUTS.map(() => 0);
    for (let block = 0; block < BLOCKS; block += 1) {
      for (const [index, layout] of LAYOUTS.entries()) bytes[index]! += await this.#written(() => this.#turns(layout, TURNS_OF_BLOCK));
    }
    const { rows } = await this.client.query<{ query: string; ms: number }>(
      `SELECT query, total_exec_time AS ms FROM pg_stat_statements WHERE query LIKE 'SELECT append_by_%' ORDER BY query DESC`,
    );
    const turns = BLOCKS * TURNS_OF_BLOCK;
    compared(`Written by a turn of ${this.#events} events in ${this.turn.length} commits`, [
      ['WAL, bytes', bytes.map((one) => one / turns), 0],
      ['time in the statements, ms', rows.map(({ ms }) => ms / turns), 3],
    ]);
    const { lines, besides } = await this.database.written(turns);
    process.stdout.write(
      `WAL by table, index and record; ${(besides / turns).toFixed(0)} B of it page images and statistics\n${lines.map((line) => `  ${line}\n`).join('')}`,
    );
  }

  async size(): Promise<void> {
    const of = async (what: string): Promise<readonly number[]> => Promise.all(LAYOUTS.map(({ tables }) => this.#sum(what, tables)));
    const turns = BLOCKS * TURNS_OF_BLOCK + SESSIONS;
    const [rows, indexes] = [await of('pg_table_size'), await of('pg_indexes_size')];
    compared('Stored of a turn', [
      ['bytes of tables', rows.map((one) => one / turns), 0],
      ['bytes of indexes', indexes.map((one) => one / turns), 0],
    ]);
  }

  async read(): Promise<void> {
    const logs = LAYOUTS.map((layout) => [layout, newLog()] as const);
    for (const [layout, log] of logs) {
      await this.client.query('BEGIN');
      while (log.version < EVENTS_READ) await this.#turnOf(layout, log);
      await this.client.query('COMMIT');
    }
    await this.client.query('VACUUM ANALYZE');
    const all = logs.map((): number[] => []);
    const page = logs.map((): number[] => []);
    for (let count = 0; count < READS; count += 1) {
      for (const [index, [layout, log]] of logs.entries()) {
        all[index]!.push(await this.#timed(layout, log, 0));
        page[index]!.push(await this.#timed(layout, log, log.version - PAGE));
      }
    }
    const middle = (times: readonly number[]): number => percentile(times, 0.5);
    compared('Read, median, with the client', [
      [`a log of ${logs[0]![1].version} events, ms`, all.map(middle), 1],
      [`the ${PAGE} events after a position, ms`, page.map(middle), 2],
    ]);
  }

  async erase(): Promise<void> {
    const bytes: number[] = [];
    for (const layout of LAYOUTS) {
      const logs = this.#logs.get(layout)!;
      const wal = await this.#written(async () => {
        for (let count = 0; count < ERASURES; count += 1) {
          const log = logs[count % SESSIONS]!;
          const seq = 3 + this.#events * Math.floor(count / SESSIONS);
          const { rowCount } = await this.client.query({ name: `erase ${layout.name}`, text: layout.erase, values: [this.#tenant, log.session, seq, '{}'] });
          if (rowCount !== 1) throw new Error(`${layout.name}: event ${seq} is not there`);
        }
      });
      bytes.push(wal / ERASURES);
    }
    compared('Erasure of an event, its row alone', [['WAL, bytes', bytes, 0]]);
  }

  async #timed({ name, read }: Layout, { session, version }: Log, after: number): Promise<number> {
    const began = performance.now();
    const { rows } = await this.client.query<{ seq: string }>({ name: `read ${name}`, text: read, values: [this.#tenant, session, after] });
    const ms = performance.now() - began;
    if (rows.length !== version - after || Number(rows[0]!.seq) !== after + 1) throw new Error(`${name}: ${rows.length} events after ${after} of ${version}`);
    return ms;
  }

  async #turns(layout: Layout, turns: number): Promise<void> {
    const logs = this.#logs.get(layout)!;
    for (let turn = 0; turn < turns; turn += 1) await this.#turnOf(layout, logs[turn % SESSIONS]!);
  }

  async #turnOf(layout: Layout, log: Log): Promise<void> {
    for (const { actor, types, schemas, data } of this.turn) {
      const ids = types.map(() => randomUUID());
      const values = [this.#tenant, log.session, log.version, randomUUID(), Buffer.alloc(32), actor, ids, types, schemas, data, log.head];
      const { rows } = await this.client.query<{ link: Buffer }>({ name: layout.name, text: layout.append, values });
      log.version += types.length;
      log.head = rows[0]!.link;
    }
  }

  async #written(work: () => Promise<void>): Promise<number> {
    const at = async (): Promise<number> => {
      const { rows } = await this.client.query<{ at: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS at`);
      return Number(rows[0]!.at);
    };
    const before = await at();
    await work();
    return (await at()) - before;
  }

  async #sum(what: string, tables: readonly string[]): Promise<number> {
    const { rows } = await this.client.query<{ bytes: string }>(`SELECT sum(${what}(one::regclass)) AS bytes FROM unnest($1::text[]) AS one`, [tables]);
    return Number(rows[0]!.bytes);
  }
}

const newLog = (): Log => ({ session: randomUUID(), version: 0, head: Buffer.alloc(32) });

/** Figures of both layouts, and the ratio of the second to the first. */
function compared(title: string, rows: readonly (readonly [label: string, values: readonly number[], digits: number])[]): void {
  table(`${title} (${LAYOUTS.map(({ name }) => name).join('; ')}; ratio)`, [
    ...rows.map(([label, [first, second], digits]) => [label, first!.toFixed(digits), second!.toFixed(digits), `${(second! / first!).toFixed(2)} ×`] as const),
  ]);
}
