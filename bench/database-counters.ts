import { chmod, mkdtemp, readFile, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/platform/postgres/embedded-postgres.js';
import { withConnection } from '../src/platform/postgres/connect.js';
import { type Written, writtenSince } from './wal.js';

/** What a server has done since it started. */
export interface Counters {
  /** Statements that clients have sent; those inside functions do not count. */
  readonly statements: number;
  /** Committed transactions that have written, by the transaction ids they took. */
  readonly commits: number;
  /** Committed transactions of the measured database, those that only read included. */
  readonly transactions: number;
  readonly walBytes: number;
  /** CPU time of all its processes in milliseconds, in steps of ten. */
  readonly processorMs: number;
}

export interface MeasuredServer {
  readonly url: string;
  read(): Promise<Counters>;
  /** Statements by total time, most expensive first, as text for a report. */
  statements(per: number): Promise<readonly string[]>;
  reset(): Promise<void>;
  /** The server vacuums no more by itself: its own transactions would be counted with those of clients. */
  withoutAutovacuum(): Promise<void>;
  /** Where the bytes of the log went since `reset`. */
  written(per: number): Promise<Written>;
  stop(): Promise<void>;
}

/** A temporary durable server with pg_stat_statements, which must be loaded at its start. */
export async function startMeasuredServer(): Promise<MeasuredServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-cost-'));
  await chmod(directory, 0o711); // or the server's own account could not reach its files
  const place = { database: 'cost', dataDir: path.join(directory, 'postgres') };
  const first = await startEmbeddedPostgres(place);
  await withConnection(first.url, 5_000, async (client) => {
    await client.query("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'");
    // A checkpoint makes the next change of each page write the whole page: none while the bytes are counted.
    await client.query("ALTER SYSTEM SET checkpoint_timeout = '1h'");
    await client.query("ALTER SYSTEM SET max_wal_size = '16GB'");
  });
  await first.stop();
  const server = await startEmbeddedPostgres(place);
  await withConnection(server.url, 10_000, (client) =>
    client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements; CREATE EXTENSION IF NOT EXISTS pg_walinspect'),
  );
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  let from = '0/0';
  return {
    url: server.url,
    read: async () => ({ ...(await readCounters(client)), processorMs: await processorMsOf(server.pid) }),
    reset: async () => {
      await client.query('SELECT pg_stat_statements_reset()');
      const { rows } = await client.query<{ at: string }>('SELECT pg_current_wal_flush_lsn() AS at');
      from = rows[0]!.at;
    },
    withoutAutovacuum: async () => {
      await client.query('ALTER SYSTEM SET autovacuum = off');
      await client.query('SELECT pg_reload_conf()');
    },
    written: (per) => writtenSince(client, from, per),
    statements: async (per) => {
      const { rows } = await client.query<{ calls: string; ms: number; query: string }>(
        `SELECT calls, total_exec_time AS ms, query FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid AND d.datname = current_database()
         WHERE query NOT LIKE '%pg_stat_%' ORDER BY total_exec_time DESC LIMIT 25`,
      );
      return rows.map(({ calls, ms, query }) => `${(Number(calls) / per).toFixed(2)} × ${(ms / Number(calls)).toFixed(3)} ms  ${shortened(query)}`);
    },
    stop: async () => {
      await client.end();
      await server.stop();
      await rm(await realpath(place.dataDir), { recursive: true, force: true });
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const shortened = (query: string): string => query.replaceAll(/\s+/g, ' ').slice(0, 110);

async function readCounters(client: pg.Client): Promise<Omit<Counters, 'processorMs'>> {
  const { rows } = await client.query<Record<'statements' | 'commits' | 'transactions' | 'wal', string>>(`
    SELECT (SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid AND d.datname = current_database()
            WHERE query NOT LIKE '%pg_stat_%') AS statements,
      pg_snapshot_xmax(pg_current_snapshot())::text AS commits,
      (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS transactions,
      pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal`);
  const [row] = rows;
  return { statements: Number(row!.statements), commits: Number(row!.commits), transactions: Number(row!.transactions), walBytes: Number(row!.wal) };
}

/** CPU time of the postmaster, its children, and those that have ended. */
async function processorMsOf(postmaster: number): Promise<number> {
  let ticks = 0;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const fields = await statOf(Number(entry));
    if (!fields) continue;
    if (Number(entry) === postmaster) ticks += sum(fields.slice(11, 15));
    else if (Number(fields[1]) === postmaster) ticks += sum(fields.slice(11, 13));
  }
  return ticks * 10;
}

/** CPU time of one process in milliseconds: of its threads, as the scheduler counts it. */
export async function processorMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const used = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')));
  return used.reduce((total, text) => total + Number.parseInt(text, 10), 0) / 1e6;
}

const sum = (fields: readonly string[]): number => fields.reduce((total, field) => total + Number(field), 0);

async function statOf(pid: number): Promise<readonly string[] | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return text === null ? null : text.slice(text.lastIndexOf(') ') + 2).split(' ');
}
