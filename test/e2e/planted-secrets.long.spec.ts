import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { type Client, expectStatus } from '../support/client.js';
import { dump, formsOf } from '../support/dump.js';
import { describeWith, REDIS_SERVER, SHELL } from '../support/needs.js';
import { ServerProcess } from '../support/process.js';
import { RedisServer } from '../support/redis-server.js';
import { makeTenant } from '../support/tenant.js';
import { call } from '../support/tool-server.js';

/** How many secrets are planted in all, spread over the doors. */
const SECRETS = Number(process.env['PLANTED_SECRETS'] ?? 100);

/** For so many secrets; it measures no speed. */
const TIMEOUT_MS = Math.max(180_000, SECRETS * 2_000);

/** Every way in which content gets into a session. */
const DOORS = [
  'title',
  'system',
  'context',
  'metadata',
  'tool',
  'prompt',
  'paste',
  'attachment',
  'file',
  'answer',
  'call',
  'result',
  'bash',
  'hook',
  'import',
  'lines',
  'feedback',
  'memory',
  'schedule',
] as const;
type Door = (typeof DOORS)[number];

describeWith(REDIS_SERVER, SHELL)('secrets planted over all doors', () => {
  let directory: string;
  let postgres: EmbeddedPostgres;
  let redis: RedisServer;
  let server: ServerProcess;
  let client: Client;
  let owner: Connection;
  const planted: string[] = [];

  const secret = (door: Door): string => {
    const made = `planted${door}${randomBytes(8).toString('hex')}`;
    planted.push(made);
    return made;
  };

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'verbatim-planted-'));
    await chmod(directory, 0o711);
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `read said; case "$said" in *plantedhook*) echo "heard $said";; esac` }] }] };
    await writeFile(path.join(directory, 'hooks.json'), JSON.stringify({ hooks }));
    [postgres, redis] = await Promise.all([startEmbeddedPostgres({ dataDir: path.join(directory, 'postgres'), database: 'verbatim' }), RedisServer.start()]);
    server = await ServerProcess.start({
      ...{ DATABASE_URL: postgres.url, REDIS_URL: redis.url, DATA_DIR: path.join(directory, 'data'), LOG_LEVEL: 'trace' },
      ...{ TOOLS: 'Bash,Read', MEMORY_FILES: '10000', HOOKS_FILE: path.join(directory, 'hooks.json') },
    });
    client = server.client(await makeTenant(postgres.url, 'planted'));
    owner = await connect(postgres.url, 60_000);
    expectStatus(await client.call('PATCH', '/v1/settings', { memory: true }), 200);
  });
  afterAll(async () => {
    await owner?.end();
    await server?.stop();
    await postgres?.stop();
    await redis?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function fill(): Promise<string> {
    const id = await client.session({
      ...{ title: secret('title'), system: secret('system'), context: { note: secret('context') }, metadata: { note: secret('metadata') } },
      tools: [{ name: 'lookup', description: secret('tool'), input_schema: { type: 'object' } }],
      permissions: { allow: ['Bash'] },
    });
    const file = Buffer.from(`${secret('file')} in a text file`).toString('base64');
    await client.ask(
      id,
      [
        { type: 'text', text: `${secret('prompt')} [Pasted text #1]` },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: Buffer.from(file, 'base64').toString() } },
      ],
      {
        pastedContents: { 1: { type: 'text', content: secret('paste').padEnd(3_000, ' ') } },
        attachments: [{ type: 'selected_lines_in_ide', filename: 'x', content: secret('attachment') }],
      },
    );
    const turn = await client.ask(id, `${secret('hook')} {{say ${secret('answer')}}} {{tool lookup {"key":"${secret('call')}"}}}`);
    const [looked] = turn.toolCalls;
    await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: looked.toolUseId, content: secret('result') }] });
    await client.settled(id, turn.turnId);
    await client.ask(id, call('memory', { command: 'create', path: `/memories/${secret('memory')}`, file_text: secret('memory') }));
    await client.ask(id, `echo ${secret('bash')} | tee kept`, { mode: 'bash' });
    expectStatus(await client.post(`/v1/sessions/${id}/schedules`, { input: secret('schedule'), everySeconds: 3_600 }), 201);
    const [request] = (await client.get(`/v1/sessions/${id}/requests`)).body.data;
    expectStatus(await client.post(`/v1/sessions/${id}/feedback`, { requestId: request.requestId, rating: 1, comment: secret('feedback') }), 201);
    return id;
  }

  async function importOne(): Promise<string> {
    const entry = { parentUuid: null, sessionId: randomUUID(), timestamp: '2026-01-01T00:00:00.000Z', isSidechain: false, version: '2.0.0' };
    const lines = [
      { type: 'summary', summary: secret('import'), leafUuid: randomUUID() },
      { ...entry, type: 'user', uuid: randomUUID(), message: { role: 'user', content: secret('import') }, cwd: `/home/${secret('import')}` },
    ];
    const response = await fetch(`${client.baseUrl}/v1/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    });
    const { id, sessionId = id } = (await response.json()) as { readonly id?: string; readonly sessionId?: string };
    expect([response.status, typeof sessionId]).toEqual([201, 'string']);
    return sessionId!;
  }

  async function appendOne(): Promise<string> {
    const file = { projectKey: 'planted', sessionId: secret('lines'), summary: { data: { firstPrompt: secret('lines') }, after: 0 } };
    const entry = { parentUuid: null, timestamp: '2026-01-01T00:00:00.000Z', uuid: randomUUID() };
    const lines = [
      file,
      { type: 'mode', mode: secret('lines') },
      { ...entry, type: 'user', message: { role: 'user', content: secret('lines') }, cwd: `/home/${secret('lines')}` },
    ];
    const headers = { 'content-type': 'application/x-ndjson' };
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    return expectStatus(await client.call('POST', '/v1/session-store', body, headers), 200).body.id;
  }

  const among = (texts: readonly string[]): readonly string[] => {
    const all = texts.join('\n');
    return planted.filter((one) => formsOf(one).some((form) => all.includes(form)));
  };

  async function filesOf(folder: string, skipped: readonly string[]): Promise<readonly string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    return files.filter((file) => !skipped.some((part) => file.includes(part)));
  }

  const inFiles = async (folder: string, skipped: readonly string[] = []): Promise<readonly string[]> => {
    const found = new Set<string>();
    for (const file of await filesOf(folder, skipped))
      for (const one of among([(await readFile(file)).toString('latin1')])) found.add(`${path.relative(folder, file)}: ${one}`);
    return [...found];
  };

  async function inRedis(): Promise<readonly string[]> {
    const connection = new Redis(redis.url);
    const values = await Promise.all(
      (await connection.keys('*')).map(async (key) => `${key} ${((await connection.dumpBuffer(key)) ?? '').toString('latin1')}`),
    );
    connection.disconnect();
    return among(values);
  }

  it(
    'are found nowhere after the erasure',
    async () => {
      const ids: string[] = [];
      while (planted.length < SECRETS) ids.push(await fill(), await importOne(), await appendOne());
      // Without a row, ANALYZE keeps its samples. The listing of the memory would be in it: names of files are in the logs of sessions, and are erased with these.
      expectStatus(await client.call('PATCH', '/v1/settings', { memory: false }), 200);
      await client.ask(await client.session({ title: 'another one', metadata: { kept: true } }), 'kept');
      await owner.query('ANALYZE');
      // The search for them works: before the erasure every one is in the database.
      expect(among(await dump(owner)).length).toBe(planted.length);
      expect((await inFiles(path.join(directory, 'data', 'workspaces'))).length).toBeGreaterThan(0);

      for (const id of ids) expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202);
      const { userId } = (await client.get('/v1/me')).body;
      expectStatus(await client.call('DELETE', `/v1/users/${userId}/memory`), 204);
      expect(among(await dump(owner))).toEqual([]);
      expect(await inRedis()).toEqual([]);
      expect(await inFiles(path.join(directory, 'data'))).toEqual([]);
      expect(among([server.printed()])).toEqual([]);

      await owner.query('ANALYZE');
      await owner.query('VACUUM (FULL)');
      await owner.query('CHECKPOINT');
      expect(await inFiles(postgres.dataDir, ['/pg_wal/'])).toEqual([]);

      const answers: string[] = [];
      const read = async (route: string): Promise<void> => void answers.push(JSON.stringify((await client.get(route)).body));
      for (const id of ids) {
        const { data: requests } = (await client.get(`/v1/sessions/${id}/requests`)).body;
        const turns = new Set<string>(requests.map(({ turnId }: { turnId: string }) => turnId));
        const parts = [
          '',
          '/messages',
          '/messages?view=full',
          '/events?limit=1000',
          '/requests',
          '/branches',
          '/rewinds',
          '/queue',
          '/export',
          '/payload',
          '/audit',
          '/erasures',
          '/schedules',
        ];
        for (const part of [...parts, ...[...turns].map((turn) => `/turns/${turn}`)]) await read(`/v1/sessions/${id}${part}`);
        for (const { requestId } of requests) await read(`/v1/sessions/${id}/requests/${requestId}`);
        expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
      }
      for (const route of ['/v1/sessions?limit=200', '/v1/sessions?archived=true&limit=200', '/v1/search?q=planted']) await read(route);
      expect(among(answers)).toEqual([]);
      expect(among([server.printed()])).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
