import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { prepareTemplate } from '../support/template.js';
import { until } from '../support/until.js';

const EVENTS = 2_000;
const TRANSACTIONS = 20;

/** Its autovacuum looks every second. */
let server: EmbeddedPostgres;
let owner: Client;

beforeAll(async () => {
  server = await startEmbeddedPostgres({ database: 'freezing', volatile: true });
  await prepareTemplate(server.url);
  owner = await connect(server.url, 60_000);
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

it('events are frozen by the first vacuum that comes to them, and so is what is stored outside of their rows', async () => {
  await owner.query(`CREATE TABLE ordinary (LIKE event INCLUDING ALL)`);
  for (const table of ['event', 'ordinary']) {
    await owner.query(`ALTER TABLE ${table} SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = ${EVENTS / 2})`); // not after a hundred thousand
    for (let part = 0; part < TRANSACTIONS; part += 1) {
      await owner.query(
        `INSERT INTO ${table} (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
         SELECT gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'session.closed', 1, '{}', '{}', NULL, sha256(''), sha256(''), now() FROM generate_series(1, $1::int)`,
        [EVENTS / TRANSACTIONS],
      );
    }
  }
  const { rows } = await owner.query<{ now: string }>('SELECT pg_current_xact_id()::text AS now');
  await owner.query(`ALTER SYSTEM SET autovacuum_naptime = '1s'`);
  await owner.query('SELECT pg_reload_conf()');
  /** The oldest transaction of which a row may not be frozen. */
  const oldest = async (table: string): Promise<number> => {
    const { rows: of } = await owner.query<{ frozen: string }>('SELECT relfrozenxid::text AS frozen FROM pg_class WHERE oid = $1::regclass', [table]);
    return Number(of[0]!.frozen);
  };
  const { rows: places } = await owner.query<{ first: string }>(`SELECT (min(xact_id::text::bigint))::text AS first FROM ordinary`);
  await until('all events are frozen', async () => (await oldest('event')) >= Number(rows[0]!.now));
  await until('a table with the settings of the server has been vacuumed', async () => {
    const { rows: vacuumed } = await owner.query<{ done: boolean }>(
      `SELECT last_autovacuum IS NOT NULL AS done FROM pg_stat_user_tables WHERE relname = 'ordinary'`,
    );
    return vacuumed[0]!.done;
  });
  expect(await oldest('ordinary')).toBeLessThanOrEqual(Number(places[0]!.first));
  const { rows: toast } = await owner.query<{ options: string }>(
    `SELECT array_to_string(t.reloptions, ' ') AS options FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid WHERE c.oid IN ('event'::regclass, 'blob'::regclass, 'search_text'::regclass)`,
  );
  expect(toast.map(({ options }) => /autovacuum_freeze_min_age=0/.test(options))).toEqual([true, true, true]);
});
