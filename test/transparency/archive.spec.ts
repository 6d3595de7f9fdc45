import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Client } from 'pg';
import { readMigrations } from '../../src/platform/postgres/migrations/migration-files.js';
import { pendingOf, readRecords } from '../../src/platform/postgres/migrations/migration-records.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { append, appended, type Ids, ids, numbered } from '../support/appends.js';
import { AT_ONCE, archivesAt, type TestArchives } from '../support/archives.js';
import { encryptionWith } from '../support/encryption.js';
import { openDatabase, postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { runs } from '../support/property-runs.js';
import { ScriptedS3 } from '../support/scripted-s3.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';
import { sequencer } from './sequencing.js';

/** Logs in object storage, below the server: random logs, processes that race, and what the database permits. */
describe('archived logs', () => {
  let store: PostgresStore;
  let owner: Client;
  let s3: ScriptedS3;
  let plain: TestArchives;
  let encrypted: TestArchives;
  let sequencing: ReturnType<typeof sequencer>;
  let tenantId: string;

  beforeAll(async () => {
    store = await postgresStore();
    owner = await connect(store.urls.ownerUrl, 60_000);
    s3 = await ScriptedS3.start();
    plain = await archivesAt(s3.url, store.database);
    encrypted = await archivesAt(s3.url, store.database, encryptionWith('one'));
    await makeTenant(store.urls.appUrl, 'one');
    tenantId = (await owner.query<{ tenant_id: string }>('SELECT tenant_id FROM tenant')).rows[0]!.tenant_id;
    sequencing = sequencer(store.urls.appUrl);
    sequencing.worker.start();
  });
  afterAll(async () => {
    await sequencing.worker.stop();
    await sequencing.log.close();
    for (const { objects } of [plain, encrypted]) objects.close();
    await store.close();
    await owner.end();
    await s3.stop();
  });

  const rows = async ({ sessionId }: Ids): Promise<readonly string[]> =>
    (await owner.query<{ row: string }>('SELECT e::text AS row FROM event e WHERE session_id = $1 ORDER BY seq', [sessionId])).rows.map(({ row }) => row);
  const archived = async ({ sessionId }: Ids): Promise<boolean> =>
    (await owner.query('SELECT FROM log_archive WHERE session_id = $1 AND object IS NOT NULL', [sessionId])).rowCount === 1;
  const of = (): Ids => ({ ...ids(), tenantId });

  async function written(by: TestArchives, events: ReturnType<typeof numbered>): Promise<Ids> {
    const session = of();
    appended(await by.store.append(append(session, 0, { events })));
    sequencing.live.announce();
    await until('every event is a leaf', async () => {
      const { rows: found } = await owner.query<{ leaves: string }>('SELECT sum(octet_length(hashes) / 32) AS leaves FROM tlog_run WHERE session_id = $1', [
        session.sessionId,
      ]);
      return Number(found[0]!.leaves) === events.length;
    });
    return session;
  }
  const archive = ({ archives }: TestArchives, { sessionId }: Ids): Promise<boolean> => archives.archive(tenantId, sessionId, AT_ONCE);

  it('come back byte for byte, whatever is in them, encrypted or not', async () => {
    const texts = fc.array(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('\u0000', '\n', '\\u0000', '"', '\u2028', 'x'.repeat(70_000))),
      { minLength: 2, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom('plain', 'encrypted'), async (reasons, mode) => {
        const by = mode === 'plain' ? plain : encrypted;
        const session = await written(
          by,
          reasons.map((reason) => ({ type: 'session.closed', data: { reason: reason.toWellFormed() } })),
        );
        const before = await rows(session);
        expect(await archive(by, session)).toBe(true);
        expect(await rows(session)).toEqual(before.slice(-1));
        expect((await by.store.load(tenantId, session.sessionId)).map(({ data }) => data)).toEqual(
          reasons.map((reason) => ({ reason: reason.toWellFormed() })),
        );
        expect(await rows(session)).toEqual(before);
        expect(await by.store.verify(tenantId, session.sessionId)).toMatchObject({ valid: true });
      }),
      runs(30),
    );
  });

  it('every kind of read brings a log back by itself, also one of many pages', async () => {
    const session = await written(plain, numbered(1_200));
    const { sessionId } = session;
    const reads: readonly (() => Promise<unknown>)[] = [
      () => plain.store.load(tenantId, sessionId),
      () => plain.store.follow(tenantId, sessionId, null, 500),
      () => plain.store.page(tenantId, sessionId, 700, 10),
      () => plain.store.page(tenantId, sessionId, 1_200, 10),
      () => plain.store.stored(tenantId, sessionId, 3, 5),
      () => plain.store.hashAt(tenantId, sessionId, 5),
      () => plain.store.within(tenantId, sessionId, 0, { events: 100, bytes: 1_000_000 }),
      () => plain.store.exceeds(tenantId, sessionId, { events: 1_000, bytes: 1_000_000 }),
      () => plain.store.verify(tenantId, sessionId),
    ];
    for (const read of reads) {
      const answer = await read();
      expect(await archive(plain, session)).toBe(true);
      expect(await read()).toEqual(answer);
      expect(await archived(session)).toBe(false);
    }
    const [place, later] = [await plain.store.follow(tenantId, sessionId, null, 500), numbered(1)];
    expect(await archive(plain, session)).toBe(true);
    expect((await plain.store.follow(tenantId, sessionId, place.place, 1_000)).events).toHaveLength(500); // the pages after one that was read before
    expect(await archive(plain, session)).toBe(true);
    appended(await plain.store.append(append(session, 1_200, { events: later })));
    expect(await plain.store.verify(tenantId, sessionId)).toMatchObject({ valid: true, events: 1_201 });
  });

  it('processes that archive, read and append at the same time lose nothing, and leave one object at most', async () => {
    const session = await written(plain, numbered(40));
    const before = await rows(session);
    const others = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const database = openDatabase(store.urls.appUrl);
        return { database, ...(await archivesAt(s3.url, database)) };
      }),
    );
    const failed: unknown[] = [];
    await Promise.all(
      others.map(async (other, index) => {
        for (let round = 0; round < 12; round += 1) {
          if (index % 2 === 0) await archive(other, session).catch((error: unknown) => failed.push(error));
          else expect(await other.store.load(tenantId, session.sessionId)).toHaveLength(40);
        }
      }),
    );
    expect(failed).toEqual([]);
    await plain.store.load(tenantId, session.sessionId);
    expect(await rows(session)).toEqual(before);
    // What no archive names is due for removal.
    const kept = (
      await owner.query<{ object: string }>('SELECT object FROM object_removal UNION SELECT object FROM log_archive WHERE object IS NOT NULL')
    ).rows.map(({ object }) => object);
    expect([...s3.versions.keys()].filter((name) => !kept.some((object) => name.endsWith(object)))).toEqual([]);
    for (const { database, objects } of others) {
      objects.close();
      await database.close();
    }
  });

  it('the database removes no event that was not proven to be archived, and takes none back that was not removed', async () => {
    const session = await written(plain, numbered(5));
    const { sessionId } = session;
    const before = await rows(session);
    await expect(owner.query('DELETE FROM event WHERE session_id = $1 AND seq = 2', [sessionId])).rejects.toMatchObject({ code: 'VB001' });
    const refused = await owner.query<{ archived: boolean }>(`SELECT archive_log($1, $2, 0, gen_random_uuid(), 1, sha256('x'), NULL, NULL, NULL) AS archived`, [
      tenantId,
      sessionId,
    ]);
    expect(refused.rows[0]!.archived).toBe(false);
    s3.script = ({ method, key }, response) => {
      if (method !== 'GET') return null;
      const altered = gzipSync(gunzipSync(s3.versions.get(key)![0]!.content!).toString().replace('number 3', 'number 9'), { level: 9 });
      return Boolean(response.end(altered));
    };
    expect(await archive(plain, session)).toBe(false);
    s3.script = () => null;
    expect(await rows(session)).toEqual(before);
    expect(await archive(plain, session)).toBe(true);
    await expect(owner.query('DELETE FROM event WHERE session_id = $1', [sessionId])).rejects.toMatchObject({ code: 'VB001' });
    const object = (await owner.query<{ object: string }>('SELECT object FROM log_archive WHERE session_id = $1', [sessionId])).rows[0]!.object;
    const text = gunzipSync(s3.versions.get(`${tenantId}/${object}`)![0]!.content!).toString();
    const restore = async (content: string): Promise<string> =>
      (await owner.query<{ outcome: string }>('SELECT restore_log($1, $2, $3, $4) AS outcome', [tenantId, sessionId, object, content])).rows[0]!.outcome;
    for (const content of [text.replace('number 3', 'number 9'), text.replace(/"position" : \d+/, '"position" : 1')])
      expect(await restore(content)).toBe('damaged');
    // Nor when the owner of the database changes what it remembers of the archive: the chain leads to the head that has stayed.
    const forged = text.replace('number 3', 'number 9');
    const remember = (content: string) =>
      owner.query(`UPDATE log_archive SET content_digest = sha256(convert_to($2, 'UTF8')) WHERE session_id = $1`, [sessionId, content]);
    for (const content of [
      forged,
      text.split('\n').slice(1).join('\n'),
      text.split('\n').reverse().join('\n'),
      text.replace(/"hash" : "./, '"hash" : "0').replace(/"digest" : "./g, '"digest" : "f'),
    ]) {
      await remember(content);
      expect(await restore(content)).toBe('damaged');
    }
    await remember(text);
    expect(await restore(text)).toBe('restored');
    expect(await restore(text)).toBe('current');
    expect(await rows(session)).toEqual(before);
  });

  it('a log stays where it is while its events are no leaves, it is not old enough, or it is too large', async () => {
    const session = of();
    appended(await plain.store.append(append(session, 0, { events: numbered(3) })));
    await sequencing.worker.stop();
    const young = of();
    appended(await plain.store.append(append(young, 0, { events: numbered(3) })));
    expect(await archive(plain, young)).toBe(false);
    sequencing = sequencer(store.urls.appUrl);
    sequencing.worker.start();
    const small = await archivesAt(s3.url, store.database, undefined, 100);
    const large = await written(plain, numbered(30));
    expect(await plain.archives.archive(tenantId, large.sessionId, 3_600_000)).toBe(false);
    await small.cold.archive(() => false);
    expect(await archived(large)).toBe(false);
    await plain.cold.archive(() => false);
    expect(await archived(large)).toBe(true);
    expect(
      await plain.cold.withoutArchived([large, { tenantId, sessionId: young.sessionId }].filter(({ sessionId }) => sessionId === large.sessionId)),
    ).toEqual([]);
    small.objects.close();
  });

  it('after the first archive a build that does not know archives does not start', async () => {
    const session = await written(plain, numbered(2));
    expect(await archive(plain, session)).toBe(true);
    const migrations = await readMigrations('prisma/migrations');
    const older = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name.endsWith('_archived_logs')),
    );
    const records = await readRecords(owner);
    expect(() => pendingOf(older, records)).toThrow(expect.objectContaining({ code: 'database_newer_than_build' }));
    expect(pendingOf(migrations, records)).toEqual([]);
  });
});
