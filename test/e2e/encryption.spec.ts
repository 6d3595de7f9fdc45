import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import sharp from 'sharp';
import { connect } from '../../src/platform/postgres/connect.js';
import { openKeyRing, openEncryption, type EncryptionSettings } from '../../src/platform/encryption/open-encryption.js';
import { plainSessions } from '../../src/platform/encryption/plain-sessions.js';
import { rewrapKeys } from '../../src/platform/encryption/rewrap-keys.js';
import { readSettings } from '../../src/platform/config/env.js';
import { type Client, expectStatus } from '../support/client.js';
import { dump, formsOf } from '../support/dump.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { KmsServer } from '../support/kms-server.js';
import { openDatabase } from '../support/postgres-store.js';
import { keysOf, textOf } from '../support/encryption.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** Encryption through the whole server, over a life: written, without the key, rotated, erased. Each test continues where the one before ended. */
describe('encrypted content', () => {
  let database: TestDatabase;
  let owner: Connection;
  let server: TestServer;
  let client: Client;
  let id: string;
  let image: Buffer;
  const secrets = Array.from({ length: 6 }, (_, index) => `secret${index}${randomBytes(8).toString('hex')}`);
  const [title, prompt, answer, paste, system, document] = secrets as [string, string, string, string, string, string];

  const start = async (environment: Record<string, string>): Promise<void> => {
    server = await startTestServer({ ENCRYPTION: 'on', ...environment }, database, client?.token);
    client = server.client;
  };

  beforeAll(async () => {
    database = await freshDatabase();
    owner = await connect(database.ownerUrl, 60_000);
    image = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#a06020' } })
      .png()
      .toBuffer();
    await start({ ENCRYPTION_KEYS: textOf(keysOf('one')) });
  });
  afterAll(async () => {
    await server?.stop();
    await owner.end();
    await database.drop();
  });

  const inDatabase = async (): Promise<readonly string[]> => {
    const lines = (await dump(owner)).join('\n');
    return [...secrets.filter((text) => formsOf(text).some((form) => lines.includes(form))), ...(lines.includes(image.toString('hex')) ? ['image'] : [])];
  };

  it('is in no row of the database, and the API has all of it', async () => {
    id = await client.session({ title, system });
    const input = [
      { type: 'text', text: `${prompt} {{say ${answer}}} [Pasted text #1]` },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.toString('base64') } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: document } },
    ];
    await client.ask(id, input, { pastedContents: { 1: { type: 'text', content: paste.padEnd(3_000, ' ') } } });
    expect(await inDatabase()).toEqual([]);
    const shown = JSON.stringify([(await client.get(`/v1/sessions/${id}/messages?view=full`)).body, (await client.get(`/v1/sessions/${id}`)).body]);
    for (const text of [title, prompt, answer, system]) expect(shown).toContain(text);
    const [listed] = (await client.get('/v1/sessions')).body.data;
    expect(listed).toMatchObject({ title, firstText: expect.stringContaining(prompt), lastText: expect.stringContaining(answer) });
    const { requestId } = (await client.get(`/v1/sessions/${id}/requests`)).body.data[0];
    expect((await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body).toMatchObject({ verified: true });
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true, rowMatches: true });
    expect((await client.get(`/v1/search?q=${prompt}`)).body.data).toEqual([]);
  });

  it('without its key the answer is 503 with the name of the key; with it everything is there again', async () => {
    await server.stop();
    await start({ ENCRYPTION_KEYS: textOf(keysOf('two')) });
    for (const route of [`/v1/sessions/${id}`, `/v1/sessions/${id}/messages`, '/v1/sessions', `/v1/sessions/${id}/audit`]) {
      expect((await client.get(route)).body).toMatchObject({ status: 503, code: 'key_unavailable', keyId: 'one' });
    }
    expect((await client.prompt(id, 'hello')).body).toMatchObject({ status: 503, code: 'key_unavailable', keyId: 'one' });
    expectStatus(await client.get(`/v1/sessions/${await client.session({ title: 'another' })}`), 200);
    await server.stop();
    await start({ ENCRYPTION_KEYS: textOf(keysOf('two', 'one')) });
    expect((await client.get(`/v1/sessions/${id}`)).body.title ?? title).toBe(title);
    await client.ask(id, 'more');
    expect(await inDatabase()).toEqual([]);
  });

  it('after a rotation to KMS only that key is needed; a disabled key is a 503 by its name', async () => {
    const kms = await KmsServer.start();
    const arn = kms.add();
    const aws = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_ENDPOINT_URL_KMS: kms.url };
    const before = { ...process.env };
    Object.assign(process.env, aws);
    try {
      await server.stop();
      const both = readSettings({ ENCRYPTION: 'on', ENCRYPTION_KEYS: textOf(keysOf('two', 'one')), ENCRYPTION_KMS_KEY_ID: arn });
      const connection = openDatabase(database.appUrl);
      expect(await rewrapKeys(connection, (await openKeyRing(both))!)).toEqual({ current: `kms:${arn}`, rewrapped: 3, missing: [], kept: 0 });
      await connection.close();
      await start({ ENCRYPTION_KMS_KEY_ID: arn });
      expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
      const key = kms.keys.get(arn)!;
      kms.keys.set(arn, null);
      await server.stop();
      await start({ ENCRYPTION_KMS_KEY_ID: arn });
      expect((await client.get(`/v1/sessions/${id}`)).body).toMatchObject({ status: 503, code: 'key_unavailable', keyId: `kms:${arn}` });
      kms.keys.set(arn, key);
      expectStatus(await client.get(`/v1/sessions/${id}`), 200);
      const calls = kms.calls.length;
      expectStatus(await client.get(`/v1/sessions/${id}/messages`), 200);
      expect(kms.calls.length).toBe(calls); // the data key is kept in memory
    } finally {
      for (const name of Object.keys(aws)) delete process.env[name];
      Object.assign(process.env, before);
      await kms.stop();
    }
  });

  it('an erasure takes the data keys of the session and of its files', async () => {
    const count = async (): Promise<number> => (await owner.query('SELECT FROM data_key')).rowCount ?? 0;
    const keys = await count();
    // The keys that were in use stay in memory: what follows needs no KMS.
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202);
    expect(await count()).toBe(keys - 2); // of the session and of the image
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  });

  it('the sessions that hold plain text are counted', async () => {
    const connection = openDatabase(database.appUrl);
    try {
      const before = await plainSessions(connection);
      expect(before).toEqual({ sessions: expect.any(Number), plain: 0 });
      await server.stop();
      await start({ ENCRYPTION: 'off' });
      await client.ask(await client.session(), 'in plain text');
      expect(await plainSessions(connection, 1)).toEqual({ sessions: before.sessions + 1, plain: 1 });
    } finally {
      await connection.close();
    }
  });
});

