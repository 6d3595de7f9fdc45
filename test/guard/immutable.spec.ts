import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, escapeIdentifier } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { append, ids, job, numbered } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';

/** SQLSTATEs with which statements must fail, as the application and as the owner. Each runs in a transaction that is rolled back. */
const NOT_PERMITTED = '42501';
const REJECTED = 'VB001';

let store: PostgresStore;
let app: Client;
let owner: Client;
const of = ids();

beforeAll(async () => {
  store = await postgresStore();
  [app, owner] = await Promise.all([connect(store.urls.appUrl, 60_000), connect(store.urls.ownerUrl, 60_000)]);
  await store.events.append(append(of, 0, { events: numbered(3), jobs: [job(of)] }));
});
afterAll(async () => {
  await Promise.all([app.end(), owner.end()]);
  await store.close();
});

/** Returns the SQLSTATE of the failure, or `done`. */
async function attempt(client: Client, ...statements: readonly string[]): Promise<string> {
  await client.query('BEGIN');
  try {
    for (const statement of statements) await client.query(statement);
    return 'done';
  } catch (error) {
    return (error as { readonly code: string }).code;
  } finally {
    await client.query('ROLLBACK');
  }
}

const COPY_OF_EVENT = `INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
  SELECT session_id, 4, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at FROM event LIMIT 1`;

