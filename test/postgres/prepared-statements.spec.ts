import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { PreparedStatements } from '../../src/platform/postgres/connection/prepared-statements.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let pool: pg.Pool;
let statements: PreparedStatements;

beforeAll(async () => {
  database = await freshDatabase();
  pool = new pg.Pool({ connectionString: database.ownerUrl, max: 1, idleTimeoutMillis: 0 });
  await pool.query('CREATE TABLE counted (n int)');
});
beforeEach(async () => {
  await pool.query('DEALLOCATE ALL; TRUNCATE counted');
  statements = new PreparedStatements(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const insert = (n: number) => ({ text: 'INSERT INTO counted VALUES ($1::int) RETURNING n, n::bigint AS big', values: [n] });
const prepared = async () =>
  (await pool.query<{ name: string; runs: number }>('SELECT name, (generic_plans + custom_plans)::int AS runs FROM pg_prepared_statements')).rows;
const counted = async () => (await pool.query<{ n: number }>('SELECT n FROM counted ORDER BY n')).rows.map(({ n }) => n);

it('prepares a text once for each connection', async () => {
  for (const n of [1, 2, 3]) expect(await statements.query(insert(n))).toEqual([{ n, big: String(n) }]);
  expect(await prepared()).toEqual([{ name: expect.stringMatching(/^verbatim_[0-9a-f]{32}$/), runs: 3 }]);
});

it('runs without names, once, where a connection pooler does not follow them', async () => {
  await statements.query(insert(1));
  await pool.query('DEALLOCATE ALL'); // as if the next one came to another connection of the server
  for (const n of [2, 3]) expect(await statements.query(insert(n))).toEqual([{ n, big: String(n) }]);
  expect(await prepared()).toEqual([]);
  expect(await counted()).toEqual([1, 2, 3]);
});

it('passes other errors on, and keeps the names', async () => {
  await expect(statements.query({ text: 'SELECT 1 / $1::int', values: [0] })).rejects.toMatchObject({ code: '22012' });
  await statements.query(insert(1));
  expect(await prepared()).toContainEqual({ name: expect.any(String), runs: 1 });
});
