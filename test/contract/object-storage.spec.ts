import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { moveBlobs } from '../../src/platform/blobs/move-blobs.js';
import { proveStorage } from '../../src/platform/blobs/open-blobs.js';
import { StorageError } from '../../src/platform/blobs/object-storage.js';
import { objectName, PostgresBlobs } from '../../src/platform/blobs/postgres-blobs.js';
import { S3Storage } from '../../src/platform/blobs/s3-storage.js';
import { parseBlobStore } from '../../src/platform/config/blob-store-url.js';
import { connect } from '../../src/platform/postgres/connect.js';
import type { Database } from '../../src/platform/postgres/store/prisma.js';
import { PostgresUnusedObjects } from '../../src/platform/blobs/unused-objects.js';
import { encryptionWith, NO_ENCRYPTION } from '../support/encryption.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { openDatabase } from '../support/postgres-store.js';
import { answerError, ScriptedS3, type Script } from '../support/scripted-s3.js';
import { storeAt } from '../support/s3-server.js';
import { makeTenant } from '../support/tenant.js';

/** What a storage does besides what it is for: it fails, is slow, returns other bytes, keeps versions; and processes end between object and row. */
describe('files in object storage', () => {
  let database: TestDatabase;
  let owner: Client;
  let connection: Database;
  let s3: ScriptedS3;
  let objects: S3Storage;
  let blobs: PostgresBlobs;
  let tenantId: string;
  const outcomes: string[] = [];

  const options = () => ({ url: database.appUrl, timeoutMs: 60_000, applicationName: 'object storage spec' });
  const storage = (timeoutMs: number, url = s3.url): Promise<S3Storage> => S3Storage.open({ address: parseBlobStore(storeAt(url)), timeoutMs });

  beforeAll(async () => {
    database = await freshDatabase();
    owner = await connect(database.ownerUrl, 60_000);
    connection = openDatabase(database.appUrl);
    await makeTenant(database.appUrl, 'one');
    tenantId = (await owner.query<{ tenant_id: string }>('SELECT tenant_id FROM tenant')).rows[0]!.tenant_id;
  });
  beforeEach(async () => {
    s3 = await ScriptedS3.start();
    objects = await storage(60_000);
    objects.onOperation((operation, outcome) => outcomes.push(`${operation} ${outcome}`));
    blobs = new PostgresBlobs({ ...options(), objects }, NO_ENCRYPTION);
    outcomes.length = 0;
  });
  afterEach(async () => {
    await blobs.close();
    await s3.stop();
    await owner.query('DELETE FROM blob_use');
    await owner.query('DELETE FROM blob');
    await owner.query('DELETE FROM object_removal');
  });
  afterAll(async () => {
    await connection.close();
    await owner.end();
    await database.drop();
  });

  const rows = async (table: 'blob' | 'blob_use' | 'object_removal'): Promise<number> => (await owner.query(`SELECT FROM ${table}`)).rowCount ?? 0;
  // A minute ago, since clocks may be set back meanwhile.
  const makeDue = () => owner.query("UPDATE object_removal SET due_at = now() - interval '1 minute', asked_at = now()");
  const removeDue = () => new PostgresUnusedObjects(connection, objects, 60_000).remove(() => false);

  const put = (): Promise<{ readonly sha256: string }> => blobs.put(tenantId, randomUUID(), 'image/png', randomBytes(1_000));

  it.each<[string, string, Script]>([
    ['a full disk', 'full', (_, response) => answerError(response, 507, 'InsufficientStorage')],
    ['a quota', 'full', (_, response) => answerError(response, 403, 'QuotaExceeded')],
    ['too many requests', 'busy', (_, response) => answerError(response, 503, 'SlowDown')],
    ['credentials without the right', 'denied', (_, response) => answerError(response, 403, 'AccessDenied')],
    ['a bucket that is gone', 'no_bucket', (_, response) => answerError(response, 404, 'NoSuchBucket')],
    ['an error', 'failed', (_, response) => answerError(response, 400, 'Whatever')],
    ['a page that is no answer of S3', 'failed', (_, response) => Boolean(response.writeHead(418).end('<html>'))],
    ['a connection that is cut', 'unreachable', (_, response) => Boolean(response.socket!.destroy())],
  ])('%s: the put is refused as %s, and nothing is half stored', async (_what, fault, script) => {
    s3.script = (request, response) => (request.method === 'PUT' ? script(request, response) : null);
    await expect(put()).rejects.toMatchObject({ code: 'unavailable', details: { storage: fault, retryAfter: 5 } });
    expect(outcomes).toEqual([`put ${fault}`]);
    expect([await rows('blob'), await rows('blob_use')]).toEqual([0, 0]);
    s3.script = () => null;
    const { sha256 } = await put();
    expect(await rows('blob')).toBe(1);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    // The object that was not stored is removed, in case it was.
    await makeDue();
    await removeDue();
    expect([await rows('object_removal'), s3.contents.length]).toEqual([0, 1]);
  });

  it('bytes that change on their way are refused by the storage, since their digest is signed', async () => {
    s3.script = ({ method }, response) => (method === 'PUT' ? answerError(response, 400, 'XAmzContentSHA256Mismatch') : null);
    await expect(put()).rejects.toMatchObject({ details: { storage: 'bytes_changed' } });
    s3.script = () => null;
    await put(); // the server compares the digest with the body
    expect(s3.contents).toHaveLength(1);
  });

  it('a storage that is silent, or stops in the middle of an object, ends with the time of the setting', async () => {
    const { sha256 } = await put();
    const session = (await owner.query<{ session_id: string }>('SELECT session_id FROM blob_use')).rows[0]!.session_id;
    const hurried = new PostgresBlobs({ ...options(), objects: await storage(300) }, NO_ENCRYPTION);
    s3.script = () => false;
    await expect(hurried.put(tenantId, session, 'image/png', randomBytes(10))).rejects.toMatchObject({ details: { storage: 'timeout' } });
    await expect(hurried.get(tenantId, session, [sha256])).rejects.toMatchObject({ details: { storage: 'timeout' } });
    s3.script = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      return response.write('x');
    };
    await expect(hurried.get(tenantId, session, [sha256])).rejects.toMatchObject({ details: { storage: 'timeout' } });
    await hurried.close();
    s3.script = () => null;
    expect((await blobs.get(tenantId, session, [sha256])).size).toBe(1);
  });

  it('an object that is gone, or longer than it was, is never returned', async () => {
    const session = randomUUID();
    const { sha256 } = await blobs.put(tenantId, session, 'image/png', randomBytes(1_000));
    s3.script = ({ method }, response) => (method === 'GET' ? answerError(response, 404, 'NoSuchKey') : null);
    await expect(blobs.get(tenantId, session, [sha256])).rejects.toThrow(/are gone/);
    // Without an end: no more is read than the object has.
    s3.script = ({ method }, response) => {
      if (method !== 'GET') return null;
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more).writeHead(200);
      more();
      return true;
    };
    await expect(blobs.get(tenantId, session, [sha256])).rejects.toThrow(/do not match their SHA-256/);
  });

  it('without BLOB_STORE a file that lies there is a 503 that says so', async () => {
    const session = randomUUID();
    const { sha256 } = await blobs.put(tenantId, session, 'image/png', randomBytes(10));
    const without = new PostgresBlobs(options(), NO_ENCRYPTION);
    await expect(without.get(tenantId, session, [sha256])).rejects.toMatchObject({ code: 'unavailable', details: { storage: 'not_configured' } });
    expect(await without.size(tenantId, session)).toBe(10);
    await without.close();
  });

  it('what is encrypted is encrypted there, and its name tells nothing of the content', async () => {
    const encrypted = new PostgresBlobs({ ...options(), objects: await storage(60_000) }, encryptionWith('first'));
    const session = randomUUID();
    const content = randomBytes(1_000);
    const { sha256 } = await encrypted.put(tenantId, session, 'image/png', content);
    expect(s3.contents.map((stored) => [stored.length > content.length, stored.includes(content.subarray(0, 16))])).toEqual([[true, false]]);
    expect([...s3.versions.keys()]).toEqual([expect.stringMatching(new RegExp(`^${tenantId}/[0-9a-f-]{36}$`))]);
    expect(Buffer.from((await encrypted.get(tenantId, session, [sha256])).get(sha256)!.content).equals(content)).toBe(true);
    expect(await encrypted.size(tenantId, session)).toBe(1_000);
    await encrypted.close();
  });

  it('the object of a file whose row is gone is removed with all its versions, and stays due while the storage refuses', async () => {
    const { sha256 } = await put();
    const key = [...s3.versions.keys()][0]!;
    s3.versions.set(key, [{ id: 'older', content: s3.contents[0]! }, { id: 'marker', content: null }, ...s3.versions.get(key)!]);
    await owner.query('DELETE FROM blob_use');
    await owner.query('DELETE FROM blob WHERE sha256 = $1', [Buffer.from(sha256, 'hex')]);
    s3.script = ({ method }, response) => (method === 'DELETE' ? answerError(response, 403, 'AccessDenied') : null);
    expect(await removeDue()).toMatchObject({ due: 1, failures: [expect.any(StorageError)] });
    expect(await rows('object_removal')).toBe(1);
    s3.script = () => null;
    await owner.query("UPDATE object_removal SET due_at = now() - interval '1 hour'");
    expect(await removeDue()).toEqual({ due: 0, failures: [], oldestSeconds: 0 });
    expect([s3.contents, s3.versions.get(key), await rows('object_removal')]).toEqual([[], [], 0]);
  });

  it('a process that ends between object and row leaves no object and no row', async () => {
    // The row cannot be stored: as if the process had been killed after the put.
    s3.script = ({ method, key, body }, response) => {
      if (method !== 'PUT') return null;
      s3.versions.set(key, [{ id: 'only', content: body }]);
      void owner.query('ALTER TABLE blob ADD CONSTRAINT never CHECK (false) NOT VALID').then(() => response.end());
      return true;
    };
    const soon = new PostgresBlobs({ ...options(), objects: await storage(60_000), orphanMs: 0 }, NO_ENCRYPTION);
    await expect(soon.put(tenantId, randomUUID(), 'image/png', randomBytes(10))).rejects.toMatchObject({ code: '23514' });
    await owner.query('ALTER TABLE blob DROP CONSTRAINT never');
    await soon.close();
    s3.script = () => null;
    expect([s3.contents.length, await rows('blob'), await rows('object_removal')]).toEqual([1, 0, 1]);
    await removeDue();
    expect([s3.contents.length, await rows('object_removal')]).toEqual([0, 0]);
  });

  it.each<[string, number, () => Promise<unknown>]>([
    ['has been removed', 1, () => removeDue()],
    ['is being removed', 2, () => owner.query('SELECT FROM claim_removals(10, 60000)')],
  ])('a put that is slower than the removal of orphans does not name an object that %s', async (_what, left, remove) => {
    let first = '';
    s3.script = ({ method, key, body }, response) => {
      if (method !== 'PUT' || first !== '') return null;
      first = key;
      s3.versions.set(key, [{ id: 'first', content: body }]);
      void makeDue()
        .then(remove)
        .then(() => response.end());
      return true;
    };
    const session = randomUUID();
    const { sha256 } = await blobs.put(tenantId, session, 'image/png', randomBytes(10));
    expect(s3.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(2);
    expect(s3.contents).toHaveLength(left);
    await makeDue();
    await removeDue();
    expect([s3.contents.length, s3.versions.get(first)]).toEqual([1, []]);
    expect((await blobs.get(tenantId, session, [sha256])).size).toBe(1);
  });

  it('files of the database are moved beside readers; what comes back changed stays, and a repeat has nothing to do', async () => {
    const inDatabase = new PostgresBlobs(options(), encryptionWith('first'));
    const reader = new PostgresBlobs({ ...options(), objects: await storage(60_000) }, encryptionWith('first'));
    const session = randomUUID();
    const names: string[] = [];
    for (let index = 0; index < 7; index += 1) names.push((await inDatabase.put(tenantId, session, 'image/png', randomBytes(1_000 * index))).sha256);
    const before = await reader.get(tenantId, session, names);
    let wrong = '';
    s3.script = ({ method, key }, response) => {
      if (method !== 'GET' || (wrong !== '' && wrong !== key)) return null;
      wrong = key;
      return Boolean(response.end(randomBytes(28)));
    };
    expect(await moveBlobs(connection, objects, 60_000)).toMatchObject({ files: 6, left: 1 });
    expect((await owner.query('SELECT FROM blob WHERE bytes IS NOT NULL')).rowCount).toBe(1);
    s3.script = () => null;
    expect(await moveBlobs(connection, objects, 60_000)).toMatchObject({ files: 1, left: 0 });
    expect(await moveBlobs(connection, objects, 60_000)).toEqual({ files: 0, bytes: 0, left: 0 });
    expect(await reader.get(tenantId, session, names)).toEqual(before);
    expect(await reader.size(tenantId, session)).toBe(21_000);
    await removeDue();
    expect([s3.contents.length, await rows('object_removal')]).toEqual([7, 0]);
    await inDatabase.close();
    await reader.close();
  });

  it('a file that is moved while it is read is read where it is then', async () => {
    const inDatabase = new PostgresBlobs(options(), NO_ENCRYPTION);
    const session = randomUUID();
    const content = randomBytes(3_000_000);
    const { sha256 } = await inDatabase.put(tenantId, session, 'image/png', content);
    const reads = Promise.all(Array.from({ length: 20 }, () => blobs.get(tenantId, session, [sha256])));
    await moveBlobs(connection, objects, 60_000);
    for (const found of await reads) expect(Buffer.from(found.get(sha256)!.content).equals(content)).toBe(true);
    await inDatabase.close();
  });

  it('a start ends with a bucket that is not there and credentials that are refused, and continues when the storage does not answer', async () => {
    const problems: string[] = [];
    const report = (problem: string): void => void problems.push(problem);
    await proveStorage(objects, report);
    s3.script = (_, response) => Boolean(response.writeHead(404).end());
    await expect(proveStorage(objects, report)).rejects.toThrow('BLOB_STORE: the object storage does not have the bucket of the settings');
    s3.script = (_, response) => Boolean(response.writeHead(403).end());
    await expect(proveStorage(objects, report)).rejects.toThrow('refuses the credentials');
    expect(problems).toEqual([]);
    const gone = await storage(60_000, 'http://127.0.0.1:1');
    await proveStorage(gone, report);
    expect(problems).toEqual(['BLOB_STORE: the object storage cannot be reached']);
    await expect(gone.get(objectName(tenantId, randomUUID()), 1)).rejects.toThrow(StorageError);
    gone.close();
  });
});