describe('the application', () => {
  const forbidden = [
    COPY_OF_EVENT,
    `UPDATE event SET data = '{}'`,
    `UPDATE event SET hash = hash`,
    'DELETE FROM event',
    'TRUNCATE event',
    'DROP TABLE event',
    'ALTER TABLE event DISABLE TRIGGER event_immutable',
    'ALTER TABLE event DISABLE TRIGGER ALL',
    'DROP TRIGGER event_immutable ON event',
    'ALTER TABLE event ADD COLUMN extra int',
    `INSERT INTO stream SELECT gen_random_uuid(), tenant_id, version, head_hash, updated_at FROM stream`,
    'UPDATE stream SET version = version + 1',
    'DELETE FROM stream',
    'TRUNCATE stream',
    `INSERT INTO receipt SELECT tenant_id, gen_random_uuid(), salt, request_digest, session_id, first_seq, last_seq, created_at FROM receipt`,
    'UPDATE receipt SET last_seq = 1',
    'DELETE FROM receipt',
    'TRUNCATE receipt',
    `UPDATE session SET title = 'another'`,
    'DELETE FROM session',
    `INSERT INTO outbox (tenant_id, turn_id, queue, job_id, payload) VALUES (gen_random_uuid(), gen_random_uuid(), 'turns', 'x', '{}')`,
    `UPDATE outbox SET payload = '{}'`,
    'UPDATE outbox SET not_before = now()',
    'DELETE FROM outbox',
    'DELETE FROM blob_use',
    'DELETE FROM tenant_setting',
    `UPDATE tenant SET name = 'another'`,
    'DELETE FROM tenant',
    'DELETE FROM app_user',
    `UPDATE api_token SET role = 'admin'`,
    `UPDATE api_token SET expires_at = NULL`,
    'DELETE FROM api_token',
    'CREATE TEMP TABLE temporary (id int)',
    'SELECT lo_create(0)',
    `SELECT lo_from_bytea(0, 'x')`,
    `UPDATE blob SET bytes = ''`,
    'DELETE FROM blob',
    'CREATE TABLE mine (id int)',
    'CREATE FUNCTION sha256(text) RETURNS bytea LANGUAGE sql AS $$ SELECT NULL::bytea $$',
    `CREATE OR REPLACE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$`,
    'SET session_replication_role = replica',
    'SET ROLE postgres',
  ];
  it.each(forbidden)('may not %s', async (statement) => {
    expect(await attempt(app, statement)).toBe(NOT_PERMITTED);
  });

  it.each(['SELECT * FROM event', 'SELECT * FROM stream', 'SELECT * FROM receipt', 'SELECT * FROM session', 'SELECT * FROM outbox'])(
    'may %s',
    async (statement) => {
      expect(await attempt(app, statement)).toBe('done');
    },
  );

  it('cannot hide the tables of append_events with temporary tables, even if it may create them', async () => {
    await owner.query(`GRANT TEMPORARY ON DATABASE ${escapeIdentifier(new URL(store.urls.ownerUrl).pathname.slice(1))} TO verbatim_app`);
    await app.query('CREATE TEMP TABLE receipt (LIKE receipt); CREATE TEMP TABLE event (LIKE event)');
    const before = await owner.query('SELECT count(*)::int AS count FROM public.event');
    const other = ids();
    await app.query(
      `SELECT * FROM append_events($1, $2, 0, gen_random_uuid(), sha256(''), '{}', ARRAY[gen_random_uuid()], ARRAY['session.closed'], ARRAY[1], ARRAY['{}'],
        '[]', '{}', NULL, NULL, gen_random_uuid(), NULL, 'm', 'idle', 0, NULL)`,
      [other.tenantId, other.sessionId],
    );
    const after = await owner.query('SELECT count(*)::int AS count FROM public.event');
    expect(after.rows[0].count).toBe(before.rows[0].count + 1);
  });

  it('cannot append under an isolation level that hides concurrent commits', async () => {
    const call = `SELECT append_events('${of.tenantId}', '${of.sessionId}', 3, gen_random_uuid(), sha256(''), '{}', ARRAY[gen_random_uuid()], ARRAY['x'], ARRAY[1], ARRAY['{}'],
      '[]', '{}', NULL, NULL, gen_random_uuid(), NULL, 'm', 'idle', 0, NULL)`;
    expect(await attempt(app, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', call)).toBe('VB002');
    expect(await attempt(app, 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE', call)).toBe('VB002');
    expect(await attempt(app, call)).toBe('done');
  });
});

describe('the owner', () => {
  const rejected = [
    `UPDATE event SET data = '{}'`,
    'UPDATE event SET hash = hash',
    'DELETE FROM event',
    'TRUNCATE event',
    'UPDATE receipt SET last_seq = 1',
    'TRUNCATE receipt',
    // Of the session with several events: 0 would be rejected by the constraint on the column.
    `UPDATE stream SET version = version - 1 WHERE session_id = '${of.sessionId}'`,
    'UPDATE stream SET version = version',
    'UPDATE stream SET version = version + 1, session_id = gen_random_uuid()',
    'UPDATE stream SET version = version + 1, tenant_id = gen_random_uuid()',
    `UPDATE stream SET head_hash = sha256('')`,
    'DELETE FROM stream',
    'TRUNCATE stream',
  ];
  it.each(rejected)('may not %s', async (statement) => {
    expect(await attempt(owner, statement)).toBe(REJECTED);
  });
  it.each(rejected)('may not, as a replica: %s', async (statement) => {
    expect(await attempt(owner, 'SET session_replication_role = replica', statement)).toBe(REJECTED);
  });

  it('cannot change a revocation', async () => {
    const revoked = `INSERT INTO tenant (tenant_id, name) VALUES ('${of.tenantId}', 't'); INSERT INTO app_user (tenant_id, user_id, name) VALUES ('${of.tenantId}', '${of.tenantId}', 'u');
      INSERT INTO api_token (token_id, token_hash, tenant_id, user_id, role, revoked_at) VALUES (gen_random_uuid(), sha256('t'), '${of.tenantId}', '${of.tenantId}', 'member', now())`;
    for (const value of ['NULL', `now() + interval '1 hour'`])
      expect(await attempt(owner, revoked, `UPDATE api_token SET revoked_at = ${value}`)).toBe(REJECTED);
  });

  it('may prune receipts', async () => {
    expect(await attempt(owner, 'DELETE FROM receipt')).toBe('done');
  });
});

it('leaves the log unchanged', async () => {
  expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ events: 3, valid: true });
});
