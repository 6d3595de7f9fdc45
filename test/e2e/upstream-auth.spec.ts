import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { connect } from '../../src/platform/postgres/connect.js';
import type { UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { dump, formsOf } from '../support/dump.js';
import { ServerProcess } from '../support/process.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';
import { makeTenant } from '../support/tenant.js';

const KEY = 'sk-of-the-caller-0123456789';
const HELLO = { model: 'claude-opus-4-8', max_tokens: 100, messages: [{ role: 'user' as const, content: '{{say one}}' }] };

type Headers = Readonly<Record<string, string>>;

describe('the key of the caller', () => {
  let api: StandIn;
  let database: TestDatabase;
  let directory: string;
  let server: ServerProcess;
  let token: string;

  beforeAll(async () => {
    [api, database, directory] = await Promise.all([startStandIn({ apiKey: KEY }), freshDatabase(), mkdtemp(path.join(tmpdir(), 'verbatim-auth-'))]);
    server = await ServerProcess.start({
      ...{ DATABASE_URL: database.ownerUrl, DATA_DIR: directory, LOG_LEVEL: 'trace' },
      ...{ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'key-of-the-deployment', UPSTREAM_AUTH: 'forward' },
    });
    token = await makeTenant(database.ownerUrl, 'callers');
  });
  afterAll(async () => {
    await server?.stop();
    await database?.drop();
    await api?.close();
    await rm(directory, { recursive: true, force: true });
  });

  const post = (headers: Headers): Promise<Response> =>
    fetch(`${server.url}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
      body: JSON.stringify(HELLO),
    });
  /** What the model API has received of the callers; the server itself asks for titles. */
  const sent = () => api.received.filter(({ body }) => body === JSON.stringify(HELLO));
  const messageOf = async (response: Response): Promise<string> => ((await response.json()) as UnknownObject).error.message;

  it('goes to the model API, with the token of this server in a header of its own that does not', async () => {
    const sdk = new Anthropic({ apiKey: KEY, baseURL: `${server.url}/anthropic`, maxRetries: 0, defaultHeaders: { 'x-verbatim-key': token } });
    const { data, response } = await sdk.messages.create(HELLO).withResponse();
    expect(data.content).toMatchObject([{ text: 'one' }]);
    const { headers } = sent().at(-1)!;
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(headers)).not.toMatch(/key-of-the-deployment|x-verbatim/);
    const [session, request] = ['x-verbatim-session', 'x-verbatim-request'].map((name) => response.headers.get(name)!);
    expect((await server.client(token).get(`/v1/sessions/${session}/requests/${request}`)).body).toMatchObject({ verified: true, status: 'completed' });
  });

  it('is that of the caller alone: without one, or with another, the model API refuses the request', async () => {
    for (const headers of [{}, { 'x-api-key': 'sk-wrong' }, { authorization: 'Bearer sk-wrong' }] as readonly Headers[]) {
      const refused = await post({ 'x-verbatim-key': token, ...headers });
      expect(refused.status).toBe(401);
      expect(refused.headers.get('x-verbatim-request')).not.toBeNull();
    }
    expect(sent().at(-1)!.headers).toMatchObject({ authorization: 'Bearer sk-wrong' });
  });

  it('is never taken for a token of this server, nor the token for it', async () => {
    const before = sent().length;
    for (const headers of [{ 'x-api-key': token }, { authorization: `Bearer ${token}` }, { 'x-verbatim-key': '', 'x-api-key': token }] as readonly Headers[]) {
      const refused = await post(headers);
      expect(refused.status).toBe(401);
      expect(await messageOf(refused)).toContain('x-verbatim-key');
    }
    for (const headers of [{ authorization: `Bearer ${token}` }, { 'x-api-key': KEY, 'x-other': token }] as readonly Headers[]) {
      const both = await post({ 'x-verbatim-key': token, ...headers });
      expect(both.status).toBe(400);
      expect(await messageOf(both)).toContain('passed on to the model API');
    }
    expect((await post({ 'x-verbatim-key': 'vb_wrong', 'x-api-key': KEY })).status).toBe(401);
    expect(sent()).toHaveLength(before);
  });

  it('is in no row, no file and no line of the log', async () => {
    await (await post({ 'x-verbatim-key': token, 'x-api-key': KEY })).text();
    const owner = await connect(database.ownerUrl, 60_000);
    const rows = (await dump(owner)).join('\n');
    await owner.end();
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(files.filter((file) => file.isFile()).map((file) => readFile(path.join(file.parentPath, file.name), 'latin1')));
    expect(rows).toContain('{{say one}}');
    for (const form of formsOf(KEY)) for (const text of [rows, server.printed(), ...texts]) expect(text).not.toContain(form);
  });
});