describe('the settings of encryption', () => {
  const settings = (given: Partial<Record<keyof EncryptionSettings, string>>): EncryptionSettings => readSettings(given);

  it.each([
    [{ ENCRYPTION: 'on' }, 'ENCRYPTION: needs ENCRYPTION_KEYS, ENCRYPTION_KEY_FILE or ENCRYPTION_KMS_KEY_ID'],
    [{ ENCRYPTION_KEYS: 'one' }, 'ENCRYPTION_KEYS: item 1 must be a name'],
    [{ ENCRYPTION_KEYS: `one:${Buffer.alloc(31).toString('base64')}` }, 'ENCRYPTION_KEYS: item 1 must be a name'],
    [{ ENCRYPTION_KEYS: `${textOf(keysOf('one'))},${textOf(keysOf('one'))}` }, 'two keys with the name one'],
    [{ ENCRYPTION_KEY_FILE: '/nowhere/keys' }, 'ENOENT'],
  ])('%o is rejected with its reason', async (given, reason) => {
    await expect(openEncryption(settings(given))).rejects.toThrow(reason);
  });

  it('a file of keys has comments, and comes before the setting', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-keys-'));
    const file = path.join(directory, 'keys');
    await writeFile(file, `# the newest first\n${textOf(keysOf('new'))}\n${textOf(keysOf('old'))}\n`);
    const ring = await openKeyRing(settings({ ENCRYPTION_KEY_FILE: file, ENCRYPTION_KEYS: textOf(keysOf('oldest')) }));
    expect((await ring!.wrap(randomBytes(32), 'x')).keyId).toBe('new');
    expect(['old', 'oldest', 'none'].map((name) => ring!.has(name))).toEqual([true, true, false]);
    await rm(directory, { recursive: true });
  });
});
