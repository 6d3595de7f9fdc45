import { randomUUID } from 'node:crypto';
import { withConnection } from '../src/platform/postgres/connect.js';
import { PostgresEventStore } from '../src/engine/store/postgres-event-store.js';
import { PostgresSearch } from '../src/features/search/postgres-search.js';
import { PostgresSessionList } from '../src/engine/store/postgres-session-list.js';
import { Database } from '../src/platform/postgres/store/prisma.js';
import type { Append } from '../src/ports/index.js';
import type { SessionProjection } from '../src/session/transcript/projection.js';
import type { BenchDatabase } from './store.js';
import { figures, percentile, table } from './report.js';
import { NO_ENCRYPTION } from '../test/support/encryption.js';

const SESSIONS = 100_000;
const TENANT = randomUUID();
const USER = randomUUID();
const QUERIES = 40;

/** One tenant with 100,000 sessions of four texts of forty words; half of them belong to one user. `common` is in every text, `often` in a tenth, `seldom` in a thousandth. */
const FILL = [
  `INSERT INTO session SELECT gen_random_uuid(), '${TENANT}', CASE WHEN n % 2 = 0 THEN '${USER}'::uuid ELSE gen_random_uuid() END, 'Session number ' || n, 'm', 'idle', 0, NULL, n % 10 = 0, now(), now() - n * interval '1 minute'
     FROM generate_series(1, ${SESSIONS}) AS n`,
  "INSERT INTO stream (session_id, tenant_id, version, head_hash, updated_at) SELECT session_id, tenant_id, 8, sha256(''), updated_at FROM session",
  `INSERT INTO session_summary SELECT session_id, tenant_id, jsonb_build_object('project', abs(hashtext(session_id::text)) % 1000), 'the first text', 4, NULL, 'the last text' FROM session`,
  `INSERT INTO search_text SELECT session_id, gen_random_uuid(), tenant_id, user_id, 'user', true, updated_at - n * interval '1 second', text,
     array_to_tsvector(ARRAY[chr(1) || 'u' || left(user_id::text, 8), chr(1) || 't' || left(tenant_id::text, 8)]) || to_tsvector('simple', text)
     FROM (SELECT s.*, n, 'common ' || CASE WHEN random() < 0.1 THEN 'often ' ELSE '' END || CASE WHEN random() < 0.001 THEN 'seldom ' ELSE '' END
       || (SELECT string_agg('word' || (random() * random() * 50000)::int, ' ') FROM generate_series(1, 38) WHERE n = n AND s.session_id IS NOT NULL) AS text
       FROM session s, generate_series(1, 4) AS n) texts`,
  `INSERT INTO search_text SELECT session_id, session_id, tenant_id, user_id, 'title', true, updated_at, title,
     array_to_tsvector(ARRAY[chr(1) || 'u' || left(user_id::text, 8), chr(1) || 't' || left(tenant_id::text, 8)]) || to_tsvector('simple', title) FROM session`,
  'VACUUM ANALYZE session, stream, session_summary, search_text',
];

export async function benchSearch(urls: BenchDatabase): Promise<void> {
  await withConnection(urls.ownerUrl, 600_000, async (client) => {
    for (const statement of FILL) await client.query(statement);
  });
  const database = new Database({ url: urls.appUrl, poolSize: 4, timeoutMs: 60_000, applicationName: 'verbatim bench' });
  try {
    const search = new PostgresSearch(database, NO_ENCRYPTION);
    const list = new PostgresSessionList(database, NO_ENCRYPTION);
    const find = (words: string, user: string | null) => () => search.find(TENANT, user, words, 20, null);
    const cases: readonly (readonly [string, () => Promise<unknown>])[] = [
      ...(['seldom', 'often', 'common', 'often seldom', '"common often"', 'common -often', 'nowhere', 'seldom or often', 'word30', '-common'] as const).flatMap(
        (words) => [[`search ${words}, tenant`, find(words, null)] as const, [`search ${words}, one user`, find(words, USER)] as const],
      ),
      ['list, tenant', () => list.list(TENANT, { userId: null, archived: false }, 50, null)],
      ['list, one user, archived', () => list.list(TENANT, { userId: USER, archived: true }, 50, null)],
      ['list, metadata of a thousandth', () => list.list(TENANT, { userId: null, archived: false, metadata: { project: 7 } }, 50, null)],
      ['list, metadata that none has', () => list.list(TENANT, { userId: null, archived: false, metadata: { project: -1 } }, 50, null)],
      ['list, title of one', () => list.list(TENANT, { userId: null, archived: false, title: 'number 777' }, 50, null)],
      ['list, title of all', () => list.list(TENANT, { userId: null, archived: false, title: 'number' }, 50, null)],
      ['list, title of none', () => list.list(TENANT, { userId: null, archived: false, title: 'nowhere' }, 50, null)],
      ['list, a model that none has', () => list.list(TENANT, { userId: null, archived: false, model: 'x' }, 50, null)],
    ];
    const rows = [];
    for (const [name, run] of cases) rows.push(figures(name, await times(run)));
    table(`Search over ${SESSIONS.toLocaleString('en')} sessions (ms; a page of 20, of the list 50)`, rows);
    const [plain, projected] = [await appends(database, null), await appends(database, 'text')];
    table('Append of one message of 1.25 KB (ms)', [
      ['without projection', `p50 ${percentile(plain, 0.5).toFixed(2)}`, '', ''],
      ['with projection', `p50 ${percentile(projected, 0.5).toFixed(2)}`, `x ${(percentile(projected, 0.5) / percentile(plain, 0.5)).toFixed(2)}`, ''],
    ]);
  } finally {
    await database.close();
  }
}

async function times(run: () => Promise<unknown>): Promise<readonly number[]> {
  const measured: number[] = [];
  await run();
  for (let round = 0; round < QUERIES; round += 1) {
    const start = performance.now();
    await run();
    measured.push(performance.now() - start);
  }
  return measured;
}

async function appends(database: Database, projects: 'text' | null): Promise<readonly number[]> {
  const store = new PostgresEventStore(database, NO_ENCRYPTION);
  const sessionId = randomUUID();
  const measured: number[] = [];
  for (let version = 0; version < 400; version += 1) {
    const given = appendOf(sessionId, version, projects !== null);
    const start = performance.now();
    await store.append(given);
    if (version >= 20) measured.push(performance.now() - start);
  }
  return measured;
}

function appendOf(sessionId: string, expectedVersion: number, projects: boolean): Append {
  const uuid = randomUUID();
  const text = `${'Where is the timeout of the connection pool configured? '.repeat(22)}${uuid}`;
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 1 };
  const conversation = { messages: 1, moved: false, firstText: text.slice(0, 200), lastText: text.slice(0, 200) };
  const projection: SessionProjection = {
    ...conversation,
    usage,
    archived: null,
    metadata: null,
    texts: [{ id: uuid, kind: 'user', text }],
    hidden: [],
    shown: [],
  };
  const message = { type: 'user' as const, uuid, parentUuid: null, timestamp: new Date().toISOString(), content: text };
  return {
    tenantId: TENANT,
    sessionId,
    expectedVersion,
    commandId: randomUUID(),
    requestHash: '00'.repeat(32),
    actor: { kind: 'user', id: USER },
    events: [{ id: randomUUID(), type: 'message.appended', data: { message, turnId: null } }],
    jobs: [],
    completedJobs: [],
    claim: null,
    dispatch: null,
    summary: { userId: USER, title: null, model: 'm', status: 'idle', queueLength: 0, turnId: null },
    ...(projects ? { projection } : {}),
  };
}
