import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { PostgresBlobs } from '../../src/platform/blobs/postgres-blobs.js';
import { PostgresUsage, totalsOf } from '../../src/features/usage/postgres-usage.js';
import type { NewEvent } from '../../packages/protocol/events/events.js';
import { append, erasureOf, type Ids } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { runs } from '../support/property-runs.js';
import { NO_ENCRYPTION } from '../support/encryption.js';

/** The definition of the totals: what is read from the sessions, files and counts themselves. */
const DEFINITION = `
  SELECT (SELECT ARRAY[coalesce(sum(prompts), 0), coalesce(sum(input_tokens + output_tokens + cache_creation_tokens), 0), coalesce(sum(cost), 0) / 1e9]::float8[]
      FROM usage WHERE tenant_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date AND ($2::uuid IS NULL OR user_id = $2) AND ($3::uuid IS NULL OR session_id = $3)) AS today,
    (SELECT count(*)::float8 FROM session s WHERE s.tenant_id = $1 AND ($2::uuid IS NULL OR s.user_id = $2)
      AND NOT EXISTS (SELECT FROM erased_session e WHERE e.tenant_id = s.tenant_id AND e.session_id = s.session_id)) AS sessions,
    (SELECT coalesce(sum(octet_length(bytes)), 0)::float8 FROM blob b WHERE b.tenant_id = $1 AND ($2::uuid IS NULL OR EXISTS (
      SELECT FROM blob_use u JOIN session s USING (tenant_id, session_id) WHERE u.tenant_id = $1 AND u.sha256 = b.sha256 AND s.user_id = $2))) AS bytes`;

const FILES = [1_000, 20_000, 300_000].map((length) => randomBytes(length));
const PLACES = 4;

type Step =
  | { readonly kind: 'begin' | 'use'; readonly place: number; readonly user: number }
  | { readonly kind: 'erase'; readonly place: number }
  | { readonly kind: 'put'; readonly place: number; readonly file: number }
  | { readonly kind: 'eraseFile'; readonly place: number; readonly file: number }
  | { readonly kind: 'share'; readonly place: number; readonly to: number }
  | { readonly kind: 'give'; readonly place: number; readonly user: number };

const place = fc.nat(PLACES - 1);
const user = fc.nat(1);
const file = fc.nat(FILES.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constantFrom('begin' as const, 'use' as const), place, user }), weight: 3 },
  fc.record({ kind: fc.constant('erase' as const), place }),
  { arbitrary: fc.record({ kind: fc.constant('put' as const), place, file }), weight: 2 },
  fc.record({ kind: fc.constant('eraseFile' as const), place, file }),
  fc.record({ kind: fc.constant('share' as const), place, to: place }),
  fc.record({ kind: fc.constant('give' as const), place, user }),
);

