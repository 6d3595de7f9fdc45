import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { applyMigrations } from '../../src/platform/postgres/migrations/migrate.js';
import { OnlineMigrations } from '../../src/platform/postgres/migrations/online-migrations.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import { append, appended, ids } from '../support/appends.js';
import { blankDatabase, freshDatabase, type TestDatabase } from '../support/database.js';
import { type MigrationFolder, migrationFolder } from '../support/migration-folder.js';
import { openDatabase } from '../support/postgres-store.js';
import { NO_ENCRYPTION } from '../support/encryption.js';
import { MIGRATIONS } from '../support/template.js';
import { until } from '../support/until.js';

const TABLES = ['one', 'two', 'three'] as const;

let database: TestDatabase;
let folder: MigrationFolder;
let owner: Client;
let reported: string[];
let finished: string[];
const running: OnlineMigrations[] = [];

const rows = async (sql: string): Promise<readonly Record<string, unknown>[]> => (await owner.query<Record<string, unknown>>(sql)).rows;

/** A process that the start has left online migrations to. */
function process(directory = folder.directory): OnlineMigrations {
  const online = new OnlineMigrations({
    url: database.ownerUrl,
    directory,
    setupTimeoutMs: 60_000,
    log: (line) => finished.push(line),
    report: (problem, error) => reported.push(`${problem}: ${String(error)}`),
    pauseMs: 50,
  });
  running.push(online);
  return online;
}

const start = (of = folder): Promise<readonly string[]> => applyMigrations(database.ownerUrl, of.directory);

const records = (): Promise<readonly Record<string, unknown>[]> =>
  rows(
    `SELECT migration_name AS name, applied_steps_count AS steps, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE migration_name > '1' ORDER BY 1`,
  );

const indexes = (): Promise<readonly Record<string, unknown>[]> =>
  rows(`SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index WHERE indrelid::regclass::text IN ('one', 'two', 'three', 'event')
        AND indexrelid::regclass::text LIKE '%by_word%' ORDER BY 1`);

/** The backend that runs a statement of an online migration, once it waits for what a test holds; builds of indexes wait for a moment for other statements, too. */
async function blocked(): Promise<number> {
  let pid = 0;
  await until('a statement of the migration waits for a lock', async () => {
    const [waiting] = await rows(
      `SELECT pid FROM pg_stat_activity waiting WHERE datname = current_database() AND application_name = 'verbatim setup' AND pid <> pg_backend_pid()
       AND query NOT LIKE '%pg_stat_activity%'
       AND EXISTS (SELECT FROM pg_stat_activity holder WHERE holder.pid = ANY (pg_blocking_pids(waiting.pid)) AND holder.state = 'idle in transaction')`,
    );
    pid = Number(waiting?.['pid'] ?? 0);
    return pid > 0;
  });
  return pid;
}

/** Holds `lock` until the returned function is called. */
async function holding(lock: string): Promise<() => Promise<void>> {
  const holder = await connect(database.ownerUrl, 60_000);
  await holder.query(`BEGIN; ${lock}`);
  return async () => {
    await holder.query('COMMIT');
    await holder.end();
  };
}

async function open(made: Promise<TestDatabase>): Promise<void> {
  database = await made;
  owner = await connect(database.ownerUrl, 60_000);
}

beforeEach(() => {
  [reported, finished] = [[], []];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((online) => online.stop()));
  await owner.end();
  await Promise.all([database.drop(), folder.drop()]);
});

