import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { hits, type Scope, sessions } from '../../src/engine/store/list-statements.js';
import { PostgresSearch } from '../../src/features/search/postgres-search.js';
import { PostgresSessionList } from '../../src/engine/store/postgres-session-list.js';
import type { SessionFilter } from '../../src/ports/index.js';
import { Prisma } from '../../src/generated/prisma/client.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { NO_ENCRYPTION } from '../support/encryption.js';

/** What a search and a filtered list find among 12,000 sessions of a tenant and as many of others, and how many rows they read. Every session has one text and a title. */
const TENANT = randomUUID();
const USER = randomUUID();
const SESSIONS = 12_000;
const RARE = 3_000;

const WORDS = "array_to_tsvector(ARRAY[chr(1) || 'u' || left(user_id::text, 8), chr(1) || 't' || left(tenant_id::text, 8)]) || to_tsvector('simple', text)";
const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const ID = "('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid";
const FILL = [
  `INSERT INTO session SELECT ${ID}, '${TENANT}', CASE WHEN n % 2 = 0 THEN '${USER}'::uuid ELSE gen_random_uuid() END,
     'every title' || CASE WHEN n % ${RARE} = 0 THEN ' rarely' ELSE '' END, 'm', 'idle', 0, NULL, false, now(), now() - n * interval '1 minute'
     FROM generate_series(1, ${SESSIONS}) AS n`,
  `INSERT INTO session_summary SELECT session_id, tenant_id, jsonb_build_object('rare', title LIKE '%rarely'), NULL, 1, NULL, NULL FROM session`,
  `INSERT INTO search_text SELECT session_id, CASE kind WHEN 'title' THEN session_id ELSE gen_random_uuid() END, tenant_id, user_id, kind, true, updated_at, text, ${WORDS}
     FROM (SELECT s.*, kind, CASE kind WHEN 'title' THEN title ELSE 'common ' || CASE WHEN title LIKE '%rarely' THEN 'seldom' ELSE '' END END AS text
       FROM session s, unnest(ARRAY['title', 'user']) AS kind) texts`,
  `INSERT INTO session SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'foreign rarely', 'm', 'idle', 0, NULL, false, now(), now() FROM generate_series(1, ${SESSIONS}) AS n`,
  `INSERT INTO session_summary SELECT session_id, tenant_id, '{"rare":true}', NULL, 1, NULL, NULL FROM session WHERE title = 'foreign rarely'`,
  'VACUUM ANALYZE session, session_summary, search_text',
];

interface Node {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

let store: PostgresStore;
beforeAll(async () => {
  store = await postgresStore();
  await withConnection(store.urls.ownerUrl, 60_000, async (client) => {
    for (const statement of FILL) await client.query(statement);
  });
});
afterAll(() => store.close());

/** Rows of tables that the two statements read. */
async function rowsRead(statement: (scope: Scope) => Prisma.Sql): Promise<number> {
  const count = (node: Node): number =>
    (node['Relation Name'] === undefined ? 0 : (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']) +
    (node.Plans ?? []).reduce((sum, child) => sum + count(child), 0);
  const read = async (scope: Scope): Promise<number> => {
    const [row] = await store.database.inTenant(TENANT, (client) =>
      client.$queryRaw<{ 'QUERY PLAN': readonly { readonly Plan: Node }[] }[]>(Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${statement(scope)}`),
    );
    return count(row!['QUERY PLAN'][0]!.Plan);
  };
  return (await read('newest')) + (await read('all'));
}

const rare = [1, 2, 3, 4].map((n) => idOf(n * RARE));

describe('a search', () => {
  const cases = [
    ['seldom', rare],
    ['common seldom', rare],
    ['nowhere', []],
    ['common nowhere', []],
    ['"every title rarely"', rare],
  ] as const;

  it.each(cases)('for %s reads a bounded number of rows and finds the old texts as well', async (words, found) => {
    const search = new PostgresSearch(store.database, NO_ENCRYPTION);
    for (const [user, expected] of [
      [null, found],
      [USER, found],
      [randomUUID(), []],
    ] as const) {
      expect((await search.find(TENANT, user, words, 20, null)).data.map(({ sessionId }) => sessionId)).toEqual(expected);
      expect(await rowsRead((scope) => hits(TENANT, user, words, 'simple', 21, null, scope))).toBeLessThan(2_200);
    }
    expect((await search.find(randomUUID(), null, words, 20, null)).data).toEqual([]);
  });

  it('pages from the newest texts to the old ones, each once', async () => {
    const search = new PostgresSearch(store.database, NO_ENCRYPTION);
    const pages: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await search.find(TENANT, USER, 'seldom or rarely', 3, cursor);
      pages.push(...page.data.map(({ sessionId, kind }) => `${sessionId} ${kind}`));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect([...pages].sort()).toEqual(rare.flatMap((id) => [`${id} title`, `${id} user`]).sort());
    expect(pages.map((hit) => hit.slice(0, 36))).toEqual(rare.flatMap((id) => [id, id]));
  });
});

describe('a list', () => {
  const everything: SessionFilter = { userId: null, archived: false };
  const cases: readonly (readonly [Partial<SessionFilter>, readonly string[]])[] = [
    [{ metadata: { rare: true } }, rare],
    [{ metadata: { rare: 1 } }, []],
    [{ title: 'rarely' }, rare],
    [{ title: 'every nowhere' }, []],
    [{ title: '!!!' }, []],
    [{ title: 'every rarely', metadata: { rare: true } }, rare],
    [{ title: 'every -rarely', metadata: { rare: true } }, []],
  ];

  it.each(cases)('with %j reads a bounded number of rows and finds the old sessions as well', async (filter, found) => {
    const list = new PostgresSessionList(store.database, NO_ENCRYPTION);
    for (const userId of [null, USER]) {
      const given = { ...everything, ...filter, userId };
      expect((await list.list(TENANT, given, 20, null)).data.map(({ id }) => id)).toEqual(found);
      // Of up to 1,000 sessions, the row of the session and those of its metadata and title.
      if (filter.title !== 'every -rarely') expect(await rowsRead((scope) => sessions(TENANT, given, 21, null, 'simple', scope))).toBeLessThan(3_200);
    }
    expect((await list.list(randomUUID(), { ...everything, ...filter }, 20, null)).data).toEqual([]);
  });

  it('is searched once where the first search has looked at every row of it', async () => {
    const list = new PostgresSessionList(store.database, NO_ENCRYPTION);
    const filter: SessionFilter = { ...everything, updatedAfter: new Date(Date.now() - 60 * 60_000).toISOString(), metadata: { rare: true } };
    const [row] = await store.database.inTenant(TENANT, (client) =>
      client.$queryRaw<{ id: string | null; is_all: boolean }[]>(sessions(TENANT, filter, 21, null, 'simple', 'newest')),
    );
    expect([row!.id, row!.is_all]).toEqual([null, true]);
    expect(await list.list(TENANT, filter, 20, null)).toEqual({ data: [], nextCursor: null });
  });

  it('finds what many sessions have, page by page', async () => {
    const list = new PostgresSessionList(store.database, NO_ENCRYPTION);
    const filter = { ...everything, title: 'every', metadata: { rare: false } };
    const first = await list.list(TENANT, filter, 2, null);
    const second = await list.list(TENANT, filter, 2, first.nextCursor);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual([1, 2, 3, 4].map(idOf));
  });
});
