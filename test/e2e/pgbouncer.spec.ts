import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { prepareDatabase } from '../../src/platform/postgres/prepare-database.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { describeWith, PGBOUNCER } from '../support/needs.js';
import { PgBouncer } from '../support/pgbouncer.js';
import { startTestServer, type TestServer } from '../support/server.js';

const POOL_SIZE = 5;

describeWith(PGBOUNCER)('the server with its logins through PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let bouncer: PgBouncer;
  let server: TestServer;

  beforeAll(async () => {
    database = await freshDatabase();
    bouncer = await PgBouncer.start(database.appUrl, POOL_SIZE);
    server = await startTestServer({ DATABASE_APP_URL: bouncer.url, DATABASE_TIMEOUT_MS: '30000', TURN_DISPATCH: 'queue' }, database);
  });
  afterAll(async () => {
    await server?.stop();
    await bouncer?.stop();
    await database?.drop();
  });

  it('completes prompts of many sessions at once, and streams them', async () => {
    const { client } = server;
    const sessions = await Promise.all(Array.from({ length: 4 * POOL_SIZE }, () => client.session()));
    await Promise.all(
      sessions.map(async (id) => {
        const stream = await client.stream(id);
        const { promptId } = (await client.prompt(id, '{{slow 5}}{{long 30}}')).body;
        await stream.untilType('message.delta');
        await stream.untilType('turn.completed');
        stream.close();
        await expectNothingLost(client, id, [promptId]);
      }),
    );
  });

  it('shows each statement the rows of its tenant, however connections are shared', async () => {
    const tenants = [server.client, await server.tenant('second')];
    const ids = await Promise.all(tenants.map(async (client) => (await client.get('/v1/me')).body.tenantId as string));
    const connection = new Database({ url: bouncer.url, poolSize: 4 * POOL_SIZE, timeoutMs: 30_000, applicationName: 'verbatim test' });
    try {
      const seen = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const none = connection.run((client) => client.$queryRaw<object[]>`SELECT tenant_id::text AS id FROM tenant`);
          const id = ids[index % 2]!;
          return [id, await connection.inTenant(id, (client) => client.$queryRaw<object[]>`SELECT tenant_id::text AS id FROM tenant`), await none];
        }),
      );
      for (const [id, mine, none] of seen) expect([mine, none]).toEqual([[{ id }], []]);
    } finally {
      await connection.close();
    }
  });

  it('leaves no setting on a session of the server, where statements of others would have it', async () => {
    const { client } = server;
    const id = await client.session();
    for (let turn = 0; turn < 3; turn += 1) await client.ask(id, 'through the queue');
    const pool = new pg.Pool({ connectionString: bouncer.url, max: 2 * POOL_SIZE });
    try {
      const looks = Array.from({ length: 10 * POOL_SIZE }, () =>
        pool.query<{ name: string }>(
          `SELECT name FROM pg_settings WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings')`,
        ),
      );
      expect((await Promise.all(looks)).flatMap(({ rows }) => rows)).toEqual([]);
    } finally {
      await pool.end();
    }
  });

  it('keeps the time limits on the server, as settings of the role', async () => {
    const connection = new Database({ url: bouncer.url, poolSize: 1, timeoutMs: 30_000, applicationName: 'verbatim test' });
    try {
      const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'jit'];
      const rows = await connection.run(
        (client) => client.$queryRaw<{ value: string }[]>`SELECT current_setting(name) AS value FROM unnest(${names}::text[]) AS name`,
      );
      expect(rows.map(({ value }) => value)).toEqual(['30s', '15s', '30s', 'off']);
    } finally {
      await connection.close();
    }
  });
});

describeWith(PGBOUNCER)('a start with DATABASE_URL through PgBouncer', () => {
  let database: TestDatabase;
  let bouncer: PgBouncer | undefined;

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterEach(() => bouncer?.stop());
  afterAll(() => database?.drop());

  const prepare = async (): Promise<unknown> => {
    const limits = { waitMs: 60_000, statementTimeoutMs: 20_000, setupTimeoutMs: 60_000 };
    return prepareDatabase({ ownerUrl: bouncer!.url, appUrl: database.appUrl, migrations: await mkdtemp(path.join(tmpdir(), 'verbatim-none-')), ...limits });
  };

  it.each([
    ['one session', 1, []],
    ['several sessions', POOL_SIZE, []],
    ['sessions in turn', POOL_SIZE, ['server_round_robin = 1', 'min_pool_size = 3']],
    ['sessions that are reset', POOL_SIZE, ['server_reset_query_always = 1']],
  ] as const)('is refused where clients share %s', async (_, size, settings) => {
    bouncer = await PgBouncer.start(database.ownerUrl, size, 'transaction', ...settings);
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(prepare()).rejects.toMatchObject({ code: 'database_pooled' });
  });

  it('continues where each client has a session', async () => {
    bouncer = await PgBouncer.start(database.ownerUrl, POOL_SIZE, 'session');
    // The migrations of this test are none, and the database has one.
    await expect(prepare()).rejects.toMatchObject({ code: 'database_newer_than_build' });
  });
});
