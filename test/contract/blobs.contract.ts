import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { PostgresBlobs } from '../../src/platform/blobs/postgres-blobs.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { makeTenant } from '../support/tenant.js';

/** Where the bytes of files lie. */
export interface Place {
  open(database: TestDatabase): Promise<PostgresBlobs>;
  /** Changes the stored bytes of the file, without the application. */
  alter(owner: Client, sha256: string, change: (bytes: Buffer) => Buffer): Promise<void>;
}

/** What every place of the bytes has to do. */
export function blobsContract(where: string, place: Place): void {
  describe(`blobs ${where}`, () => {
    let database: TestDatabase;
    let owner: Client;
    let blobs: PostgresBlobs;
    let tenants: readonly string[];

    beforeAll(async () => {
      database = await freshDatabase();
      owner = await connect(database.ownerUrl, 60_000);
      blobs = await place.open(database);
      for (const name of ['one', 'other']) await makeTenant(database.appUrl, name);
      tenants = (await owner.query<{ tenant_id: string }>('SELECT tenant_id FROM tenant')).rows.map(({ tenant_id }) => tenant_id);
    });
    afterAll(async () => {
      await blobs.close();
      await owner.end();
      await database.drop();
    });

    const rows = async (sha256: string): Promise<number> =>
      (await owner.query('SELECT FROM blob WHERE sha256 = $1', [Buffer.from(sha256, 'hex')])).rowCount ?? 0;

    it.each([0, 1, 100_000, 512 * 1024, 512 * 1024 + 1, 3_000_000])('return %d bytes unchanged', async (length) => {
      const [tenantId, sessionId] = [tenants[0]!, randomUUID()];
      const content = randomBytes(length);
      const head = await blobs.put(tenantId, sessionId, 'image/png', content);
      expect(head).toEqual({ sha256: createHash('sha256').update(content).digest('hex'), mediaType: 'image/png', bytes: length });
      const found = (await blobs.get(tenantId, sessionId, [head.sha256])).get(head.sha256)!;
      expect({ ...found, content: Buffer.from(found.content).equals(content) }).toEqual({ ...head, content: true });
      expect(await blobs.size(tenantId, sessionId)).toBe(length);
    });

    it('are found together, small ones and large ones; one that was altered is found out', async () => {
      const [tenantId, sessionId] = [tenants[0]!, randomUUID()];
      const contents = [0, 1, 2, 16 * 1024, 16 * 1024 + 1, 600_000, ...Array.from({ length: 40 }, () => 15_000)].map((length) => randomBytes(length));
      const heads = await Promise.all(contents.map((content) => blobs.put(tenantId, sessionId, 'image/png', content)));
      const names = heads.map(({ sha256 }) => sha256);
      const found = await blobs.get(tenantId, sessionId, names);
      expect(names.map((name, index) => Buffer.from(found.get(name)!.content).equals(contents[index]!))).toEqual(names.map(() => true));
      await place.alter(owner, names[2]!, (bytes) => Buffer.from(bytes.map((byte) => byte ^ 1)));
      await expect(blobs.get(tenantId, sessionId, names)).rejects.toThrow(names[2]!);
    });

    it('are stored once per tenant, also when stored concurrently', async () => {
      const content = randomBytes(50_000);
      const puts = Array.from({ length: 12 }, (_, index) => blobs.put(tenants[0]!, randomUUID(), 'image/png', content).then(({ sha256 }) => [index, sha256]));
      const [[, sha256]] = (await Promise.all(puts)) as [[number, string]];
      expect(await rows(sha256)).toBe(1);
      await blobs.put(tenants[1]!, randomUUID(), 'image/png', content);
      expect(await rows(sha256)).toBe(2);
    });

    it('are readable by the sessions that received them only', async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      const { sha256 } = await blobs.put(tenants[0]!, one, 'image/png', randomBytes(10));
      const mine = await blobs.put(tenants[0]!, other, 'image/png', randomBytes(10));
      expect([...(await blobs.get(tenants[0]!, other, [sha256, mine.sha256])).keys()]).toEqual([mine.sha256]);
      expect((await blobs.get(tenants[1]!, one, [sha256])).size).toBe(0);
      await blobs.share(tenants[1]!, one, other);
      expect((await blobs.get(tenants[0]!, other, [sha256])).size).toBe(0);
      await blobs.share(tenants[0]!, one, other);
      await blobs.share(tenants[0]!, one, other);
      expect((await blobs.get(tenants[0]!, other, [sha256, mine.sha256])).size).toBe(2);
      expect((await blobs.get(tenants[0]!, one, [mine.sha256])).size).toBe(0);
    });

    it('are not found under a name that is not a SHA-256', async () => {
      expect((await blobs.get(tenants[0]!, randomUUID(), ['', 'none', '\\x00', 'A'.repeat(64), 'a'.repeat(64)])).size).toBe(0);
    });

    it('cannot be changed or deleted by the application', async () => {
      const app = await connect(database.appUrl, 60_000);
      for (const statement of ['UPDATE blob_use SET session_id = gen_random_uuid()', 'DELETE FROM blob_use', 'TRUNCATE blob_use', 'DELETE FROM blob']) {
        await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
      }
      await app.end();
    });

    it.each<[string, (bytes: Buffer) => Buffer]>([
      ['changed', (bytes) => Buffer.concat([bytes.subarray(0, 600_000), Buffer.of(bytes[600_000]! ^ 1), bytes.subarray(600_001)])],
      ['cut', (bytes) => bytes.subarray(0, 1_000)],
      ['extended', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
    ])('are never returned under their hash once they were %s where they are stored', async (_how, change) => {
      const sessionId = randomUUID();
      const { sha256 } = await blobs.put(tenants[0]!, sessionId, 'image/png', randomBytes(1_000_000));
      await place.alter(owner, sha256, change);
      await expect(blobs.get(tenants[0]!, sessionId, [sha256])).rejects.toThrow(/do not match their SHA-256/);
    });

    it('survive a lost connection', async () => {
      const sessionId = randomUUID();
      const { sha256 } = await blobs.put(tenants[0]!, sessionId, 'image/png', randomBytes(10));
      await owner.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'blobs spec'");
      expect((await blobs.get(tenants[0]!, sessionId, [sha256])).size).toBe(1);
    });
  });
}
