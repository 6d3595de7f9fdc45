import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { applyMigrations } from '../../src/platform/postgres/migrations/migrate.js';
import { until } from '../support/until.js';
import { blankDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let directory: string;

const migration = async (name: string, sql: string): Promise<void> => {
  await mkdir(path.join(directory, name));
  await writeFile(path.join(directory, name, 'migration.sql'), sql);
};

const query = (sql: string): Promise<readonly Record<string, unknown>[]> =>
  withConnection(database.ownerUrl, 60_000, async (client) => (await client.query<Record<string, unknown>>(sql)).rows);

const apply = (): Promise<readonly string[]> => applyMigrations(database.ownerUrl, directory);

beforeEach(async () => {
  database = await blankDatabase();
  directory = await mkdtemp(path.join(tmpdir(), 'verbatim-migrations-'));
  await migration(
    '1_first',
    `
    CREATE TABLE word (word text PRIMARY KEY);
    CREATE FUNCTION shout(word text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN upper(word); END; $$;
  `,
  );
  await migration('2_second', `INSERT INTO word VALUES ('once');`);
});

afterEach(async () => {
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

describe('migrations', () => {
  it('are applied in order, each once', async () => {
    expect(await apply()).toEqual(['1_first', '2_second']);
    expect(await apply()).toEqual([]);
    await migration('3_third', `INSERT INTO word VALUES (shout('more'));`);
    expect(await apply()).toEqual(['3_third']);
    expect(await query('SELECT word FROM word ORDER BY word')).toEqual([{ word: 'MORE' }, { word: 'once' }]);
  });

  it('are applied once by three concurrent processes', async () => {
    const applied = await Promise.all([apply(), apply(), apply()]);
    expect(applied.flat().sort()).toEqual(['1_first', '2_second']);
    expect(await query('SELECT word FROM word')).toEqual([{ word: 'once' }]);
  });

  it('record what Prisma records', async () => {
    await apply();
    const [row] = await query(`SELECT migration_name, length(checksum) AS checksum, finished_at IS NOT NULL AS finished, applied_steps_count AS steps
                               FROM _prisma_migrations ORDER BY migration_name`);
    expect(row).toEqual({ migration_name: '1_first', checksum: 64, finished: true, steps: 1 });
  });

  it('that fail are rolled back and can be corrected', async () => {
    await migration('3_third', `INSERT INTO word VALUES ('half'); SELECT 1 / 0;`);
    await expect(apply()).rejects.toMatchObject({ code: 'migration_failed', message: expect.stringContaining('3_third') });
    expect(await query('SELECT word FROM word')).toEqual([{ word: 'once' }]);
    await writeFile(path.join(directory, '3_third', 'migration.sql'), `INSERT INTO word VALUES ('whole');`);
    expect(await apply()).toEqual(['3_third']);
  });

  it('are rejected when an applied one was edited', async () => {
    await apply();
    await appendFile(path.join(directory, '1_first', 'migration.sql'), '-- a second thought');
    await expect(apply()).rejects.toMatchObject({ code: 'migration_edited', message: expect.stringContaining('1_first') });
  });

  it('reject a database that is newer than the build', async () => {
    await apply();
    await rm(path.join(directory, '2_second'), { recursive: true });
    await expect(apply()).rejects.toMatchObject({ code: 'database_newer_than_build', message: expect.stringContaining('2_second') });
  });

  it('that earlier builds can run with leave the database to those builds, and to no others', async () => {
    await migration('3_third', '-- min build: 2_second\nCREATE TABLE more (word text);');
    await apply();
    await rm(path.join(directory, '3_third'), { recursive: true });
    expect(await apply()).toEqual([]);
    await rm(path.join(directory, '2_second'), { recursive: true });
    await expect(apply()).rejects.toMatchObject({ code: 'database_newer_than_build', message: expect.stringContaining('2_second') });
  });

  it('wait for their locks for a short time only, so that nobody waits behind them, and try again', async () => {
    await apply();
    await migration('3_third', 'ALTER TABLE word ADD COLUMN length int;');
    await withConnection(database.ownerUrl, 60_000, async (holder) => {
      await holder.query('BEGIN; LOCK TABLE word IN ACCESS SHARE MODE');
      const applied = apply();
      const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'word'::regclass`;
      await until('the migration waits', async () => (await holder.query(waits)).rowCount === 1);
      await until('the migration waits no longer', async () => (await holder.query(waits)).rowCount === 0);
      await query(`INSERT INTO word VALUES ('meanwhile')`);
      await holder.query('COMMIT');
      expect(await applied).toEqual(['3_third']);
    });
  });

  it('reject a database with an unfinished migration of another tool', async () => {
    await apply();
    await query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '2_second'`);
    await expect(apply()).rejects.toMatchObject({ code: 'migration_unfinished' });
  });
});

describe('the step after the migrations', () => {
  it('runs each time, never concurrently', async () => {
    await apply();
    let inside = 0;
    let most = 0;
    let runs = 0;
    const step = (): Promise<readonly string[]> =>
      applyMigrations(database.ownerUrl, directory, async (client) => {
        most = Math.max(most, ++inside);
        await client.query('SELECT count(*) FROM word');
        runs += 1;
        inside -= 1;
      });
    await Promise.all([step(), step(), step()]);
    expect({ most, runs }).toEqual({ most: 1, runs: 3 });
  });
});
