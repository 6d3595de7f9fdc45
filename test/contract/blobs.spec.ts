import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll } from '@jest/globals';
import { openStorage } from '../../src/platform/blobs/open-blobs.js';
import { objectName, PostgresBlobs } from '../../src/platform/blobs/postgres-blobs.js';
import { readSettings } from '../../src/platform/config/env.js';
import { NO_ENCRYPTION } from '../support/encryption.js';
import { BUCKET, S3Server, storeAt } from '../support/s3-server.js';
import { blobsContract } from './blobs.contract.js';

const options = (url: string) => ({ url, timeoutMs: 60_000, applicationName: 'blobs spec' });

blobsContract('in the database', {
  open: async ({ appUrl }) => new PostgresBlobs(options(appUrl), NO_ENCRYPTION),
  alter: async (owner, sha256, change) => {
    const named = [Buffer.from(sha256, 'hex')];
    const { rows } = await owner.query<{ bytes: Buffer }>('SELECT bytes FROM blob WHERE sha256 = $1', named);
    await owner.query('UPDATE blob SET bytes = $2 WHERE sha256 = $1', [...named, change(rows[0]!.bytes)]);
  },
});

let server: S3Server | undefined;
afterAll(() => server?.stop());

blobsContract('in object storage', {
  open: async ({ appUrl }) => {
    server = await S3Server.start();
    const objects = await openStorage(readSettings({ BLOB_STORE: storeAt(server.url, '/below') }));
    return new PostgresBlobs({ ...options(appUrl), objects }, NO_ENCRYPTION);
  },
  alter: async (owner, sha256, change) => {
    const { rows } = await owner.query<{ tenant_id: string; object: string }>('SELECT tenant_id, object FROM blob WHERE sha256 = $1', [
      Buffer.from(sha256, 'hex'),
    ]);
    const at = { Bucket: BUCKET, Key: `below/${objectName(rows[0]!.tenant_id, rows[0]!.object)}` };
    const { Body } = await server!.client.send(new GetObjectCommand(at));
    await server!.client.send(new PutObjectCommand({ ...at, Body: change(Buffer.from(await Body!.transformToByteArray())) }));
  },
});