describe('online migrations', () => {
  beforeEach(async () => {
    await open(blankDatabase());
    folder = await migrationFolder();
    await folder.write(
      '1_first',
      TABLES.map((table) => `CREATE TABLE ${table} (word text); INSERT INTO ${table} SELECT n::text FROM generate_series(1, 100) AS n;`).join('\n'),
    );
    await start();
  });

  const INDEXES = `-- online
-- min build: 1_first

${TABLES.map((table) => `-- An index of the table ${table}.\nCREATE INDEX CONCURRENTLY ${table}_by_word ON ${table} (word);`).join('\n\n')}
`;
  const BUILT = TABLES.map((table) => ({ name: `${table}_by_word`, valid: true })).sort((a, b) => (a.name < b.name ? -1 : 1));

  it('are left to the time after the start, and run once', async () => {
    await folder.write('2_indexes', INDEXES);
    expect(await start()).toEqual([]);
    expect(await indexes()).toEqual([]);
    expect(await process().round()).toBe(true);
    expect(await indexes()).toEqual(BUILT);
    expect(await records()).toEqual([expect.anything(), { name: '2_indexes', steps: 3, finished: true }]);
    expect(await process().round()).toBe(true);
    expect(finished).toEqual(['Online migration 2_indexes is finished.']);
  });

  it('are continued by another process after a kill at any statement; an index that was being built is built again', async () => {
    await folder.write('2_indexes', INDEXES);
    for (const [done, table] of TABLES.entries()) {
      const release = await holding(`INSERT INTO ${table} VALUES ('open')`);
      const round = process().round();
      round.catch(() => undefined);
      const pid = await blocked();
      const building = expect.arrayContaining([{ name: `${table}_by_word`, valid: false }]);
      expect(await indexes()).toEqual(building);
      await owner.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
      await expect(round).rejects.toThrow();
      expect(await indexes()).toEqual(building);
      expect(await records()).toEqual([expect.anything(), { name: '2_indexes', steps: done, finished: false }]);
      await release();
    }
    expect(await process().round()).toBe(true);
    expect(await indexes()).toEqual(BUILT);
    expect(await records()).toEqual([expect.anything(), { name: '2_indexes', steps: 3, finished: true }]);
  });

  it('that were done but not recorded are not done again', async () => {
    await folder.write('2_indexes', INDEXES);
    await owner.query('CREATE INDEX one_by_word ON one (word)');
    const [before] = await rows(`SELECT 'one_by_word'::regclass::oid AS oid`);
    expect(await process().round()).toBe(true);
    expect(await rows(`SELECT 'one_by_word'::regclass::oid AS oid`)).toEqual([before]);
    expect(await indexes()).toEqual(BUILT);
  });

  it('run in one of two processes; the other one looks again, and takes over when that one is gone', async () => {
    await folder.write('2_indexes', `-- online\n\nINSERT INTO one VALUES ('counted');\n\n${INDEXES}`);
    const release = await holding(`INSERT INTO two VALUES ('open')`);
    const first = process();
    first.start();
    const pid = await blocked();
    expect(await process().round()).toBe(false);
    const second = process();
    second.start();
    await first.stop();
    expect((await rows(`SELECT FROM pg_stat_activity WHERE pid = ${pid}`)).length).toBe(1); // the server still builds: nobody begins the same
    expect(await process().round()).toBe(false);
    await owner.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
    await release();
    await until('the other process has finished', async () => finished.length === 1);
    expect(await indexes()).toEqual(BUILT);
    expect(await rows(`SELECT count(*)::int AS n FROM one WHERE word = 'counted'`)).toEqual([{ n: 1 }]);
    expect(reported).toEqual([]);
  });

  it('that fail are reported and tried again', async () => {
    await folder.write('2_fails', `-- online\n\nINSERT INTO missing VALUES ('x');`);
    process().start();
    await until('the failure is reported', async () => reported.length > 1);
    expect(reported[0]).toMatch(/Statement 1 of online migration 2_fails failed: relation "missing" does not exist/);
    await owner.query('CREATE TABLE missing (word text)');
    await until('it is finished', async () => finished.length === 1);
    expect(await rows('SELECT word FROM missing')).toEqual([{ word: 'x' }]);
  });

  it('wait for locks behind which others wait for a short time only, and try again', async () => {
    await folder.write('2_column', '-- online\n\nALTER TABLE one ADD COLUMN IF NOT EXISTS length int;');
    const release = await holding('LOCK TABLE one IN ACCESS SHARE MODE');
    const round = process().round();
    await blocked();
    await until('it waits no longer', async () => (await rows(`SELECT FROM pg_locks WHERE NOT granted AND relation = 'one'::regclass`)).length === 0);
    await owner.query(`INSERT INTO one (word) VALUES ('meanwhile')`);
    await release();
    expect(await round).toBe(true);
  });

  it('repeat a statement that says so while it changes rows', async () => {
    const batch = `UPDATE one SET word = upper(word || 'a') WHERE ctid = ANY (ARRAY(SELECT ctid FROM one WHERE word NOT LIKE '%A' LIMIT 30));`;
    await folder.write('2_upper', `-- online\n\n-- repeat while it changes rows\n${batch}`);
    expect(await process().round()).toBe(true);
    expect(await rows(`SELECT count(*)::int AS n, count(DISTINCT xmin::text)::int AS transactions FROM one WHERE word LIKE '%A'`)).toEqual([
      { n: 100, transactions: 4 },
    ]);
  });

  it('are finished by a start that has a later migration to apply, and by the first start of a database', async () => {
    await folder.write('2_indexes', INDEXES);
    await folder.write('3_third', 'ALTER INDEX one_by_word RENAME TO one_by_word_and_name;');
    await folder.write('4_more', '-- online\n\nINSERT INTO one VALUES (4);');
    expect(await start()).toEqual(['2_indexes', '3_third']);
    await owner.end();
    await database.drop();
    await open(blankDatabase());
    expect(await start()).toEqual(['1_first', '2_indexes', '3_third', '4_more']);
  });

  it('leave the database to the builds that they name, before and after their end, and to no others', async () => {
    const old = await folder.copy();
    try {
      await folder.write('2_indexes', INDEXES);
      const release = await holding(`INSERT INTO two VALUES ('open')`);
      const round = process().round();
      await blocked();
      expect(await start(old)).toEqual([]);
      expect(await process(old.directory).round()).toBe(true);
      await release();
      expect(await round).toBe(true);
      expect(await start(old)).toEqual([]);
      await folder.write('3_alone', '-- online\n\nINSERT INTO one VALUES (3);');
      expect(await process().round()).toBe(true);
      await expect(start(old)).rejects.toMatchObject({
        code: 'database_newer_than_build',
        message: expect.stringContaining('needs a build with 3_alone at least'),
      });
    } finally {
      await old.drop();
    }
  });

  it('are refused when a statement is no paragraph', async () => {
    await folder.write('2_malformed', '-- online\n\nCREATE INDEX CONCURRENTLY one_by_word\n\nON one (word);');
    await expect(start()).rejects.toMatchObject({ code: 'migration_malformed', message: expect.stringContaining('2_malformed') });
  });
});

