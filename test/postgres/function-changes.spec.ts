import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, withConnection } from '../../src/platform/postgres/connect.js';
import { applyMigrations } from '../../src/platform/postgres/migrations/migrate.js';
import { blankDatabase, type TestDatabase } from '../support/database.js';
import { type MigrationFolder, migrationFolder } from '../support/migration-folder.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let build: MigrationFolder;
let functions: string;

const write = (name: string, answer: string, folder = functions): Promise<void> =>
  writeFile(path.join(folder, `${name}.sql`), `CREATE OR REPLACE FUNCTION ${name}() RETURNS text LANGUAGE sql AS $$ SELECT ${answer} $$;\n`);

const query = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
  withConnection(database.ownerUrl, 60_000, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);

const start = (of = build, folder = functions): Promise<readonly string[]> =>
  applyMigrations(database.ownerUrl, of.directory, undefined, { functions: folder });

/** What the functions answer, and the transactions that wrote them. */
const answers = () => query('SELECT first() AS first, second() AS second');
const written = () => query(`SELECT proname AS name, xmin::text AS by FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`);

beforeEach(async () => {
  database = await blankDatabase();
  build = await migrationFolder();
  await build.write('1_first', 'CREATE TABLE word (word text);');
  functions = await mkdtemp(path.join(tmpdir(), 'verbatim-functions-'));
  await write('first', `second() || '!'`); // it comes before the one that it calls
  await write('second', `'one'`);
});
afterEach(async () => {
  await database.drop();
  await build.drop();
  await rm(functions, { recursive: true, force: true });
});

describe('the functions of a database', () => {
  it('are made by the first start, and changed by a start of a build with another text; others are left as they are', async () => {
    await start();
    expect(await answers()).toEqual([{ first: 'one!', second: 'one' }]);
    const [first, second] = await written();
    await start();
    expect(await written()).toEqual([first, second]);
    await write('second', `'two'`);
    await start();
    expect(await answers()).toEqual([{ first: 'two!', second: 'two' }]);
    const [same, changed] = await written();
    expect(same).toEqual(first);
    expect(changed).not.toEqual(second);
  });

  it.each([
    ['another body', `CREATE OR REPLACE FUNCTION second() RETURNS text LANGUAGE sql AS $$ SELECT 'by hand' $$`],
    ['the rights of its owner', 'ALTER FUNCTION second() SECURITY DEFINER'],
    ['a setting', `ALTER FUNCTION second() SET search_path = pg_temp`],
  ])('are made again by a start after one was given %s by hand, which keeps its comment', async (_, change) => {
    const definitions = () => query(`SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname`);
    await start();
    const [applied, [first]] = [await definitions(), await written()];
    await query(change);
    expect(await definitions()).not.toEqual(applied);
    await start();
    expect(await definitions()).toEqual(applied);
    expect((await written())[0]).toEqual(first); // the other one is left as it is
  });

  it('are made once by three concurrent processes', async () => {
    await Promise.all([start(), start(), start()]);
    const [first, second] = await written();
    expect(first!['by']).toBe(second!['by']);
  });

  it('of a newer build are left as they are by a process of an older build that is started beside it', async () => {
    const older = await build.copy();
    const olderFunctions = await mkdtemp(path.join(tmpdir(), 'verbatim-functions-'));
    try {
      await write('first', `'old'`, olderFunctions);
      await start(older, olderFunctions);
      await build.write('2_second', '-- min build: 1_first\n');
      await start();
      expect(await answers()).toEqual([{ first: 'one!', second: 'one' }]);
      await start(older, olderFunctions);
      expect(await answers()).toEqual([{ first: 'one!', second: 'one' }]);
    } finally {
      await older.drop();
      await rm(olderFunctions, { recursive: true, force: true });
    }
  });

  it('stay as they were when one of them fails, and the error names it', async () => {
    await start();
    await write('first', `'changed'`);
    await write('second', 'FROM nowhere');
    await expect(start()).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(/^The function second of prisma\/functions failed.*nowhere/),
    });
    expect(await answers()).toEqual([{ first: 'one!', second: 'one' }]);
  });

  it('stay as they were when the start is killed between two of them, and are changed by the next start', async () => {
    await start();
    await write('first', `'changed'`);
    await write('second', `'changed, too'`);
    const holder = await connect(database.ownerUrl, 60_000);
    try {
      await holder.query('BEGIN');
      await holder.query('ALTER FUNCTION second() COST 7'); // the start waits for the second function
      const killed = start().then(
        () => null,
        (error: unknown) => error,
      );
      const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'CREATE OR REPLACE FUNCTION second%'`;
      await until('the start is between the two', async () => (await query(waiting)).length === 1);
      await query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS waiting`);
      expect(await killed).toMatchObject({
        code: 'migration_failed',
        message: expect.stringMatching(/^The function second of prisma\/functions failed.*terminat/),
      });
      await holder.query('ROLLBACK');
    } finally {
      await holder.end();
    }
    expect(await answers()).toEqual([{ first: 'one!', second: 'one' }]);
    await start();
    expect(await answers()).toEqual([{ first: 'changed', second: 'changed, too' }]);
  });
});
