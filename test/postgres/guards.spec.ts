import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { applyMigrations } from '../../src/platform/postgres/migrations/migrate.js';
import { SCHEMA_FOLDERS } from '../../src/schema-folders.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { runs } from '../support/property-runs.js';

/** What keeps recorded rows and tenants as they are, taken away by the owner of the database in every way, and found and put back. */
let database: TestDatabase;
let owner: Client;
let app: Client;

beforeAll(async () => {
  database = await freshDatabase();
  [owner, app] = await Promise.all([connect(database.ownerUrl, 60_000), connect(database.appUrl, 60_000)]);
});
afterAll(async () => {
  await Promise.all([owner.end(), app.end()]);
  await database.drop();
});

interface Missing {
  readonly of_table: string;
  readonly problem: string;
  readonly mend: string | null;
}

const missing = async (by: Client = owner): Promise<readonly Missing[]> => (await by.query<Missing>('SELECT * FROM missing_guards()')).rows;

async function start(): Promise<readonly string[]> {
  const lines: string[] = [];
  await applyMigrations(database.ownerUrl, SCHEMA_FOLDERS.migrations, undefined, { functions: SCHEMA_FOLDERS.functions, report: (line) => lines.push(line) });
  return lines;
}

/** Triggers, policies, row level security and rights, as the catalogue has them. */
async function catalogue(): Promise<unknown> {
  const { rows } = await owner.query(
    `SELECT 'trigger' AS kind, tgrelid::regclass::text AS "table", pg_get_triggerdef(oid) || ' ' || tgenabled::text AS is FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL SELECT 'policy', polrelid::regclass::text, polname || ' ' || polcmd::text || polpermissive::text || polroles::regrole[]::text || pg_get_expr(polqual, polrelid) FROM pg_policy
     UNION ALL SELECT 'table', oid::regclass::text, relkind::text || relpersistence::text || relrowsecurity::text || coalesce(relacl::text, '') FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
     UNION ALL SELECT 'columns', attrelid::regclass::text, attname || attacl::text FROM pg_attribute WHERE attacl IS NOT NULL AND attrelid >= 16384
     ORDER BY 1, 2, 3`,
  );
  return rows;
}

describe('a database as the migrations make it', () => {
  it('has all of its guards, says so to the role of the application, and a start changes nothing', async () => {
    const before = await catalogue();
    expect(await missing()).toEqual([]);
    expect(await missing(app)).toEqual([]);
    expect(await start()).toEqual([]);
    expect(await catalogue()).toEqual(before);
  });

  it('has no trigger and no policy that would not be missed', async () => {
    const { rows } = await owner.query<{ drop: string; name: string }>(
      `SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) AS drop, 'the trigger ' || tgname || ' is missing' AS name FROM pg_trigger
         WHERE NOT tgisinternal AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
       UNION ALL SELECT format('DROP POLICY %I ON %s', polname, polrelid::regclass), 'the policy ' || polname || ' is missing' FROM pg_policy
       UNION ALL SELECT format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY', oid::regclass), 'row level security is off' FROM pg_class WHERE relrowsecurity`,
    );
    await owner.query('BEGIN');
    for (const { drop } of rows) await owner.query(drop);
    const problems = (await missing()).map(({ problem }) => problem);
    await owner.query('ROLLBACK');
    expect(problems.sort()).toEqual(rows.map(({ name }) => name).sort());
  });
});

/** Each of them on `t`, one of the tables; the words of what is found. */
const DAMAGES: readonly { readonly name: string; readonly sql: (table: string) => string; readonly found: RegExp; readonly on?: readonly string[] }[] = [
  {
    name: 'all triggers are enabled again, as after a restore of rows',
    sql: (t) => `ALTER TABLE ${t} DISABLE TRIGGER USER; ALTER TABLE ${t} ENABLE TRIGGER USER`,
    found: /not ENABLE ALWAYS$/,
  },
  { name: 'triggers are disabled', sql: (t) => `ALTER TABLE ${t} DISABLE TRIGGER USER`, found: /disabled$/ },
  { name: 'a trigger is gone', sql: (t) => `DROP TRIGGER ${t}_no_truncate ON ${t}`, found: /missing$/ },
  {
    name: 'a trigger is another one of the same name',
    sql: (t) =>
      `CREATE OR REPLACE TRIGGER ${t}_no_truncate BEFORE TRUNCATE ON ${t} FOR EACH STATEMENT EXECUTE FUNCTION suppress_redundant_updates_trigger(); ALTER TABLE ${t} ENABLE ALWAYS TRIGGER ${t}_no_truncate`,
    found: /another one$/,
  },
  { name: 'the application gets all rights', sql: (t) => `GRANT ALL ON ${t} TO verbatim_app`, found: /^verbatim_app may [a-z]+$/ },
  {
    name: 'every role gets a right to a column',
    sql: (t) => `GRANT UPDATE (${t === 'tlog_anchor' ? 'size' : 'tenant_id'}) ON ${t} TO PUBLIC`,
    found: /^every role may update$/,
    on: ['event', 'receipt', 'tlog_run', 'tlog_anchor', 'memory_change'],
  },
  {
    name: 'row level security is off',
    sql: (t) => `ALTER TABLE ${t} DISABLE ROW LEVEL SECURITY`,
    found: /^row level security is off$/,
    on: ['event', 'receipt', 'tlog_run', 'session', 'blob'],
  },
  { name: 'the policy is gone', sql: (t) => `DROP POLICY one_tenant ON ${t}`, found: /policy one_tenant is missing$/, on: ['event', 'session', 'search_text'] },
  {
    name: 'the policy shows everything',
    sql: (t) => `ALTER POLICY one_tenant ON ${t} USING (true)`,
    found: /policy one_tenant is another one$/,
    on: ['event', 'session', 'search_text'],
  },
];
const RECORDED = [
  'event',
  'receipt',
  'tlog_run',
  'tlog_tile',
  'tlog_checkpoint',
  'tlog_anchor',
  'memory_change',
  'thread_answer',
  'tenant_setting_change',
  'tenant_handover',
];