describe('what a tenant and its users have used and hold', () => {
  let store: PostgresStore;
  let owner: pg.Pool;
  let blobs: PostgresBlobs;
  let usage: PostgresUsage;

  beforeAll(async () => {
    store = await postgresStore();
    owner = new pg.Pool({ connectionString: store.urls.ownerUrl, max: 4 });
    blobs = new PostgresBlobs({ url: store.urls.appUrl, timeoutMs: 60_000, applicationName: 'totals spec', poolSize: 4 }, NO_ENCRYPTION);
    usage = new PostgresUsage(store.database);
  });
  afterAll(async () => {
    await Promise.all([owner.end(), blobs.close()]);
    await store.close();
  });

  /** A tenant with sessions that steps at the same time change, without knowing of each other. */
  async function tenantOf() {
    const tenantId = randomUUID();
    await owner.query('INSERT INTO tenant (tenant_id, name) VALUES ($1, $2)', [tenantId, tenantId]);
    const users = [randomUUID(), randomUUID()] as const;
    const places = Array.from({ length: PLACES }, (): Ids => ({ tenantId, sessionId: randomUUID() }));
    const shas = new Map<number, string>();
    const current = async ({ sessionId }: Ids): Promise<{ readonly version: number; readonly userId: string } | null> => {
      const { rows } = await owner.query<{ version: number; userId: string }>(
        'SELECT t.version::int, s.user_id AS "userId" FROM session s JOIN stream t USING (tenant_id, session_id) WHERE tenant_id = $1 AND session_id = $2',
        [tenantId, sessionId],
      );
      return rows[0] ?? null;
    };
    const entry = (userId: string) => ({
      userId,
      model: 'm',
      prompts: 1,
      requests: 1,
      inputTokens: 3,
      outputTokens: 5,
      cacheReadTokens: 7,
      cacheCreationTokens: 11,
      cost: 13,
    });
    /** A session with limits counts for itself, too. */
    const used = (userId: string, { sessionId }: Ids) => ({ ...entry(userId), also: [sessionId] });
    /** A conflict is an outcome like any other here: nothing is written. */
    const run = async (given: Step): Promise<void> => {
      const of = places[given.place]!;
      if (given.kind === 'begin') return void (await store.events.append(append(of, 0, { summary: { userId: users[given.user] } })));
      if (given.kind === 'put') return void shas.set(given.file, (await blobs.put(tenantId, of.sessionId, 'image/png', FILES[given.file]!)).sha256);
      if (given.kind === 'share') return blobs.share(tenantId, of.sessionId, places[given.to]!.sessionId);
      const found = await current(of);
      if (!found) return;
      const { version: before, userId } = found;
      const summary = { userId };
      if (given.kind === 'use') await store.events.append(append(of, before, { usage: [used(users[given.user]!, of)], summary }));
      if (given.kind === 'give') {
        await store.events.append(append(of, before, { grants: { ownerId: users[given.user]!, grants: new Map() }, summary }));
      }
      if (given.kind === 'erase') await store.events.append(append(of, before, { events: [erasureOf([])], erasedFiles: null, summary }));
      if (given.kind === 'eraseFile') {
        const { type, data } = erasureOf([]);
        const erasure = { type, data: { ...data, scope: 'messages' } } as unknown as NewEvent;
        await store.events.append(append(of, before, { events: [erasure], erasedFiles: [shas.get(given.file) ?? '00'], summary }));
      }
    };
    const defined = async (userId: string | null, sessionId: string | null = null) => {
      const { rows } = await owner.query<{ today: readonly number[]; sessions: number; bytes: number }>(DEFINITION, [tenantId, userId, sessionId]);
      const { today, sessions, bytes } = rows[0]!;
      return { promptsPerDay: today[0], tokensPerDay: today[1], dollarsPerDay: today[2], sessions, storageBytes: bytes };
    };
    const counted = async (userId: string) => {
      const of = [null, userId];
      const [{ used: today }, held] = [await usage.today(tenantId, of), await usage.held(tenantId, of)];
      return { tenant: { ...today[0], ...held[0] }, user: { ...today[1], ...held[1] } };
    };
    const expectSessions = async (): Promise<void> => {
      const { used: today } = await usage.today(
        tenantId,
        places.map(({ sessionId }) => sessionId),
      );
      for (const [index, { sessionId }] of places.entries()) expect(await defined(null, sessionId)).toMatchObject(today[index]!);
    };
    return { tenantId, users, run, defined, counted, expectSessions };
  }

  it('is what their sessions, files and counts add up to, after any steps at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }), async (rounds) => {
        const { users, run, defined, counted, expectSessions } = await tenantOf();
        for (const round of rounds) {
          await Promise.all(round.map(run));
          for (const userId of users) expect(await counted(userId)).toEqual({ tenant: await defined(null), user: await defined(userId) });
          await expectSessions();
        }
      }),
      runs(60),
    );
  });

  it('is counted without a wait: an append that has not ended holds up no other of its tenant and user', async () => {
    const { tenantId, users, run, defined, counted } = await tenantOf();
    const slow = await owner.connect();
    await slow.query('BEGIN');
    await slow.query(`SELECT add_to_totals($1, ARRAY['00000000-0000-0000-0000-000000000000', $2::uuid], (now() AT TIME ZONE 'UTC')::date, 1, 1, 1, 1, 1)`, [
      tenantId,
      users[0],
    ]);
    await run({ kind: 'begin', place: 0, user: 0 });
    await run({ kind: 'use', place: 0, user: 0 });
    await slow.query('ROLLBACK');
    slow.release();
    expect(await counted(users[0])).toEqual({ tenant: await defined(null), user: await defined(users[0]) });
    expect((await counted(users[0])).user).toMatchObject({ sessions: 1, promptsPerDay: 1 });
  });

  it('is read from a few rows, however many sessions there are, and no totals of days that are over are kept', async () => {
    const { tenantId, users, run } = await tenantOf();
    const day = `(now() AT TIME ZONE 'UTC')::date`;
    await owner.query(
      `INSERT INTO usage_total SELECT $1, ${day} - 10, $2, n, 1, 1, 1, 1, 1 FROM generate_series(1, 50) AS n UNION ALL SELECT gen_random_uuid(), ${day}, gen_random_uuid(), 0, 1, 1, 1, 1, 1 FROM generate_series(1, 20000)`,
      [tenantId, users[0]],
    );
    await owner.query('INSERT INTO session SELECT gen_random_uuid(), $1, $2, NULL, $3, $4, 0, NULL, false, now(), now() FROM generate_series(1, 20000)', [
      tenantId,
      users[0],
      'm',
      'idle',
    ]);
    await owner.query('VACUUM ANALYZE usage_total, session');
    await run({ kind: 'begin', place: 0, user: 0 });
    await run({ kind: 'use', place: 0, user: 0 });
    const left = await owner.query<{ days: number }>('SELECT count(*)::int AS days FROM usage_total WHERE tenant_id = $1 AND day > $2 AND day < $3', [
      tenantId,
      '-infinity',
      new Date(Date.now() - 5 * 86_400_000),
    ]);
    expect(left.rows[0]!.days).toBe(0);
    const statement = totalsOf(tenantId, [null, users[0]]);
    const { rows } = await owner.query<{ 'QUERY PLAN': readonly { readonly Plan: Record<string, number> }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`,
      [...statement.values],
    );
    const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = rows[0]!['QUERY PLAN'][0]!.Plan;
    expect(hit! + read!).toBeLessThan(20);
  });
});
