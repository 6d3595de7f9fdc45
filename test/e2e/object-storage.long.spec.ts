import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { type Client, expectStatus } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { BUCKET, CREDENTIALS, S3Server, storeAt } from '../support/s3-server.js';
import { answerError, ScriptedS3 } from '../support/scripted-s3.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const run = promisify(execFile);

const image = async (background: string): Promise<string> =>
  (
    await sharp({ create: { width: 40, height: 30, channels: 3, background } })
      .png()
      .toBuffer()
  ).toString('base64');

const withImage = (data: string) => [
  { type: 'text', text: 'look' },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
];

/** Files in object storage, through the whole server: with a server of S3, and with one that fails. */
describe('a server with BLOB_STORE', () => {
  let database: TestDatabase;
  let s3: S3Server;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    database = await freshDatabase();
    s3 = await S3Server.start();
    // The first file lies in the database.
    server = await startTestServer({}, database);
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await s3.stop();
    await database.drop();
  });

  const restart = async (environment: Readonly<Record<string, string>>): Promise<void> => {
    await server.stop();
    server = await startTestServer({ BLOB_REMOVAL_INTERVAL_MS: '20', ...environment }, database, client.token);
    client = server.client;
  };
  const objects = async (): Promise<readonly string[]> =>
    ((await s3.client.send(new ListObjectsV2Command({ Bucket: BUCKET }))).Contents ?? []).map(({ Key }) => Key!);
  const fileOf = async (id: string): Promise<string> =>
    /"sha256":"([0-9a-f]{64})"/.exec(JSON.stringify((await client.get(`/v1/sessions/${id}/messages?view=full`)).body))![1]!;
  const requestIsProven = async (id: string): Promise<void> => {
    const { requestId } = (await client.get(`/v1/sessions/${id}/requests`)).body.data.at(-1);
    expect((await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body).toMatchObject({ verified: true });
  };

  let first: string;
  let second: string;

  it('reads files of the database and stores new ones in the storage; the model gets both', async () => {
    first = await client.session();
    await client.ask(first, withImage(await image('#a06020')));
    await restart({ BLOB_STORE: storeAt(s3.url, '/chat') });
    second = await client.session();
    await client.ask(second, withImage(await image('#20a060')));
    expect(await objects()).toEqual([expect.stringMatching(/^chat\/[0-9a-f-]{36}\/[0-9a-f-]{36}$/)]);
    for (const id of [first, second]) {
      await requestIsProven(id);
      expectStatus(await client.get(`/v1/sessions/${id}/blobs/${await fileOf(id)}`), 200);
      expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
    }
    expect((await client.get('/health/ready')).body.checks).toMatchObject({ files: 'up' });
  });

  it('verbatim move-blobs moves the rest, beside the server', async () => {
    const environment = { PATH: process.env['PATH'], ...CREDENTIALS, DATABASE_URL: database.ownerUrl, BLOB_STORE: storeAt(s3.url, '/chat') };
    const move = () => run(process.execPath, ['bin/verbatim', 'move-blobs'], { env: environment });
    expect((await move()).stdout).toMatch(/^1 files with \d+ bytes are in the object storage now\.\n$/);
    expect((await move()).stdout).toMatch(/^0 files with 0 bytes/);
    expect(await objects()).toHaveLength(2);
    expectStatus(await client.get(`/v1/sessions/${first}/blobs/${await fileOf(first)}`), 200);
    await expect(run(process.execPath, ['bin/verbatim', 'move-blobs'], { env: { ...environment, BLOB_STORE: '' } })).rejects.toMatchObject({ code: 2 });
  });

  it('an erasure takes the object with it', async () => {
    expectStatus(await client.call('DELETE', `/v1/sessions/${second}`), 202);
    await until('the object is removed', async () => (await objects()).length === 1);
    expectStatus(await client.get(`/v1/sessions/${first}`), 200);
  });

  it('a storage that fails: prompts with files are refused as a whole, others are answered, and readiness says it', async () => {
    const failing = await ScriptedS3.start();
    await restart({ BLOB_STORE: storeAt(failing.url) });
    failing.script = (_, response) => answerError(response, 507, 'InsufficientStorage');
    const id = await client.session();
    const before = (await client.get(`/v1/sessions/${id}`)).body.version;
    const refused = await client.prompt(id, withImage(await image('#2060a0')));
    expect(refused.body).toMatchObject({ status: 503, code: 'unavailable', storage: 'full' });
    expect((await client.get(`/v1/sessions/${id}`)).body.version).toBe(before);
    await client.ask(id, 'without a file');
    const ready = await client.get('/health/ready');
    expectStatus(ready, 200);
    expect(ready.body.checks).toMatchObject({ database: 'up', files: 'down' });
    failing.script = () => null;
    await client.ask(id, withImage(await image('#2060a0')));
    expect(failing.contents).toHaveLength(1);
    expect((await client.get('/health/ready')).body.checks).toMatchObject({ files: 'up' });
    expect(await (await fetch(`${server.running.url}/metrics`)).text()).toMatch(/verbatim_blob_store_operations_total\{operation="put",outcome="full"\} 1/);
    await failing.stop();
  });
});
