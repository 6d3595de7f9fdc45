import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { MemoryTool } from '../../src/engine/tools/memory-tool.js';
import { readMemoryCommand } from '../../src/session/memory/memory-command.js';
import { runMemoryCommand } from '../../src/session/memory/run-command.js';
import { PostgresMemories } from '../../src/features/memory/postgres-memories.js';
import { connect } from '../../src/platform/postgres/connect.js';
import type { Encryption, MemoryAuthor, ToolCall, ToolOutcome } from '../../src/ports/index.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { encryptionWith, keysOf, NO_ENCRYPTION, textOf } from '../support/encryption.js';
import { openDatabase } from '../support/postgres-store.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call, expectVerified, resultsIn } from '../support/tool-server.js';
import { until } from '../support/until.js';

const WORD = 'marmalade';
const NOTES = '/memories/notes.md';
const create = (path: string, text: string): string => call('memory', { command: 'create', path, file_text: text });
const VIEW = call('memory', { command: 'view', path: '/memories' });

describe.each<readonly [string, Record<string, string>, Encryption]>([
  ['plain', {}, NO_ENCRYPTION],
  ['encrypted', { ENCRYPTION: 'on', ENCRYPTION_KEYS: textOf(keysOf('one')) }, encryptionWith('one')],
])('the memory of a user, %s', (name, environment, encryption) => {
  let server: TestServer;
  let owner: Connection;
  let admin: Client;

  beforeAll(async () => {
    server = await startTestServer({ ...environment, MEMORY_FILES: '5', MEMORY_FILE_BYTES: '200', ERASURE_INTERVAL_MS: '50' });
    owner = await connect(server.database.ownerUrl, 60_000);
    admin = server.client;
    expectStatus(await admin.call('PATCH', '/v1/settings', { memory: true }), 200);
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
  });

  interface Person {
    readonly client: Client;
    readonly userId: string;
    readonly path: string;
  }
  let people = 0;
  /** A member of the tenant that did not exist before. */
  async function person(): Promise<Person> {
    const userName = `person ${(people += 1)}`;
    const client = admin.as(expectStatus(await admin.post('/v1/tokens', { userName }), 201).body.token);
    const { userId } = (await client.get('/v1/me')).body;
    return { client, userId, path: `/v1/users/${userId}/memory` };
  }

  const rows = async (userId: string): Promise<number> =>
    Number((await owner.query<{ count: string }>('SELECT count(*) FROM memory_change WHERE user_id = $1', [userId])).rows[0]!.count);
  const answers = async (client: Client, id: string): Promise<readonly unknown[]> => resultsIn(await client.messages(id)).map(({ content }) => content);
  const offered = async (client: Client, id: string): Promise<readonly UnknownObject[]> =>
    ((await client.get(`/v1/sessions/${id}/payload`)).body.payload.tools ?? []).filter((tool: UnknownObject) => tool.name === 'memory');

  it('is kept across sessions by the tool of the model API, and read by the user alone', async () => {
    const { client, path, userId } = await person();
    const first = await client.session();
    await client.ask(first, create(NOTES, `${WORD}\nand bread\n`));
    await client.ask(first, call('memory', { command: 'str_replace', path: NOTES, old_str: 'bread', new_str: 'toast' }));
    expect(await answers(client, first)).toEqual([
      `File created successfully at: ${NOTES}`,
      `The memory file has been edited.\n     1\t${WORD}\n     2\tand toast`,
    ]);
    expect(await offered(client, first)).toEqual([{ type: 'memory_20250818', name: 'memory', cache_control: { type: 'ephemeral' } }]); // the last tool
    await expectVerified(client, first);
    const second = await client.session();
    await client.ask(second, call('memory', { command: 'view', path: NOTES }));
    expect(await answers(client, second)).toEqual([`Here's the content of ${NOTES} with line numbers:\n     1\t${WORD}\n     2\tand toast`]);
    const listed = expectStatus(await client.get(path), 200);
    expect(listed.body.data).toMatchObject([{ path: NOTES, bytes: 20, version: 2, sessionId: first, changedBy: userId }]);
    expect(listed.headers.get('cache-control')).toBe('no-store');
    expect((await client.get(`${path}/content?path=${NOTES}`)).body).toMatchObject({ content: `${WORD}\nand toast\n`, version: 2 });

    const other = await person();
    const third = await other.client.session();
    await other.client.ask(third, VIEW);
    expect(await answers(other.client, third)).toEqual([expect.not.stringContaining('notes')]);
    for (const nosy of [other.client, admin, server.client]) {
      for (const route of ['', `/content?path=${NOTES}`, `/versions?path=${NOTES}`]) expectStatus(await nosy.get(path + route), 404);
      expectStatus(await nosy.post(`${path}/undo`, { path: NOTES, version: 1 }), 404);
    }
    expectStatus(await other.client.call('DELETE', path), 404);
    expect(await rows(userId)).toBe(2);
    const stored = JSON.stringify((await owner.query('SELECT body FROM memory_change WHERE user_id = $1', [userId])).rows);
    expect([stored.includes(WORD), stored.includes('notes')]).toEqual(name === 'plain' ? [true, true] : [false, false]);
  });

  it('is off until the tenant switches it on, and off again when it switches it off', async () => {
    const fresh = await server.tenant(`careful ${name}`);
    const id = await fresh.session();
    await fresh.ask(id, create(NOTES, 'x'));
    expect(await offered(fresh, id)).toEqual([]);
    expect(await answers(fresh, id)).toEqual([expect.not.stringContaining('created')]);
    await fresh.call('PATCH', '/v1/settings', { memory: true });
    await fresh.ask(id, create(NOTES, 'y'));
    expect((await answers(fresh, id)).at(-1)).toBe(`File created successfully at: ${NOTES}`);
    await fresh.call('PATCH', '/v1/settings', { memory: false });
    await fresh.ask(id, VIEW);
    expect(await offered(fresh, id)).toEqual([]);
    const { userId } = (await fresh.get('/v1/me')).body;
    expect((await fresh.get(`/v1/users/${userId}/memory`)).body.data).toMatchObject([{ path: NOTES }]); // what there is can still be read and erased
  });

  it('follows the rules for tools: a denied tool is not offered, and a call can be asked about', async () => {
    const { client } = await person();
    const denying = await client.session({ permissions: { allow: [], deny: ['memory'], ask: [] } });
    await client.ask(denying, 'hello');
    expect(await offered(client, denying)).toEqual([]);
    const asking = await client.session({ permissions: { allow: [], deny: [], ask: ['memory'] } });
    expect(await client.ask(asking, VIEW)).toMatchObject({ status: 'waiting', toolCalls: [{ name: 'memory', status: 'awaiting_decision' }] });
  });

  it('is not used where anybody else can read what comes of it', async () => {
    const [{ client, path, userId }, other] = [await person(), await person()];
    const id = await client.session();
    await client.ask(id, create(NOTES, WORD));
    const grant = `/v1/sessions/${id}/grants/user:${other.userId}`;
    expectStatus(await client.call('PUT', grant, { role: 'editor' }), 200);
    for (const writer of [client, other.client]) {
      await writer.ask(id, VIEW);
      expect(await offered(writer, id)).toEqual([]);
      expect((await answers(writer, id)).at(-1)).not.toContain('notes');
    }
    // A call that waited for a decision runs where the session is shared by then.
    const asking = await client.session({ permissions: { allow: [], deny: [], ask: ['memory'] } });
    const { turnId, toolCalls } = await client.ask(asking, VIEW);
    expectStatus(await client.call('PUT', `/v1/sessions/${asking}/grants/user:${other.userId}`, { role: 'viewer' }), 200);
    expectStatus(await client.post(`/v1/sessions/${asking}/tool-decisions`, { toolUseId: toolCalls[0].toolUseId, decision: 'allow' }), 202);
    await client.settled(asking, turnId);
    expect(await answers(client, asking)).toEqual([expect.stringMatching(/^There is no memory in this session/)]);
    // A fork belongs to who made it, and so does its memory.
    const fork = expectStatus(await other.client.post(`/v1/sessions/${id}/forks`), 201).body.id;
    await other.client.ask(fork, call('memory', { command: 'create', path: '/memories/mine.md', file_text: 'mine' }));
    await other.client.ask(fork, VIEW);
    expect((await answers(other.client, fork)).at(-1)).toMatch(/mine\.md$/);
    expect((await client.get(path)).body.data).toMatchObject([{ path: NOTES }]);
    expect(await rows(userId)).toBe(1);
    expectStatus(await client.call('DELETE', grant), 200);
    await client.ask(id, VIEW);
    expect((await answers(client, id)).at(-1)).toContain('notes.md');
    const link = expectStatus(await client.post(`/v1/sessions/${id}/links`, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }), 201).body;
    await client.ask(id, VIEW);
    expect(await offered(client, id)).toEqual([]);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/links/${link.id}`), 204);
    const at = (await client.messages(id)).at(-1)!.uuid;
    expectStatus(await client.post(`/v1/sessions/${id}/links`, { at, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }), 201);
    await client.ask(id, VIEW);
    expect(await offered(client, id)).toHaveLength(1); // this link does not show what comes
  });

  it('is listed in every request of its user, as it is now, and in no request of another one', async () => {
    const [{ client }, other] = [await person(), await person()];
    const told = async (of: Client, id: string): Promise<readonly string[]> => {
      await of.ask(id, 'hello');
      const text = JSON.stringify((await of.get(`/v1/sessions/${id}/payload`)).body.payload.messages);
      return [...text.matchAll(/(?:The files in the|The|no) memory directory .*?(?=\\n<\/system-reminder>)/g)].map(([said]) => said);
    };
    const [writing, reading] = [await client.session(), await client.session()];
    expect(await told(client, reading)).toEqual(['The memory directory /memories is empty.']);
    await client.ask(writing, create(NOTES, WORD));
    const [, first] = await told(client, reading);
    expect(first).toBe(`The memory directory has changed. The files in it are now:\\n9 bytes, version 1: ${NOTES}`);
    expect(await told(client, reading)).toHaveLength(2);
    await client.ask(writing, call('memory', { command: 'str_replace', path: NOTES, old_str: WORD, new_str: 'clementin' }));
    expect((await told(client, reading)).at(-1)).toContain(`9 bytes, version 2: ${NOTES}`);
    const theirs = await other.client.session();
    expect(await told(other.client, theirs)).toEqual(['The memory directory /memories is empty.']);
    const grant = `/v1/sessions/${reading}/grants/user:${other.userId}`;
    expectStatus(await client.call('PUT', grant, { role: 'editor' }), 200);
    for (const writer of [client, other.client]) expect((await told(writer, reading)).slice(3)).toEqual(['no memory directory in this conversation any more.']);
    const fork = expectStatus(await other.client.post(`/v1/sessions/${reading}/forks`), 201).body.id;
    expect((await told(other.client, fork)).at(-1)).toBe('The memory directory /memories is empty.');
    await expectVerified(client, reading);
  });

  it('has every version, and can be undone', async () => {
    const { client, path } = await person();
    const id = await client.session();
    for (const command of [
      { command: 'create', path: '/memories/dir/a', file_text: 'one' },
      { command: 'insert', path: '/memories/dir/a', insert_line: 1, insert_text: 'two' },
      { command: 'create', path: '/memories/dir/b', file_text: 'b' },
      { command: 'rename', old_path: '/memories/dir', new_path: '/memories/moved' },
      { command: 'delete', path: '/memories/moved/a' },
    ])
      await client.ask(id, call('memory', command));
    const versions = async (of: string, query = ''): Promise<UnknownObject> => expectStatus(await client.get(`${path}/versions?path=${of}${query}`), 200).body;
    expect((await versions('/memories/dir/a')).data.map(({ version, bytes }: UnknownObject) => [version, bytes])).toEqual([
      [4, null],
      [2, 7],
      [1, 3],
    ]);
    expect((await versions('/memories/moved/a')).data).toMatchObject([
      { version: 5, bytes: null },
      { version: 4, bytes: 7, renamedFrom: '/memories/dir/a', sessionId: id },
    ]);
    const page = await versions('/memories/dir/a', '&limit=2');
    expect((await versions('/memories/dir/a', `&limit=2&cursor=${page.nextCursor}`)).data).toMatchObject([{ version: 1 }]);
    expect((await client.get(`${path}/content?path=/memories/dir/a&version=1`)).body.content).toBe('one');
    const undo = (of: string, version: number) => client.post(`${path}/undo`, { path: of, version });
    expect(expectStatus(await undo('/memories//moved/a/', 4), 200).body).toEqual({ path: '/memories/moved/a', version: 6 });
    expect((await undo('/memories/moved/a', 4)).body.version).toBe(6); // there was nothing to change
    expect((await client.get(path)).body.data).toMatchObject([
      { path: '/memories/moved/a', version: 6, sessionId: null },
      { path: '/memories/moved/b', version: 4 },
    ]);
    const gone = async (): Promise<UnknownObject> => (await client.get(`${path}?deleted=true`)).body.deleted;
    expect(await gone()).toMatchObject([
      { path: '/memories/dir/a', version: 4, sessionId: id },
      { path: '/memories/dir/b', version: 4 },
    ]);
    expect((await undo('/memories/moved/a', 5)).body.version).toBe(7);
    expect((await gone()).map((one: UnknownObject) => [one.path, one.version])).toEqual([
      ['/memories/dir/a', 4],
      ['/memories/dir/b', 4],
      ['/memories/moved/a', 7],
    ]);
    expectStatus(await client.get(`${path}/content?path=/memories/moved/a`), 404);
    expectStatus(await undo('/memories/moved/a', 1), 404);
    expectStatus(await undo('/memories/never', 1), 404);
    expectStatus(await client.get(`${path}/versions?path=/memories/never`), 404);
    expectStatus(await undo('/memories/../x', 1), 400);
    expectStatus(await client.get(`${path}/content?path=/memories/%252e`), 400);
    for (const file of ['c', 'd', 'e', 'f', 'g']) await client.ask(id, create(`/memories/${file}`, file));
    expect((await answers(client, id)).at(-1)).toMatch(/^Error: There are 5 files, which is the limit/);
    expect(expectStatus(await undo('/memories/moved/a', 4), 429).body.code).toBe('limit_reached');
    await client.ask(id, create('/memories/moved/b/c', 'x'.repeat(201)));
    expect((await answers(client, id)).at(-1)).toMatch(/^Error: \/memories\/moved\/b is a file/);
  });

  it('applies a call once, however often it runs, and gives the same answer', async () => {
    const { client, userId } = await person();
    const sessionId = await client.session();
    const { tenantId } = (await client.get('/v1/me')).body;
    const database = openDatabase(server.database.appUrl, { poolSize: 4 });
    const limits = { fileBytes: 1_000, files: 100, bytes: 10_000 };
    const memories = new PostgresMemories(database, encryption, { ...limits, files: 2 });
    const tool = new MemoryTool(memories, { read: async () => ({ memory: true }) } as never, limits);
    const called = (toolUseId: string, input: object): Promise<ToolOutcome> =>
      tool.run({ tenantId, sessionId, turnId: sessionId, toolUseId, name: 'memory', input, permissionMode: 'default', memoryOf: userId } as ToolCall);
    /** As often as it takes until the answer of the database is there. */
    const run = async (toolUseId: string, input: object): Promise<ToolOutcome> => {
      const read = readMemoryCommand(input as never);
      if ('fault' in read) throw new Error(read.fault);
      const author = { changedBy: userId, call: { sessionId, toolUseId } };
      const { text, isError } = await memories.change({ tenantId, userId }, author, (before) => runMemoryCommand(before, read.value, limits));
      return { content: text, isError };
    };
    try {
      const input = { command: 'create', path: NOTES, file_text: WORD };
      const first = await run('toolu_1', input);
      expect(first).toEqual({ content: `File created successfully at: ${NOTES}`, isError: false });
      expect(await run('toolu_1', input)).toEqual(first);
      await run('toolu_2', { command: 'delete', path: NOTES });
      expect(await run('toolu_1', input)).toEqual(first);
      expect(await memories.files({ tenantId, userId })).toEqual([]);
      expect(await rows(userId)).toBe(2);
      // Many at once, each twice: all are applied, each once, with versions one after the other.
      const names = Array.from({ length: 12 }, (_, index) => `/memories/file-${index}`);
      const made = await Promise.all([...names, ...names].map((path) => run(`toolu ${path}`, { ...input, path })));
      expect(made.filter(({ isError }) => isError)).toEqual([]);
      const files = await memories.files({ tenantId, userId });
      expect([files.map(({ path }) => path), files.map(({ version }) => version).sort((a, b) => a - b)]).toEqual([
        names.toSorted(),
        names.map((_, index) => index + 3),
      ]);
      // Models may give two calls one id: both are run.
      for (const path of ['/memories/one', '/memories/two']) expect(await called('call_0', { ...input, path })).toMatchObject({ isError: false });
      expect((await memories.files({ tenantId, userId })).map(({ path }) => path)).toEqual([...names, '/memories/one', '/memories/two'].toSorted());
      // Every command reads what each path has had: there are not more of them than can be read.
      const more: ToolOutcome[] = [];
      for (let index = 0; index < 7; index += 1) more.push(await called('call_0', { ...input, path: `/memories/more-${index}` }));
      const refused = more.filter(({ isError }) => isError);
      expect([refused.length, refused[0]!.content]).toEqual([2, expect.stringContaining('at 20 paths, and may have had them at 20')]); // with that of the deleted file
      // The answer of a call whose commit was lost on the way back: as if it had not run.
      const author: MemoryAuthor = { changedBy: userId, call: { sessionId, toolUseId: 'toolu_1' } };
      expect(await memories.change({ tenantId, userId }, author, (before) => ({ changes: [], size: before.size }))).toMatchObject({ size: 0, version: 1 });
      expect(await tool.run({ tenantId, sessionId, toolUseId: 'x', input: { command: 'view', path: '/memories' } } as never)).toMatchObject({ isError: true });
    } finally {
      await database.close();
    }
  });

  it('is erased by its user, by an admin, and with all that the user owns', async () => {
    const keys = async (): Promise<number> => Number((await owner.query<{ count: string }>('SELECT count(*) FROM data_key')).rows[0]!.count);
    const before = await keys();
    const { client, path, userId } = await person();
    const id = await client.session();
    const write = (): Promise<UnknownObject> => client.ask(id, create(NOTES, WORD));
    await write();
    const withOne = await keys();
    expect(withOne - before).toBe(name === 'plain' ? 0 : 2); // of the session, and of the memory
    for (const eraser of [client, admin]) {
      expectStatus(await eraser.call('DELETE', path), 204);
      expect([await rows(userId), await keys()]).toEqual([0, name === 'plain' ? before : withOne - 1]);
      expect((await client.get(path)).body).toEqual({ data: [] });
      await write();
      expect((await client.get(path)).body.data).toMatchObject([{ path: NOTES, version: 1 }]);
    }
    const { body } = expectStatus(await admin.call('DELETE', `/v1/users/${userId}/content`), 202);
    expect(await rows(userId)).toBe(0);
    await until('the sessions are erased', async () =>
      (await admin.get(`/v1/users/${userId}/erasures`)).body.data.some((one: UnknownObject) => one.id === body.id && one.endedAt),
    );
    expect([await rows(userId), await keys()]).toEqual([0, before]);
    expectStatus(await admin.call('DELETE', '/v1/users/00000000-0000-4000-8000-000000000000/memory'), 404);
  });

  it('loses, when an erasure of the user ends, what an older session has written since, and nothing else', async () => {
    const { client, userId, path } = await person();
    const old = await client.session();
    await client.ask(old, create(NOTES, WORD));
    const young = await client.session();
    await client.ask(young, create('/memories/new.md', 'new'));
    // What a younger session has made of a file of an older one holds its content, at whichever path.
    await client.ask(young, call('memory', { command: 'str_replace', path: NOTES, old_str: WORD, new_str: `${WORD} again` }));
    await client.ask(young, call('memory', { command: 'rename', old_path: NOTES, new_path: '/memories/moved.md' }));
    expect((await client.get(path)).body.data.map((file: UnknownObject) => file.path)).toEqual(['/memories/moved.md', '/memories/new.md']);
    const { rows: found } = await owner.query<{ tenant_id: string; at: Date }>('SELECT tenant_id, created_at AS at FROM session WHERE session_id = $1', [old]);
    await owner.query('BEGIN');
    await owner.query("SELECT set_config('verbatim.tenant', $1, true)", [found[0]!.tenant_id]);
    await owner.query('SELECT erase_memory($1, $2, $3)', [found[0]!.tenant_id, userId, found[0]!.at]);
    await owner.query('COMMIT');
    expect((await client.get(path)).body.data).toMatchObject([{ path: '/memories/new.md' }]);
  });

  it('is not written back by a change that read it before it was erased', async () => {
    const { client, userId } = await person();
    await client.ask(await client.session(), create(NOTES, WORD));
    const { tenantId } = (await client.get('/v1/me')).body;
    const database = openDatabase(server.database.appUrl);
    try {
      const memories = new PostgresMemories(database, encryption, { fileBytes: 1_000, files: 100, bytes: 10_000 });
      const seen: number[] = [];
      await memories.change({ tenantId, userId }, { changedBy: userId, call: null }, async (files) => {
        seen.push(files.size);
        if (files.size > 0) await memories.erase({ tenantId, userId });
        return { changes: [...files].map(([path, content]) => ({ path, content: `${content} again` })) };
      });
      expect([seen, await rows(userId)]).toEqual([[1, 0], 0]);
    } finally {
      await database.close();
    }
  });

  it('is written and deleted by the functions of the database alone, for the tenant of the transaction', async () => {
    const { client, userId } = await person();
    const { tenantId } = (await client.get('/v1/me')).body;
    await client.ask(await client.session(), create(NOTES, WORD));
    const app = await connect(server.database.appUrl, 60_000);
    try {
      for (const statement of [
        "UPDATE memory_change SET body = '{}'",
        'DELETE FROM memory_change',
        'INSERT INTO memory_change SELECT * FROM memory_change',
        'TRUNCATE memory_change',
      ])
        await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
      await expect(owner.query("UPDATE memory_change SET body = '{}'")).rejects.toMatchObject({ code: 'VB001' });
      await expect(app.query('SELECT erase_memory($1, $2, NULL)', [tenantId, userId])).rejects.toMatchObject({ code: 'VB003' });
      await expect(
        app.query("SELECT record_memory($1, $2, 1, NULL, NULL, $2, ARRAY[gen_random_uuid()], ARRAY['{}'], NULL, NULL, NULL)", [tenantId, userId]),
      ).rejects.toMatchObject({ code: 'VB003' });
    } finally {
      await app.end();
    }
    expect(await rows(userId)).toBe(1);
  });
});
