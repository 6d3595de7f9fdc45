import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { PostgresBlobs } from '../../src/platform/blobs/postgres-blobs.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import type { NewEvent } from '../../packages/protocol/events/events.js';
import { append, appended, closed } from '../support/appends.js';
import { expectStatus } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { dump } from '../support/dump.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { openDatabase } from '../support/postgres-store.js';
import { ServerProcess } from '../support/process.js';
import { encryptionWith } from '../support/encryption.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

describe('an erasure', () => {
  let database: TestDatabase;
  let owner: Connection;
  let token: string;

  beforeAll(async () => {
    database = await freshDatabase();
    owner = await connect(database.ownerUrl, 60_000);
    token = await makeTenant(database.appUrl, 'erasing');
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  it('of a process that is killed between two steps is finished by another process, under the same receipt', async () => {
    const environment = { DATABASE_URL: database.ownerUrl, ERASURE_BATCH_EVENTS: '2', LOG_LEVEL: 'warn' };
    const first = await ServerProcess.start(environment);
    const client = first.client(token);
    const id = await client.session({ title: 'planted title' });
    for (const text of ['planted one', 'planted two']) await client.ask(id, text);
    // The third step waits for a lock of the test.
    await owner.query(`CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$`);
    await owner.query(`CREATE TRIGGER a_test AFTER UPDATE ON event FOR EACH ROW WHEN (OLD.seq >= 6) EXECUTE FUNCTION wait_for_test()`);
    await owner.query('SELECT pg_advisory_lock(4711)');
    const lost = client.call('DELETE', `/v1/sessions/${id}?reason=asked`).then(
      () => 'answered',
      () => 'lost',
    );
    const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`;
    await until('a step waits', async () => (await owner.query(waiting)).rowCount === 1);
    await first.kill();
    expect(await lost).toBe('lost');
    // With the process its connection is gone: the step that waited is rolled back.
    await owner.query(`SELECT pg_terminate_backend(pid, 5000) FROM (${waiting}) w`);
    await owner.query('SELECT pg_advisory_unlock(4711)');
    await owner.query('DROP FUNCTION wait_for_test CASCADE');
    expect((await owner.query('SELECT is_complete FROM erased_session WHERE session_id = $1', [id])).rows).toEqual([{ is_complete: false }]);
    expect((await dump(owner)).join('\n')).toContain('planted two');

    const second = await ServerProcess.start(environment);
    try {
      const other = second.client(token);
      expect(expectStatus(await other.get(`/v1/sessions/${id}/erasures`), 200).body.data).toMatchObject([{ endedAt: null, reason: 'asked' }]);
      expectStatus(await other.prompt(id, 'in between'), 409);
      expectStatus(await other.call('DELETE', `/v1/sessions/${id}?reason=again`), 202);
      const { data } = (await other.get(`/v1/sessions/${id}/erasures`)).body;
      expect(data).toMatchObject([{ endedAt: expect.any(String), reason: 'asked' }]);
      expect((await dump(owner)).join('\n')).not.toContain('planted');
      expect((await other.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    } finally {
      await second.stop();
    }
  });

  it('of all that a user owns is shared by processes, and the part of one that is killed is taken over', async () => {
    const environment = { DATABASE_URL: database.ownerUrl, ERASURE_INTERVAL_MS: '200', ERASURE_CONCURRENCY: '2', LOG_LEVEL: 'warn' };
    const first = await ServerProcess.start(environment);
    const admin = first.client(token);
    const { token: own } = (await admin.post('/v1/tokens', { userName: 'leaver' })).body;
    const leaver = admin.as(own);
    const { userId } = (await leaver.get('/v1/me')).body;
    const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => leaver.session({ title: `planted ${n}` })));
    // One session of the first process waits for a lock of the test.
    await owner.query(`CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4712); RETURN NEW; END $$`);
    await owner.query(`CREATE TRIGGER a_test AFTER UPDATE ON event FOR EACH ROW WHEN (OLD.session_id = '${ids[0]}') EXECUTE FUNCTION wait_for_test()`);
    await owner.query('SELECT pg_advisory_lock(4712)');
    expectStatus(await admin.call('DELETE', `/v1/users/${userId}/content`), 202);
    const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712 AND NOT granted`;
    await until('a session waits', async () => (await owner.query(waiting)).rowCount === 1);

    const second = await ServerProcess.start(environment);
    const third = await ServerProcess.start(environment);
    try {
      const others = 'SELECT session_id FROM session WHERE user_id = $1 AND NOT is_erased AND erasure_part(session_id) <> erasure_part($2)';
      await until('the other processes have erased the other parts', async () => (await owner.query(others, [userId, ids[0]])).rowCount === 0);
      await first.kill();
      await owner.query(`SELECT pg_terminate_backend(pid, 5000) FROM (${waiting}) w`);
      await owner.query('SELECT pg_advisory_unlock(4712)');
      await owner.query('DROP FUNCTION wait_for_test CASCADE');
      // What the killed process holds ends by itself.
      await owner.query(`UPDATE task_lease SET ends_at = now() WHERE task = 'erase ' || erasure_part($1)`, [ids[0]]);
      const reader = second.client(token);
      const erasure = async () => (await reader.get(`/v1/users/${userId}/erasures`)).body.data[0];
      await until('the erasure has ended', async () => (await erasure()).endedAt !== null);
      expect(await erasure()).toMatchObject({ remaining: 0 });
      expect((await dump(owner)).join('\n')).not.toContain('planted');
      for (const id of [ids[0], ids[1]]) expect((await reader.as(own).get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    } finally {
      await Promise.all([second.stop(), third.stop()]);
    }
  });

  it('is obeyed at once by the memory and the answers of another process that has read and used the content', async () => {
    const environment = { DATABASE_URL: database.ownerUrl, LOG_LEVEL: 'warn' };
    const [one, other] = [await ServerProcess.start(environment), await ServerProcess.start(environment)];
    try {
      const [erasing, reading] = [one.client(token), other.client(token)];
      const kept = async (): Promise<readonly number[]> => {
        const { body } = expectStatus(await reading.get<string>('/metrics'), 200);
        return ['session_cache_sessions', 'session_cache_bytes'].map((name) => Number(new RegExp(`^verbatim_${name} (\\S+)$`, 'm').exec(body)?.[1]));
      };
      const [first, second] = [await reading.session({ title: 'remembered first' }), await reading.session({ title: 'remembered second' })];
      for (const id of [first, second]) await reading.ask(id, [{ type: 'text', text: 'remembered text {{say fine}}' }, image(PIXEL)]);
      expect(JSON.stringify(await reading.messages(first))).toContain('remembered');
      expect((await kept())[0]).toBe(2);

      // A whole session: nothing of it is left in the memory of the other process, which is not asked for it again.
      expectStatus(await erasing.call('DELETE', `/v1/sessions/${first}`), 202);
      await until('the other process has dropped the session', async () => (await kept())[0] === 1);
      // A message: the next turn, which the other process runs, does not have it.
      const prompt = (await reading.messages(second)).find((message) => JSON.stringify(message).includes('remembered text'))!;
      expectStatus(await erasing.call('DELETE', `/v1/sessions/${second}/messages/${prompt.uuid}`), 202);
      await until('the other process has dropped both', async () => (await kept())[0] === 0);
      expect(await kept()).toEqual([0, 0]);
      await reading.ask(second, 'what was it?');
      const { data: requests } = (await reading.get(`/v1/sessions/${second}/requests`)).body;
      const sent = (await reading.get(`/v1/sessions/${second}/requests/${requests.at(-1).requestId}`)).body;
      expect(sent).toMatchObject({ verified: true });
      expect(JSON.stringify(sent)).toContain('[Erased]');
      const answers = [sent];
      for (const id of [first, second])
        for (const part of ['', '/messages?view=full', '/events?limit=500', '/export', '/payload'])
          answers.push(expectStatus(await reading.get(`/v1/sessions/${id}${part}`), 200).body);
      expect(JSON.stringify(answers)).not.toContain('remembered text');
      expect(JSON.stringify(answers)).not.toContain('remembered first');
    } finally {
      await Promise.all([one.stop(), other.stop()]);
    }
  });

  it('and uploads of the same file by other sessions: every session that was told of the file can read it', async () => {
    const { rows } = await owner.query<{ tenant_id: string }>('SELECT tenant_id FROM tenant');
    const tenantId = rows[0]!.tenant_id;
    const encryption = encryptionWith('one');
    const connection = openDatabase(database.appUrl);
    const store = new PostgresEventStore(connection, encryption);
    const blobs = new PostgresBlobs({ url: database.appUrl, timeoutMs: 20_000, applicationName: 'racing uploads' }, encryption);
    try {
      for (let round = 0; round < 20; round += 1) {
        const content = randomBytes(1_000);
        const [erased, ...others] = [randomUUID(), randomUUID(), randomUUID()] as const;
        const of = { tenantId, sessionId: erased };
        const { sha256 } = await blobs.put(tenantId, erased, 'image/png', content);
        appended(await store.append(append(of, 0, { events: [closed('content')] })));
        const step = {
          erasureId: randomUUID(),
          scope: 'session',
          reason: null,
          bytes: 1,
          blobs: 1,
          isComplete: true,
          events: [{ seq: 1, data: { reason: null } }],
        };
        const erasure = append(of, 1, { events: [{ type: 'content.erased', data: step } as unknown as NewEvent], erasedFiles: null });
        await Promise.all([store.append(erasure).then(appended), ...others.map((session) => blobs.put(tenantId, session, 'image/png', content))]);
        for (const session of others) expect(Buffer.from((await blobs.get(tenantId, session, [sha256])).get(sha256)!.content).equals(content)).toBe(true);
        expect((await blobs.get(tenantId, erased, [sha256])).size).toBe(0);
      }
      // At the moment that chance seldom finds: the upload has seen the file, and the erasure that has deleted it commits.
      const [content, one, other] = [randomBytes(1_000), randomUUID(), randomUUID()];
      const { sha256 } = await blobs.put(tenantId, one, 'image/png', content);
      await owner.query('BEGIN');
      await owner.query('DELETE FROM blob_use WHERE session_id = $1', [one]);
      await owner.query('WITH gone AS (DELETE FROM blob WHERE sha256 = $1 RETURNING data_key) DELETE FROM data_key USING gone WHERE id = gone.data_key', [
        Buffer.from(sha256, 'hex'),
      ]);
      const upload = blobs.put(tenantId, other, 'image/png', content);
      upload.catch(() => undefined);
      const blocked = `SELECT FROM pg_stat_activity WHERE application_name = 'racing uploads' AND wait_event_type = 'Lock'`;
      await until('the upload waits for the erasure', async () => (await owner.query(blocked)).rowCount === 1);
      await owner.query('COMMIT');
      await upload;
      expect(Buffer.from((await blobs.get(tenantId, other, [sha256])).get(sha256)!.content).equals(content)).toBe(true);
      const unused = 'SELECT FROM data_key k WHERE NOT EXISTS (SELECT FROM blob b WHERE b.data_key = k.id)';
      expect((await owner.query(unused)).rowCount).toBe(0);
    } finally {
      await blobs.close();
      await connection.close();
    }
  });
});
