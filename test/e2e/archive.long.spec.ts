import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import type { Database } from '../../src/platform/postgres/store/prisma.js';
import { AT_ONCE, archivesAt, type TestArchives } from '../support/archives.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { dump, formsOf } from '../support/dump.js';
import { encryptionWith, keysOf, textOf } from '../support/encryption.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { openDatabase } from '../support/postgres-store.js';
import { Chance } from '../support/random.js';
import { answerError, ScriptedS3 } from '../support/scripted-s3.js';
import { storeAt } from '../support/s3-server.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** What differs between two answers to the same question: when it was asked. */
const withoutTimes = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (['auditedAt', 'checkpoint', 'anchored', 'proof'].includes(name) ? null : value)));

describe.each(['off', 'on'])('cold sessions, with encryption %s', (mode) => {
  const settings: Readonly<Record<string, string>> = mode === 'on' ? { ENCRYPTION_KEYS: textOf(keysOf('one')), ENCRYPTION: 'on' } : {};
  let server: TestServer;
  let client: Client;
  let owner: Connection;
  let s3: ScriptedS3;
  let database: Database;
  let cold: TestArchives;

  beforeAll(async () => {
    s3 = await ScriptedS3.start();
    server = await startTestServer({ BLOB_STORE: storeAt(s3.url), BLOB_REMOVAL_INTERVAL_MS: '20', ERASURE_INTERVAL_MS: '100', ...settings });
    client = server.client;
    owner = await connect(server.database.ownerUrl, 60_000);
    database = openDatabase(server.database.appUrl);
    cold = await archivesAt(s3.url, database, mode === 'on' ? encryptionWith('one') : undefined);
  });
  afterAll(async () => {
    await server.stop();
    cold.objects.close();
    await database.close();
    await owner.end();
    await s3.stop();
  });

  const isArchived = async (id: string): Promise<boolean> =>
    ((await owner.query('SELECT FROM log_archive WHERE session_id = $1 AND object IS NOT NULL', [id])).rowCount ?? 0) > 0;
  const rows = async (id: string): Promise<readonly string[]> =>
    (await owner.query<{ row: string }>('SELECT e::text AS row FROM event e WHERE session_id = $1 ORDER BY seq', [id])).rows.map(({ row }) => row);
  /** When its events are leaves of the transparency log. */
  const archive = (id: string): Promise<void> =>
    until(`session ${id} is archived`, async () => {
      const { tenant_id: tenantId } = (await owner.query('SELECT tenant_id FROM session WHERE session_id = $1', [id])).rows[0];
      return (await cold.archives.archive(tenantId, id, AT_ONCE)) || isArchived(id);
    });
  const objectOf = async (id: string): Promise<string> =>
    (await owner.query<{ name: string }>(`SELECT tenant_id || '/' || object AS name FROM log_archive WHERE session_id = $1`, [id])).rows[0]!.name;

  async function randomSession(chance: Chance): Promise<string> {
    const id = await client.session({ title: `title ${chance.between(1, 99)}`, metadata: { n: chance.between(1, 9) }, system: 'be brief' });
    for (let turn = chance.between(1, 3); turn > 0; turn -= 1) {
      if (chance.happens(0.3)) await client.ask(id, [{ type: 'text', text: 'look \u0000 "quoted" \\u0000 \u{1f600}\n' }, image(PIXEL)]);
      else await client.ask(id, `question ${chance.between(1, 1_000)} ${'ä\t\\'.repeat(chance.between(0, 500))}`);
    }
    return id;
  }

  /** Every GET of a session that needs no other parameter. */
  async function routes(id: string): Promise<readonly string[]> {
    const { paths } = (await client.get('/openapi.json')).body as { paths: Record<string, Record<string, { parameters?: readonly UnknownObject[] }>> };
    return Object.entries(paths)
      .filter(([path, methods]) => path.startsWith('/v1/sessions/{id}') && !path.endsWith('/stream') && methods['get'])
      .filter(([, { get }]) => (get!.parameters ?? []).every(({ name, required }) => name === 'id' || required !== true))
      .map(([path]) => path.replace('{id}', id));
  }

  it('each route of a session answers as before, and by itself brings back every row byte for byte', async () => {
    for (const seed of [1, 2]) {
      const id = await randomSession(new Chance(seed));
      const before = await rows(id);
      const asked = [...(await routes(id)), `/v1/sessions/${id}/export?format=log`];
      expect(asked.length).toBeGreaterThan(10);
      for (const path of asked) {
        const answer = await client.get(path);
        await archive(id);
        expect((await rows(id)).length).toBe(1);
        const again = await client.get(path);
        expect([again.status, withoutTimes(again.body)]).toEqual([answer.status, withoutTimes(answer.body)]);
      }
      expectStatus(await client.get(`/v1/sessions/${id}/messages`), 200);
      expect(await rows(id)).toEqual(before);
      await archive(id);
      expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true, rowMatches: true, transparencyLog: { matches: true } });
    }
  });

  it('the list and the search have archived sessions without bringing them back', async () => {
    const id = await client.session({ title: 'kestrel sighting' });
    expectStatus(await client.post(`/v1/sessions/${id}/hold`, {}), 200);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/hold`), 200);
    await client.ask(id, 'a kestrel over the field');
    const listed = (await client.get('/v1/sessions')).body.data.find((row: UnknownObject) => row.id === id);
    await archive(id);
    expect((await client.get('/v1/sessions')).body.data.find((row: UnknownObject) => row.id === id)).toEqual(listed);
    expect(JSON.stringify((await client.get('/v1/search?q=kestrel')).body)).toContain(mode === 'on' ? '' : id);
    // What was done to it is listed without them, too.
    const { data: acts } = expectStatus(await client.get('/v1/activity?kind=holds'), 200).body;
    expect(acts.filter(({ sessionId }: UnknownObject) => sessionId === id).map(({ act }: UnknownObject) => act)).toEqual(['hold_released', 'hold_placed']);
    expect(await isArchived(id)).toBe(true);
  });

  it('a session that a process has cached is continued, and keeps its chain', async () => {
    const id = await client.session();
    await client.ask(id, 'first');
    await archive(id);
    expect(await client.ask(id, 'second')).toMatchObject({ status: 'completed' });
    expect(await isArchived(id)).toBe(false);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  });

  it('a fork brings back the session that it continues, also when both are archived', async () => {
    const id = await client.session();
    await client.ask(id, 'of the parent');
    const fork = expectStatus(await client.post(`/v1/sessions/${id}/forks`), 201).body.id as string;
    await client.ask(fork, 'of the fork');
    await archive(id);
    await archive(fork);
    const other = await startTestServer({ BLOB_STORE: storeAt(s3.url), ...settings }, server.database, client.token);
    try {
      expect(JSON.stringify(await other.client.messages(fork))).toContain('of the parent');
      expect((await other.client.get(`/v1/sessions/${fork}/audit`)).body).toMatchObject({ valid: true, parents: [{ valid: true }] });
    } finally {
      await other.stop();
    }
    expect([await isArchived(id), await isArchived(fork)]).toEqual([false, false]);
  });

  it('an erasure reaches an archived session, and every version of its object; a legal hold keeps it', async () => {
    const secret = 'waxwing-3371';
    const [erased, held] = [await client.session(), await client.session()];
    for (const id of [erased, held]) await client.ask(id, `remember ${secret}`);
    expectStatus(await client.post(`/v1/sessions/${held}/hold`, { reason: 'case 9' }), 200);
    for (const id of [erased, held]) await archive(id);
    expect(expectStatus(await client.call('DELETE', `/v1/sessions/${held}`), 409).body.code).toBe('legal_hold');
    expectStatus(await client.call('DELETE', `/v1/sessions/${held}/hold`), 200);
    for (const id of [erased, held]) expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202);
    for (const id of [erased, held]) expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    const names = [...s3.versions.keys()];
    await until('the objects are removed', async () => (await owner.query('SELECT FROM object_removal')).rowCount === 0);
    const left = (
      await owner.query<{ name: string }>(
        `SELECT tenant_id || '/' || object AS name FROM log_archive WHERE object IS NOT NULL UNION SELECT tenant_id || '/' || object FROM blob WHERE object IS NOT NULL`,
      )
    ).rows;
    expect(names.filter((name) => s3.versions.get(name)?.some(({ content }) => content) && !left.some((row) => row.name === name))).toEqual([]);
    const lines = await dump(owner);
    expect(lines.filter((line) => formsOf(secret).some((form) => line.includes(form)))).toEqual([]);
    expect(s3.contents.filter((content) => content.includes(secret))).toEqual([]);
  });

  it('what was changed in the storage, or is gone, is refused with an error of its own, and nothing is lost when it is there again', async () => {
    const id = await client.session();
    await client.ask(id, 'before');
    const before = await client.messages(id);
    await archive(id);
    const name = await objectOf(id);
    const kept = s3.versions.get(name)!;
    const altered = (change: (content: Buffer) => Buffer) =>
      kept.map((version) => ({ ...version, content: version.content && change(Buffer.from(version.content)) }));
    const changes: readonly ((content: Buffer) => Buffer)[] = [
      (content) => (content.fill(7, content.length >> 1, (content.length >> 1) + 4), content),
      (content) => content.subarray(0, -5),
      (content) => Buffer.concat([content, content]),
      () => Buffer.alloc(0),
    ];
    for (const change of changes) {
      s3.versions.set(name, altered(change));
      const { status, body } = await client.get(`/v1/sessions/${id}/events`);
      expect([status, body.code, body.kind]).toEqual([500, 'log_tampered', 'archive']);
    }
    s3.versions.delete(name);
    expect((await client.get(`/v1/sessions/${id}/events`)).body).toMatchObject({ code: 'log_tampered', kind: 'archive' });
    s3.versions.set(name, kept);
    s3.script = (_, response) => answerError(response, 503, 'SlowDown');
    expect((await client.get(`/v1/sessions/${id}/events`)).body).toMatchObject({ code: 'unavailable', storage: 'busy' });
    s3.script = () => null;
    expect(await client.messages(id)).toEqual(before);
  });
});

describe('the look for cold sessions', () => {
  it('archives what nothing was appended to for long, and nothing with an open schedule', async () => {
    const s3 = await ScriptedS3.start();
    const server = await startTestServer({ BLOB_STORE: storeAt(s3.url), ARCHIVE_AFTER_DAYS: '2', ARCHIVE_INTERVAL_MS: '50' });
    const owner = await connect(server.database.ownerUrl, 60_000);
    try {
      const { client } = server;
      const [old, young, scheduled] = [await client.session(), await client.session(), await client.session()];
      for (const id of [old, young, scheduled]) await client.ask(id, 'hello');
      expectStatus(await client.post(`/v1/sessions/${scheduled}/schedules`, { input: 'hello', everySeconds: 86_400 }), 201);
      await owner.query(`ALTER TABLE stream DISABLE TRIGGER stream_version_increases`);
      for (const table of ['stream', 'session']) {
        await owner.query(`UPDATE ${table} SET updated_at = updated_at - interval '3 days' WHERE session_id = ANY ($1)`, [[old, scheduled]]);
      }
      await owner.query(`ALTER TABLE stream ENABLE ALWAYS TRIGGER stream_version_increases`);
      const archived = async () =>
        (await owner.query<{ session_id: string }>('SELECT session_id FROM log_archive WHERE object IS NOT NULL')).rows.map(({ session_id: id }) => id);
      await until('the cold session is archived', async () => (await archived()).length > 0);
      const metrics = () => fetch(`${server.running.url}/metrics`).then((answer) => answer.text());
      await until('the gauge says so', async () => /verbatim_archived_logs 1/.test(await metrics()));
      expect(await archived()).toEqual([old]);
      expectStatus(await client.get(`/v1/sessions/${old}/messages`), 200);
      await until('a later look has been', async () => /verbatim_archived_logs 0/.test(await metrics()));
      expect(await archived()).toEqual([]); // it has just been read
    } finally {
      await server.stop();
      await owner.end();
      await s3.stop();
    }
  });
});
