import pg from 'pg';
import type { LocalConfig } from '../postgres/connection/tenant-query.js';
import { QUEUE_SCHEMA } from './migrate-queue.js';

/** The database's clock in epoch milliseconds. */
const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Larger than any duration or count, smaller than any current time in epoch milliseconds. */
const MIN_EPOCH_MS = 1e12;

/**
 * A pool for BullMQ's Postgres backend, which passes each worker's own `Date.now()` to the database: a worker with a clock that is ahead would find the locks of all
 * others expired. Here every parameter that is a point in time is sent as its distance from this process's clock and added to the database's clock in the
 * statement, so that all workers use one clock. Times that BullMQ compares with its own clock are converted back.
 */
export class DatabaseTimePool extends pg.Pool {
  constructor(
    options: pg.PoolConfig,
    /** For what BullMQ connects by itself: it checks the schema, and LISTENs. */
    private readonly sessions: pg.Pool,
  ) {
    super(options);
    this.on('error', () => undefined); // of an idle connection, which is replaced; BullMQ listens only while it is open
    sessions.on('error', () => undefined);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Parameters<pg.Pool['connect']>[0]): void;
  override connect(callback?: Parameters<pg.Pool['connect']>[0]): Promise<pg.PoolClient> | void {
    return callback ? super.connect(callback) : this.sessions.connect();
  }

  // BullMQ calls query(text, values) only; pg.Pool declares many more forms.
  override query = (async (text: string, values: readonly unknown[] = []) => {
    const localNow = Date.now();
    const times = values.flatMap((value, index) => (isTime(value) ? [index] : []));
    const statement = times.reduce((sql, index) => sql.replace(parameter(index + 1), `(${DATABASE_NOW} + $${index + 1}::bigint)`), text);
    const parameters = values.map((value) => (isTime(value) ? value - localNow : value));
    if (!text.includes('next_delay')) return await super.query(withSettings(statement, parameters));
    const asked = `SELECT answer.*, ${DATABASE_NOW} AS database_now FROM (${withoutSemicolon(statement)}\n) AS answer`;
    const result = await super.query<DelayRow>(withSettings(asked, parameters));
    for (const row of result.rows) {
      if (row.next_delay !== null) row.next_delay = String(Number(row.next_delay) - Number(row.database_now) + Date.now());
    }
    return result;
  }) as unknown as pg.Pool['query'];
}

/** Of each statement, because a setting of the session would reach others through a pooler. The role's limits are meant for the event store: BullMQ's own statements wait for locks. */
const SETTINGS = { search_path: QUEUE_SCHEMA, synchronous_commit: 'off', lock_timeout: '0' };

const withSettings = (text: string, values: unknown[]): LocalConfig => ({ text, values, local: SETTINGS });

interface DelayRow {
  /** When the next delayed job is due, in epoch milliseconds; null = there is none. */
  next_delay: string | null;
  readonly database_now: string;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value > MIN_EPOCH_MS;
}

const parameter = (number: number): RegExp => new RegExp(`\\$${number}(?!\\d)(?:::bigint)?`, 'g');

const withoutSemicolon = (sql: string): string => sql.trimEnd().replace(/;$/, '');

/**
 * Repairs times that lie in the future because the database's clock was set back, or because a worker without this correction wrote them: the last check for
 * stalled jobs, which would not run until then, and locks, which would not expire. `lockMs` is the longest that a lock may last.
 */
export async function clampFutureTimes(pool: pg.Pool, lockMs: number): Promise<void> {
  await pool.query(
    `WITH checked AS (UPDATE meta SET value = ${DATABASE_NOW}::text WHERE field = 'stalled-check' AND value::bigint > ${DATABASE_NOW} + 1000)
     UPDATE job SET locked_until_ms = ${DATABASE_NOW} + $1::bigint WHERE state = 'active' AND locked_until_ms > ${DATABASE_NOW} + $1::bigint + 1000`,
    [lockMs],
  );
}

/** Ends the locks of workers that are not present, and have not renewed them: those that end within `withinMs`. A token begins with the id of its worker. */
export async function endAbandonedLocks(pool: pg.Pool, withinMs: number): Promise<void> {
  await pool.query(
    `UPDATE job SET locked_until_ms = ${DATABASE_NOW} - 1 FROM (
       SELECT queue, id FROM job WHERE state = 'active' AND locked_until_ms BETWEEN ${DATABASE_NOW} AND ${DATABASE_NOW} + $1::bigint
         AND NOT public.is_present(split_part(lock_token, ':', 1)) FOR UPDATE SKIP LOCKED) AS abandoned
     WHERE job.queue = abandoned.queue AND job.id = abandoned.id`,
    [Math.floor(withinMs)],
  );
}
