import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { globSync } from 'tinyglobby';
import { Prisma } from '../../src/generated/prisma/client.js';
import { FilledStore, SESSION, TENANT, USER } from '../support/filled-store.js';
import { BOUNDS, ONE, REMEMBERS, type Statement, TEXTS } from '../support/exported-statements.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Every statement that `src` exports, as a function or as a text, with what the planner may expect it to cost, in its own units (a page read in order is 1), and
 * how many rows of tables it may read, also inside of functions. A scan of any table of the filled store costs more than most may.
 */
let filled: FilledStore;

beforeAll(async () => {
  filled = await FilledStore.open();
  await filled.owner.query(
    `INSERT INTO outbox (queue, job_id, payload, tenant_id, turn_id) SELECT 'turns', gen_random_uuid(), '{}', '${TENANT}', gen_random_uuid() FROM generate_series(1, 20000)`,
  );
  await filled.owner.query(
    `INSERT INTO usage_total SELECT '${TENANT}', current_date - n % 2, CASE WHEN n < 2 THEN '${USER}' ELSE gen_random_uuid() END, 0, 1, 1, 1, 1, 1 FROM generate_series(0, 20000) AS n`,
  );
  await filled.owner.query(
    `INSERT INTO tlog_run SELECT n, CASE n % 100 WHEN 0 THEN '${TENANT}'::uuid ELSE gen_random_uuid() END, CASE n % 1000 WHEN 0 THEN '${SESSION}'::uuid ELSE gen_random_uuid() END, n + 1, sha256('') FROM generate_series(0, 20000) AS n`,
  );
  await filled.owner.query(`INSERT INTO tlog_checkpoint SELECT n, sha256(''), 'note', 'key', '3', n FROM generate_series(1, 20000) AS n`);
  await filled.owner.query(`INSERT INTO tlog_anchor SELECT n, 'file', CASE n % 2 WHEN 0 THEN 'receipt' END FROM generate_series(1, 19999) AS n`);
  await filled.owner.query(`INSERT INTO blob SELECT '${TENANT}', sha256(n::text::bytea), 'image/png', '' FROM generate_series(1, 20000) AS n`);
  await filled.owner.query(
    `INSERT INTO blob_use SELECT '${TENANT}', CASE WHEN n <= 3 THEN '${SESSION}'::uuid ELSE gen_random_uuid() END, sha256(n::text::bytea) FROM generate_series(1, 20000) AS n`,
  );
  await filled.owner.query(`INSERT INTO app_user (tenant_id, user_id, name) VALUES ('${TENANT}', '${REMEMBERS.userId}', 'u')`);
  // 20 files with 1,000 versions each.
  await filled.owner.query(
    `INSERT INTO memory_change (tenant_id, user_id, version, file_id, body, session_id, call_id, changed_by)
     SELECT '${TENANT}', '${REMEMBERS.userId}', n, lpad((n % 20)::text, 32, '0')::uuid, '{}', '${SESSION}', n, '${USER}' FROM generate_series(1, 20000) AS n`,
  );
  await filled.owner.query(
    `INSERT INTO thread_answer (tenant_id, user_id, answer_id, request_id, session_id)
     SELECT '${TENANT}', '${REMEMBERS.userId}', CASE WHEN n % 2 = 0 THEN 'msg_' || n ELSE 'history ' || n % 100 END, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN '${SESSION}'::uuid ELSE gen_random_uuid() END FROM generate_series(1, 20000) AS n`,
  );
  // Events of each kind of the activity, links and erasures.
  await filled.owner.query(`ALTER TABLE event DISABLE TRIGGER USER`);
  await filled.owner.query(
    `INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
     SELECT gen_random_uuid(), 1, '${TENANT}', gen_random_uuid(), gen_random_uuid(), t.type, 1, '{"kind":"user","id":"x"}', '{}', uuid_send(gen_random_uuid()), sha256(''), sha256(''), now() - n * interval '1 second'
     FROM unnest(ARRAY['content.erased', 'hold.placed', 'hold.released', 'session.granted', 'session.grant_revoked', 'glass.broken']) AS t(type), generate_series(1, 2000) AS n`,
  );
  await filled.owner.query(`ALTER TABLE event ENABLE ALWAYS TRIGGER event_immutable, ENABLE ALWAYS TRIGGER event_no_truncate`);
  await filled.owner.query(
    `INSERT INTO session_link (link_id, token_hash, tenant_id, session_id, created_by, created_at, expires_at, revoked_at)
     SELECT gen_random_uuid(), sha256(n::text::bytea), '${TENANT}', '${SESSION}', '${USER}', now() - n * interval '1 second', now(), CASE WHEN n % 2 = 0 THEN now() - n * interval '1 second' END FROM generate_series(1, 20000) AS n`,
  );
  await filled.owner.query(
    `INSERT INTO user_erasure (erasure_id, tenant_id, user_id, requested_by, started_at, ended_at) SELECT gen_random_uuid(), '${TENANT}', gen_random_uuid(), '${USER}', now() - n * interval '1 second', now() FROM generate_series(1, 20000) AS n`,
  );
  await filled.owner.query('VACUUM ANALYZE event, session_link, user_erasure');
  await filled.owner.query('VACUUM ANALYZE memory_change, thread_answer, outbox, usage_total, tlog_run, tlog_checkpoint, tlog_anchor, blob, blob_use');
});
afterAll(() => filled.close());

const TEXT = /^export const (\w+)(?:: [^=]+)? =\s*(?:(?:Prisma\.)?sql)?(?:[`'"]\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b)/gm;
const BUILDER = /^export function (\w+)\((?:[^)]|\)(?!: ))*\): (?:readonly )?Prisma\.Sql\b/gm;

it('each exported statement has a bound', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT, absolute: true, ignore: ['**/*.spec.ts', 'src/generated/**'] });
  const namesOf = (what: RegExp): readonly string[] =>
    files.flatMap((file) => Array.from(readFileSync(file, 'utf8').matchAll(what), ([, name]) => name!)).toSorted();
  expect(namesOf(BUILDER)).toEqual(Object.keys(BOUNDS).toSorted());
  expect(namesOf(TEXT)).toEqual(Object.keys(TEXTS).toSorted());
});

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Total Cost': number } }];
}

async function measured(statement: Statement) {
  const [explained] = (await filled.asTenant({ text: `EXPLAIN (FORMAT JSON) ${statement.text}`, values: statement.values })) as readonly Explained[];
  let result: readonly object[] = [];
  const rows = await filled.touched(null, async () => (result = await filled.asTenant(statement)));
  return { cost: explained!['QUERY PLAN'][0].Plan['Total Cost'], rows, result };
}

describe('the statement', () => {
  it.each([...Object.entries(BOUNDS), ...Object.entries(TEXTS)])('%s stays within its bound', async (_, { of, ...bound }) => {
    const { cost, rows, result } = await measured(of());
    expect(result.filter((row) => 'outcome' in row && row.outcome !== 'appended')).toEqual([]); // a rejected append reads less
    expect(cost).toBeLessThanOrEqual(bound.cost);
    expect(rows).toBeLessThanOrEqual(bound.rows);
  });

  it('that scans the smallest table exceeds the bound of a lookup', async () => {
    const { cost, rows } = await measured(Prisma.sql`SELECT * FROM app_user WHERE name = 'nobody'`);
    expect(cost).toBeGreaterThan(ONE.cost);
    expect(rows).toBeGreaterThan(ONE.rows);
  });
});