describe('guards that are gone', () => {
  it('are named, also to the application, and the next start says it and puts them back as they were, whatever was done to how many tables', async () => {
    const before = await catalogue();
    const damage = fc.nat(DAMAGES.length - 1).chain((index) => fc.tuple(fc.constant(DAMAGES[index]!), fc.constantFrom(...(DAMAGES[index]!.on ?? RECORDED))));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(damage, { minLength: 1, maxLength: 4, selector: ([, table]) => table }), async (damages) => {
        for (const [{ sql }, table] of damages) await owner.query(sql(table));
        const found = await missing(app);
        for (const [{ found: words }, table] of damages)
          expect(found.filter(({ of_table, problem }) => of_table === table && words.test(problem))).not.toEqual([]);
        expect(new Set(found.map(({ of_table }) => of_table))).toEqual(new Set(damages.map(([, table]) => table)));
        const lines = await start();
        expect(lines).toHaveLength(found.length);
        for (const line of lines) expect(line).toMatch(/it is put back\.$/);
        expect(await missing()).toEqual([]);
        expect(await catalogue()).toEqual(before);
      }),
      runs(12),
    );
  });
});

describe('what a start cannot put back', () => {
  afterEach(async () => {
    await owner.query(
      'ALTER TABLE receipt SET LOGGED; DROP RULE IF EXISTS swallowed ON event; DROP POLICY IF EXISTS more ON event; DROP TABLE IF EXISTS elsewhere',
    );
  });

  it.each([
    [
      'rows of another table are read with it',
      'CREATE TABLE elsewhere () INHERITS (event)',
      'event',
      'the rows of elsewhere are read with it, which has none of its guards',
    ],
    [
      'a rule changes statements',
      'CREATE RULE swallowed AS ON INSERT TO event DO INSTEAD NOTHING',
      'event',
      'the rule swallowed changes what statements do to it',
    ],
    ['another policy shows more', 'CREATE POLICY more ON event TO verbatim_app USING (true)', 'event', "the policy more shows more than one tenant's rows"],
    ['its rows do not survive a crash', 'ALTER TABLE receipt SET UNLOGGED', 'receipt', 'it is no ordinary table whose rows survive a crash'],
  ])('is named, and the server is started: %s', async (_, sql, table, problem) => {
    await owner.query(sql);
    expect(await missing(app)).toEqual([{ of_table: table, problem, mend: null }]);
    expect(await start()).toEqual([expect.stringContaining(`${table} is not as it was made: ${problem}; this needs a person`)]);
  });

  it('is a part of a partitioned table as well', async () => {
    await owner.query('BEGIN');
    await owner.query(
      'CREATE TABLE whole (LIKE event) PARTITION BY HASH (session_id); ALTER TABLE event ALTER position DROP IDENTITY; ALTER TABLE whole ATTACH PARTITION event FOR VALUES WITH (MODULUS 1, REMAINDER 0)',
    );
    const found = await missing();
    await owner.query('ROLLBACK');
    expect(found.map(({ problem }) => problem)).toContain('it is a part of whole, through which its rows can be reached');
  });
});

describe('recorded rows', () => {
  beforeEach(() => owner.query('BEGIN'));
  afterEach(() => owner.query('ROLLBACK'));

  it.each(RECORDED)('of %s cannot be emptied under session_replication_role = replica', async (table) => {
    await owner.query('SET LOCAL session_replication_role = replica');
    await expect(owner.query(`TRUNCATE ${table} CASCADE`)).rejects.toMatchObject({ code: 'VB001' });
  });
});