it('an index on the log that waits to be built keeps no append', async () => {
  await open(freshDatabase());
  folder = await migrationFolder(MIGRATIONS);
  const last = (await readdir(MIGRATIONS))
    .filter((name) => /^\d/.test(name))
    .sort()
    .at(-1);
  await folder.write('29990101000000_index', `-- online\n-- min build: ${last}\n\nCREATE INDEX CONCURRENTLY event_by_word ON event (tenant_id, command_id);`);
  expect(await start()).toEqual([]);
  const app = openDatabase(database.appUrl);
  try {
    const store = new PostgresEventStore(app, NO_ENCRYPTION);
    const of = ids();
    appended(await store.append(append(of, 0)));
    const release = await holding('LOCK TABLE event IN ROW EXCLUSIVE MODE'); // as an append that does not end
    const round = process().round();
    await blocked();
    for (let version = 1; version <= 20; version += 1) appended(await store.append(append(of, version)));
    expect(await indexes()).toEqual([{ name: 'event_by_word', valid: false }]);
    await release();
    expect(await round).toBe(true);
    expect(await indexes()).toEqual([{ name: 'event_by_word', valid: true }]);
    expect(await store.load(of.tenantId, of.sessionId)).toHaveLength(21);
  } finally {
    await app.close();
  }
});
