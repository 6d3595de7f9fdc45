import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { postgresStore, type PostgresStore } from './postgres-store.js';

/** A store with tables that are large enough for a scan of one to show in a plan, and what its statements read of them. */

export const TENANT = randomUUID();
export const USER = randomUUID();
export const SESSION = randomUUID();

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

export class FilledStore {
  private constructor(
    readonly store: PostgresStore,
    readonly owner: Client,
    /** The application's own role. */
    readonly app: Client,
  ) {}

  static async open(): Promise<FilledStore> {
    const store = await postgresStore();
    const [owner, app] = await Promise.all([connect(store.urls.ownerUrl, 60_000), connect(store.urls.appUrl, 60_000)]);
    // A parallel worker reports its scans when it ends, which may be after its query has returned.
    for (const client of [owner, app]) await client.query('SET max_parallel_workers_per_gather = 0');
    for (const statement of FILL.split(';')) await owner.query(statement);
    return new FilledStore(store, owner, app);
  }

  async close(): Promise<void> {
    await Promise.all([this.owner.end(), this.app.end()]);
    await this.store.close();
  }

  /** On the connection of the statistics, with the rows of the tenant. */
  async asTenant({ text, values }: Pick<Prisma.Sql, 'text' | 'values'>): Promise<readonly object[]> {
    await this.app.query(`SELECT set_config('verbatim.tenant', $1, false)`, [TENANT]);
    const { rows } = await this.app.query<object>(text, values);
    await this.app.query(`SELECT set_config('verbatim.tenant', '', false)`);
    return rows;
  }

  /** Statements inside a function appear only in the statistics of the tables. */
  async wholeScans(tables: readonly string[], use: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
    const read = async (): Promise<ReadonlyMap<string, number>> => {
      await this.#flushStatistics();
      const { rows } = await this.owner.query<{ relname: string; seq_scan: string }>(
        `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE schemaname = 'public' AND relname = ANY ($1)`,
        [tables],
      );
      return new Map(rows.map((row) => [row.relname, Number(row.seq_scan)]));
    };
    const before = await read();
    await use();
    const after = await read();
    return Object.fromEntries([...after].map(([table, count]) => [table, count - before.get(table)!]));
  }

  /** Rows read by any kind of scan, of one table or of all. */
  async touched(table: string | null, use: () => Promise<unknown>): Promise<number> {
    const read = async (): Promise<number> => {
      await this.#flushStatistics();
      const { rows } = await this.owner.query<{ rows: string }>(
        `SELECT sum(seq_tup_read + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)) AS rows
          FROM pg_stat_user_tables t WHERE schemaname = 'public' AND ($1::text IS NULL OR relname = $1)`,
        [table],
      );
      return Number(rows[0]!.rows);
    };
    const before = await read();
    await use();
    return (await read()) - before;
  }

  /** Connections report what they did up to a second later, so both report before a counter is read: what one did earlier must not count later. */
  async #flushStatistics(): Promise<void> {
    for (const client of [this.owner, this.app]) await client.query('SELECT pg_stat_force_next_flush()');
  }
}
