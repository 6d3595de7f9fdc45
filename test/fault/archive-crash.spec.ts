import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { AT_ONCE, archivesAt } from '../support/archives.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { openDatabase } from '../support/postgres-store.js';
import { ServerProcess } from '../support/process.js';
import { CREDENTIALS, storeAt } from '../support/s3-server.js';
import { ScriptedS3 } from '../support/scripted-s3.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

/** A function that waits for a lock of the test before the row of the archive is written. */
const HELD = `CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4714); RETURN NEW; END $$`;
const WAITING = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4714 AND NOT granted`;

describe('a process that is killed while a log is archived or comes back', () => {
  let database: TestDatabase;
  let owner: Connection;
  let s3: ScriptedS3;
  let token: string;
  let door: ServerProcess;

  beforeAll(async () => {
    database = await freshDatabase();
    owner = await connect(database.ownerUrl, 60_000);
    s3 = await ScriptedS3.start();
    token = await makeTenant(database.appUrl, 'archivist');
    door = await start({ BLOB_REMOVAL_INTERVAL_MS: '50' });
  });
  afterAll(async () => {
    await door.stop();
    await owner.end();
    await s3.stop();
    await database.drop();
  });

  const start = (more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> =>
    ServerProcess.start({ ...CREDENTIALS, DATABASE_URL: database.ownerUrl, BLOB_STORE: storeAt(s3.url), LOG_LEVEL: 'warn', ...more });

  const isArchived = async (id: string): Promise<boolean> =>
    (await owner.query('SELECT FROM log_archive WHERE session_id = $1 AND object IS NOT NULL', [id])).rowCount === 1;
  const rows = async (id: string): Promise<readonly string[]> =>
    (await owner.query<{ row: string }>('SELECT e::text AS row FROM event e WHERE session_id = $1 ORDER BY seq', [id])).rows.map(({ row }) => row);

  async function written(): Promise<string> {
    const client = door.client(token);
    const id = await client.session();
    await client.ask(id, 'hello');
    const leaves =
      'SELECT FROM stream s WHERE session_id = $1 AND version = (SELECT sum(octet_length(hashes) / 32) FROM tlog_run r WHERE r.session_id = s.session_id)';
    await until('every event is a leaf', async () => (await owner.query(leaves, [id])).rowCount === 1);
    return id;
  }
  /** The last change of the session is so many days earlier. */
  async function aged(id: string, days: number): Promise<void> {
    await owner.query('ALTER TABLE stream DISABLE TRIGGER stream_version_increases');
    for (const table of ['stream', 'session'])
      await owner.query(`UPDATE ${table} SET updated_at = updated_at - $2 * interval '1 day' WHERE session_id = $1`, [id, days]);
    await owner.query('ALTER TABLE stream ENABLE ALWAYS TRIGGER stream_version_increases');
  }

  /** The storage answers nothing of this kind until the test says so. Resolves when it is asked. */
  function silent(method: string): Promise<void> {
    return new Promise((resolve) => {
      s3.script = (request) => {
        if (request.method !== method) return null;
        resolve();
        return true;
      };
    });
  }
  async function held(event: 'INSERT' | 'UPDATE'): Promise<() => Promise<void>> {
    await owner.query(HELD);
    await owner.query(`CREATE TRIGGER a_test AFTER ${event} ON log_archive FOR EACH ROW EXECUTE FUNCTION wait_for_test()`);
    await owner.query('SELECT pg_advisory_lock(4714)');
    return async () => {
      await owner.query(`SELECT pg_terminate_backend(pid, 5000) FROM (${WAITING}) w`);
      await owner.query('SELECT pg_advisory_unlock(4714)');
      await owner.query('DROP FUNCTION wait_for_test CASCADE');
    };
  }
  const waits = () => until('it waits for its commit', async () => ((await owner.query(WAITING)).rowCount ?? 0) > 0);

  /** Everything is as it was, through the door, and no object is left that nothing names. */
  async function expectWhole(id: string, before: readonly string[]): Promise<void> {
    const client = door.client(token);
    expect(JSON.stringify(await client.messages(id))).toContain('hello');
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true, rowMatches: true });
    expect(await rows(id)).toEqual(before);
    await owner.query(`UPDATE object_removal SET due_at = now() - interval '1 minute' WHERE NOT removing`);
    await until('no object is left', async () => (await owner.query('SELECT FROM object_removal')).rowCount === 0);
    expect(s3.contents).toEqual([]);
  }

  it.each(['before the object is stored', 'before it is read back', 'before the commit'])('archiving, %s: nothing is lost', async (stage) => {
    const id = await written();
    const before = await rows(id);
    await aged(id, 3);
    const reached = stage === 'before the object is stored' ? silent('PUT') : stage === 'before it is read back' ? silent('GET') : null;
    const release = reached === null ? await held('INSERT') : null;
    const server = await start({ ARCHIVE_AFTER_DAYS: '1', ARCHIVE_INTERVAL_MS: '50' });
    await (reached ?? waits());
    await server.kill();
    await release?.();
    s3.script = () => null;
    expect(await isArchived(id)).toBe(false);
    await aged(id, -3);
    await expectWhole(id, before);
  });

  it.each(['before the object is read', 'before the commit'])('bringing a log back, %s: nothing is lost', async (stage) => {
    const id = await written();
    const before = await rows(id);
    const connection = openDatabase(database.appUrl);
    const { archives, objects } = await archivesAt(s3.url, connection);
    const { tenant_id: tenantId } = (await owner.query<{ tenant_id: string }>('SELECT tenant_id FROM session WHERE session_id = $1', [id])).rows[0]!;
    await until('it is archived', () => archives.archive(tenantId, id, AT_ONCE));
    objects.close();
    await connection.close();
    const reached = stage === 'before the object is read' ? silent('GET') : null;
    const release = reached === null ? await held('UPDATE') : null;
    const server = await start({ ROLE: 'api' });
    const read = server
      .client(token)
      .get(`/v1/sessions/${id}/messages`)
      .catch(() => null);
    await (reached ?? waits());
    await server.kill();
    await read;
    await release?.();
    s3.script = () => null;
    expect(await isArchived(id)).toBe(true);
    await expectWhole(id, before);
  });
});
