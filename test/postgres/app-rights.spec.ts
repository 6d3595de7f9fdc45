import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { append, appended, ids } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';

/** What an attacker with the login of the application can do, who sends their own statements. */
let store: PostgresStore;
let owner: Client;
let app: Client;
const YEAR_MS = 365 * 86_400_000;
const of = ids();

beforeAll(async () => {
  store = await postgresStore();
  [owner, app] = await Promise.all([connect(store.urls.ownerUrl, 60_000), connect(store.urls.appUrl, 60_000)]);
  const payload = { tenantId: of.tenantId, sessionId: of.sessionId, turnId: randomUUID() };
  appended(await store.events.append(append(of, 0, { jobs: [{ queue: 'turns', id: 'a-job', payload }] })));
});
afterAll(async () => {
  await Promise.all([owner.end(), app.end()]);
  await store.close();
});

it('holds a task for a day at most', async () => {
  await app.query(`SELECT take_lease('audit', gen_random_uuid(), $1)`, [YEAR_MS]);
  const { rows } = await owner.query(
    `SELECT ends_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 day' AS bounded FROM task_lease WHERE task = 'audit'`,
  );
  expect(rows).toEqual([{ bounded: true }]);
});

it('holds a job for a day at most', async () => {
  await expect(app.query('SELECT * FROM lease_jobs(10, 10, $1)', [YEAR_MS])).rejects.toMatchObject({ code: '23514' });
  expect((await app.query('SELECT * FROM lease_jobs(10, 10, $1)', [60_000])).rowCount).toBe(1);
});

it('ends no receipt within a day', async () => {
  await app.query('SELECT prune_receipts($1, 1000)', [-YEAR_MS]);
  expect((await owner.query('SELECT 1 FROM receipt')).rowCount).toBe(1);
});

it('says of no anchor when it was made, and changes none', async () => {
  await owner.query(`INSERT INTO tlog_checkpoint (size, root, note, verifier, transaction, position) VALUES (1, sha256(''), '', '', '1', 1)`);
  const at = (column: string, value: string): Promise<unknown> => app.query(`INSERT INTO tlog_anchor (size, target${column}) VALUES (1, 'file'${value})`);
  await expect(at(', anchored_at', ', now()')).rejects.toMatchObject({ code: '42501' });
  await at('', '');
  await expect(app.query(`UPDATE tlog_anchor SET anchored_at = now()`)).rejects.toMatchObject({ code: '42501' });
  await expect(app.query('DELETE FROM tlog_anchor')).rejects.toMatchObject({ code: '42501' });
});

it('changes no row of what is derived from logs, but by the functions of an append', async () => {
  for (const table of [
    'event',
    'stream',
    'session',
    'session_summary',
    'session_grant',
    'legal_hold',
    'erased_session',
    'session_retention',
    'session_schedule',
    'search_text',
    'usage',
    'receipt',
    'outbox',
    'task_lease',
  ]) {
    for (const statement of [`DELETE FROM ${table}`, `INSERT INTO ${table} DEFAULT VALUES`, `TRUNCATE ${table}`]) {
      await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
    }
  }
});
