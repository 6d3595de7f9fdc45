import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, ClaudeFile, text, thinking } from '../support/claude-file.js';
import { type Answer, type Client, expectStatus, freshKey, type UnknownObject } from '../support/client.js';
import { PIXEL } from '../support/normalize/build.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const NDJSON = 'application/x-ndjson';
const LINE_LIMIT = 400_000;

let server: TestServer;
let client: Client;

const usual = process.env['TMPDIR'];
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'verbatim-transfer-'));
  process.env['TMPDIR'] = directory;
  server = await startTestServer({ MAX_IMPORT_BYTES: '3000000', MAX_IMPORT_LINE_BYTES: String(LINE_LIMIT), MAX_IMPORT_LINES: '5000', MAX_JSON_DEPTH: '50' });
  client = server.client;
});
afterAll(async () => {
  await server.stop();
  if (usual === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = usual;
  await rm(directory, { recursive: true });
});

async function send(body: string | Buffer, headers: Readonly<Record<string, string>> = {}, as: Client = client): Promise<Answer<UnknownObject>> {
  const response = await fetch(`${as.baseUrl}/v1/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as.token}`, 'content-type': NDJSON, ...headers },
    body: body as string,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function exported(id: string, branches = 'all'): Promise<string> {
  const answer = expectStatus(await client.get(`/v1/sessions/${id}/export?format=jsonl&branches=${branches}`), 200);
  expect(answer.headers.get('content-type')).toContain(NDJSON);
  return answer.body;
}

const payload = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}/payload`), 200).body;
const all = (id: string) => client.messages(id, 'view=full&limit=1000');
const listed = async (as: Client = client): Promise<readonly string[]> => (await as.get('/v1/sessions?limit=200')).body.data.map(({ id }: UnknownObject) => id);

const conversation = (): ClaudeFile =>
  new ClaudeFile()
    .user('u1', null, 'Two commands, please', { permissionMode: 'acceptEdits', origin: { kind: 'human' } })
    .line('progress', 'p1', 'u1', { data: { type: 'hook_progress' } })
    .piece('a1', 'p1', 'msg_1', thinking('Both at once'))
    .piece('a2', 'a1', 'msg_1', text('Here they are'))
    .piece('a3', 'a2', 'msg_1', call('toolu_1'))
    .result('r1', 'a3', 'toolu_1', 'one')
    .piece('a4', 'a3', 'msg_1', call('toolu_2'), { stop: 'tool_use' })
    .result('r2', 'a4', 'toolu_2', 'two')
    .line('attachment', 'h1', 'r2', {
      attachment: { type: 'hook_blocking_error', hookName: 'PostToolUse:Bash', toolUseID: 'toolu_2', blockingError: { blockingError: 'no echo' } },
    })
    .user('s1', null, 'sidechain secret', { isSidechain: true })
    .raw('{"type":"summary","summary":"An older talk","leafUuid":"17356307"}')
    .raw('// a comment')
    .piece('b1', 'h1', 'msg_2', text('Done'), { stop: 'end_turn' });

/** What readers get of that. */
const MARKDOWN = `# Two commands, please

## User: admin

*2026-01-01 00:00:00 UTC*

> Two commands, please

## Assistant: claude-opus-4-5-20251101

*2026-01-01 00:00:02 UTC*

Here they are

<details>
<summary>Tool: Bash echo toolu_1</summary>

Input:

\`\`\`json
{
  "command": "echo toolu_1"
}
\`\`\`

Result:

\`\`\`
one
\`\`\`

</details>

<details>
<summary>Tool: Bash echo toolu_2</summary>

Input:

\`\`\`json
{
  "command": "echo toolu_2"
}
\`\`\`

Result:

\`\`\`
two
\`\`\`

</details>

## Server

*2026-01-01 00:00:08 UTC*

Context: hook\\_blocking\\_error

## Assistant: claude-opus-4-5-20251101

*2026-01-01 00:00:12 UTC*

Done
`;

async function connected(url: string): Promise<pg.Client> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  return owner;
}

describe('an imported Claude Code file', () => {
  it('is continued without a turn that the model refused, which readers keep', async () => {
    const file = new ClaudeFile()
      .user('u1', null, 'first question')
      .piece('a1', 'u1', 'msg_1', text('first answer'), { stop: 'end_turn' })
      .user('u2', 'a1', 'forbidden question')
      .piece('a2', 'u2', 'msg_2', text('Half an answer'), { stop: 'refusal' });
    const { id } = expectStatus(await send(file.text), 201).body;
    const view = await payload(id);
    expect(JSON.stringify(view.payload)).toContain('first answer');
    expect(JSON.stringify(view.payload)).not.toMatch(/forbidden|Half/);
    expect(view.trace.filter(({ pass }: UnknownObject) => pass === 'drop-withdrawn')).toHaveLength(2);
    expect((await all(id)).map(({ uuid }: UnknownObject) => uuid)).toContain(ClaudeFile.uuid('a2'));
  });

  it('gives a valid payload without loss, and without lines that are never sent', async () => {
    const { body, headers } = expectStatus(await send(conversation().text), 201);
    expect(body).toEqual({
      id: expect.any(String),
      version: 9,
      source: 'claude-code',
      imported: 6,
      moves: 0,
      preserved: 0,
      reattached: 0,
      offBranch: [],
      offBranchTotal: 0,
      retained: { progress: 1, sidechain: 1, summary: 1 },
      skipped: [{ line: 12, reason: expect.stringContaining('not valid JSON') }],
      skippedTotal: 1,
      shortened: [],
    });
    expect(headers.get('location')).toBe(`/v1/sessions/${body.id}`);
    expect(headers.get('etag')).toBe('"9"');
    const session = (await client.get(`/v1/sessions/${body.id}`)).body;
    expect(session).toMatchObject({ status: 'idle', model: 'claude-opus-4-5-20251101', permissionMode: 'acceptEdits', head: ClaudeFile.uuid('b1') });

    const messages = await all(body.id);
    expect(messages.map(({ type, uuid }: UnknownObject) => [type, uuid])).toEqual([
      ['user', ClaudeFile.uuid('u1')],
      ['assistant', ClaudeFile.uuid('a1')],
      ['user', ClaudeFile.uuid('r1')],
      ['user', ClaudeFile.uuid('r2')],
      ['attachment', ClaudeFile.uuid('h1')],
      ['assistant', ClaudeFile.uuid('b1')],
    ]);
    expect(messages[1].message.content.map(({ type }: UnknownObject) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
    expect(messages[1]).toMatchObject({ timestamp: '2026-01-01T00:00:02.000Z', message: { id: 'msg_1', stop_reason: 'tool_use' } });
    expect(messages[2].toolUseResult).toEqual({ stdout: 'one' });

    const view = await payload(body.id);
    expect(view.problems).toEqual([]);
    expect(view.payload.messages.map(({ role }: UnknownObject) => role)).toEqual(
      ['user', 'assistant', 'user', 'assistant', 'user'].slice(0, view.payload.messages.length),
    );
    const results = view.payload.messages[2].content.filter(({ type }: UnknownObject) => type === 'tool_result');
    expect(results.map(({ tool_use_id, content }: UnknownObject) => [tool_use_id, content])).toEqual([
      ['toolu_1', 'one'],
      ['toolu_2', 'two'],
    ]);
    const sent = JSON.stringify(view.payload);
    expect(sent).toContain('no echo');
    expect(sent).not.toMatch(/secret|older talk|missing/);

    const log = await client.events(body.id);
    expect(log.map(({ type }: UnknownObject) => type)).toEqual([
      'session.created',
      ...Array(6).fill('message.appended'),
      'import.retained',
      'session.imported',
    ]);
    expect(log.at(-2).data.lines.map(({ line, value }: UnknownObject) => [line, value.type])).toEqual([
      [2, 'progress'],
      [10, 'user'],
      [11, 'summary'],
    ]);
    expect(log.at(-1).data.origin).toEqual({ sessionId: 'e31e5543', version: '2.1.0', cwd: '/home/me/project', gitBranch: 'main' });
    expect((await client.get(`/v1/sessions/${body.id}/audit`)).body).toMatchObject({ valid: true, events: 9 });
  });

  it('shows what was taken back when a model refused, and does not send it', async () => {
    const file = new ClaudeFile()
      .user('u1', null, 'first')
      .piece('a1', 'u1', 'm', text('unfinished words'))
      .line('system', 'n', 'a1', { subtype: 'model_refusal_fallback', content: 'Switched', retractedMessageUuids: [ClaudeFile.uuid('a1')] })
      .piece('b1', 'n', 'o', text('other words'))
      .piece('b2', 'b1', 'p', text('last words'), { supersedesUuids: [ClaudeFile.uuid('b1')] });
    const { id } = expectStatus(await send(file.text), 201).body;
    expect((await all(id)).map(({ uuid, withdraws }: UnknownObject) => [uuid, withdraws])).toEqual([
      [ClaudeFile.uuid('u1'), undefined],
      [ClaudeFile.uuid('a1'), undefined],
      [ClaudeFile.uuid('n'), [ClaudeFile.uuid('a1')]],
      [ClaudeFile.uuid('b1'), undefined],
      [ClaudeFile.uuid('b2'), [ClaudeFile.uuid('b1')]],
    ]);
    const view = await payload(id);
    expect(JSON.stringify(view.payload.messages)).toContain('last words');
    expect(JSON.stringify(view.payload.messages)).not.toMatch(/unfinished words|other words/);
    expect(view.trace.filter(({ pass }: UnknownObject) => pass === 'drop-withdrawn').map(({ source }: UnknownObject) => source.uuid)).toEqual([
      ClaudeFile.uuid('a1'),
      ClaudeFile.uuid('b1'),
    ]);
  });

  it('accepts prompts, rewinds and restores', async () => {
    const { id } = expectStatus(await send(conversation().text), 201).body;
    const turn = await client.ask(id, 'And now?');
    expect(turn).toMatchObject({ status: 'completed', error: null });
    const { digest } = await payload(id);
    const rewind = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { after: ClaudeFile.uuid('r2') }), 201).body;
    expect((await all(id)).at(-1).uuid).toBe(ClaudeFile.uuid('r2'));
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${rewind.id}/restore`), 201);
    expect((await payload(id)).digest).toBe(digest);
  });

  it('reports the number of every damaged line, but not its content', async () => {
    const file = new ClaudeFile()
      .raw('\uFEFF{"type":"summary"}')
      .user('u1', null, 'kept')
      .raw('{"type":"user","message":{"content":"SECRET')
      .raw('["SECRET"]')
      .raw('');
    file
      .raw('{"type":"user","message":{"content":7}}')
      .raw(`{"type":"x","a":${'['.repeat(60)}${']'.repeat(60)}}`)
      .raw('{"__proto__":"SECRET","type":"x"}')
      .raw('{"type":"x","SECRET":"a\u0001b"}');
    const bytes = Buffer.concat([
      Buffer.from(file.text),
      Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
      Buffer.from(`{"type":"user","message":{"content":"${'x'.repeat(LINE_LIMIT)}"}}\n`),
      Buffer.from('{"type":"SECRET"'),
    ]);
    const { body } = expectStatus(await send(bytes), 201);
    expect(body.imported).toBe(1);
    expect(body.skipped.map(({ line }: UnknownObject) => line)).toEqual([1, 3, 4, 6, 7, 8, 9, 10, 11, 12]);
    expect(body.skipped[0].reason).toContain('byte order mark');
    expect(body.skipped[7].reason).toContain('UTF-8');
    expect(body.skipped[8].reason).toContain(String(LINE_LIMIT));
    expect(body.skippedTotal).toBe(10);
    expect(JSON.stringify(body)).not.toContain('SECRET');
  });
});

describe('an export', () => {
  const digestAfterTransfer = async (id: string): Promise<readonly [string, string]> => {
    const file = await exported(id);
    const copy = expectStatus(await send(file), 201).body;
    expect(copy).toMatchObject({ source: 'verbatim', skippedTotal: 0 });
    // A file cannot say what is in force here: the mark of standing context is not taken from it.
    expect(await exported(copy.id)).toBe(file.replaceAll(/,"standing":"[\w-]+"/g, ''));
    return [(await payload(id)).digest, (await payload(copy.id)).digest];
  };

  it('gives the same payload when imported, after rewinds, with tools, attachments and arbitrary text', async () => {
    const nasty = 'nul \u0000, lone \ud83d and \udc00, 🧵, \u2028, "quotes" \\';
    const id = await client.session({
      title: 'Sums',
      system: `Be brief. ${nasty}`,
      context: { project: nasty },
      systemContext: { branch: 'main' },
      permissionMode: 'plan',
      // A file has no tools of the server: the copy is offered those of its own with its first prompt.
      permissions: { allow: [], deny: ['ExitPlanMode'], ask: [] },
      tools: [{ name: 'lookup', description: 'Looks up', input_schema: { type: 'object' } }],
      metadata: { deep: [1, { two: null }] },
    });
    await client.ask(id, nasty, { attachments: [{ type: 'opened_file_in_ide', filename: 'a.ts' }] });
    await client.ask(id, 'taken back');
    const messages = await all(id);
    const taken = messages.find(({ content }: UnknownObject) => JSON.stringify(content ?? '').includes('taken back'));
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: taken.uuid }), 201);
    const turn = await client.ask(id, '{{tool lookup {"q":1}}}');
    expect(turn.status).toBe('waiting');
    const [toolUse] = (await all(id)).at(-1).message.content.filter(({ type }: UnknownObject) => type === 'tool_use');
    expectStatus(
      await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: toolUse.id, content: nasty, toolUseResult: { z: nasty, a: 1 } }] }),
      202,
    );
    await client.settled(id, turn.turnId);
    const [first, ...rest] = (await exported(id, 'current'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ type: 'session', format: 'verbatim/2', title: 'Sums', permissionMode: 'plan', metadata: { deep: [1, { two: null }] } });
    expect(rest).toEqual(await all(id));
    const [before, after] = await digestAfterTransfer(id);
    expect(after).toBe(before);
  });

  it('of an import gives the same payload, and of an empty session an empty session', async () => {
    for (const id of [expectStatus(await send(conversation().text), 201).body.id, await client.session({ title: 'empty' })]) {
      const [before, after] = await digestAfterTransfer(id);
      expect(after).toBe(before);
    }
  });

  it('as Markdown has who wrote what, calls with their results, files by name, and thinking where it is asked for', async () => {
    const { id } = expectStatus(await send(conversation().text), 201).body;
    const pastedContents = { '1': { type: 'image', content: PIXEL, mediaType: 'image/png', filename: 'a *dot*.png' } };
    await client.ask(id, 'What is [Image #1]?\n# of `what`', { pastedContents });
    const answer = expectStatus(await client.get<string>(`/v1/sessions/${id}/markdown`), 200);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id}.md"`);
    const [before, after] = answer.body.replaceAll(/\*(?!2026-01-01)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\*/g, '*NOW*').split('\n## User: admin\n\n*NOW*\n');
    expect(before).toBe(MARKDOWN);
    expect(after).toContain('\n> What is [Image #1]?\n> # of `what`\n\nImage: a \\*dot\\*.png (image/png, 1 × 1 pixels, 70 bytes)\n\n## Assistant: ');
    const whole = expectStatus(await client.get<string>(`/v1/sessions/${id}/markdown?thinking=true`), 200).body;
    expect(whole.replace('\n<details>\n<summary>Thinking</summary>\n\n> Both at once\n\n</details>\n', '')).toBe(answer.body);
    expect((await client.get(`/v1/sessions/${id}/markdown?thinking=yes`)).body.code).toBe('invalid_input');
    expect((await (await server.tenant('another reader')).get(`/v1/sessions/${id}/markdown`)).body.code).toBe('session_not_found');
  });

  it('is not accessible to another tenant', async () => {
    const id = await client.session();
    const outsider = await server.tenant('another tenant');
    expect((await outsider.get(`/v1/sessions/${id}/export`)).body.code).toBe('session_not_found');
    expect((await client.get(`/v1/sessions/${id}/export?format=xml`)).body.code).toBe('invalid_input');
  });
});

describe('an import', () => {
  it('is idempotent under its key, and fails for another file', async () => {
    const key = freshKey();
    const first = expectStatus(await send(conversation().text, key), 201);
    const again = expectStatus(await send(conversation().text, key), 201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await send(conversation().user('u9', 'b1', 'more').text, key)).body.code).toBe('idempotency_mismatch');
    const other = await server.tenant('other keys');
    expect(expectStatus(await send(conversation().text, key, other), 201).body.id).not.toBe(first.body.id);
  });

  it('says under the key of an erased session that it was erased, and creates another under a new key', async () => {
    const key = freshKey();
    const { id } = expectStatus(await send(conversation().text, key), 201).body;
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202);
    expect((await send(conversation().text, key)).body.code).toBe('session_erased');
    expect(expectStatus(await send(conversation().text, freshKey()), 201).body.id).not.toBe(id);
  });

  it('creates one session for concurrent requests with one key', async () => {
    const key = freshKey();
    const file = new ClaudeFile();
    for (let n = 0; n < 700; n += 1) file.user(`u${n}`, n === 0 ? null : `u${n - 1}`, `prompt ${n} ${'x'.repeat(800)}`);
    const answers = await Promise.all([send(file.text, key), send(file.text, key), send(file.text, key)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await all(answers[0]!.body.id)).toHaveLength(700);
    expect((await client.get(`/v1/sessions/${answers[0]!.body.id}/audit`)).body.valid).toBe(true);
  });

  it('creates no session when no line can be read', async () => {
    const before = await listed();
    for (const body of [
      '',
      '\n\n',
      'hello\nworld\n',
      '{"type":"summary","summary":"x"}\n',
      '{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","parts":[{"text":"of another agent"}]}}\n',
    ]) {
      const answer = await send(body);
      expect([answer.status, answer.body.code]).toEqual([422, 'nothing_to_import']);
    }
    expect((await send('hello')).body.errors).toEqual([{ pointer: 'line 1', detail: expect.stringContaining('not valid JSON') }]);
    expect(await listed()).toEqual(before);
  });

  it('fails when it is too large, has too many lines, or has another type', async () => {
    const line = conversation().lines[0]!;
    expect((await send(Buffer.alloc(3_000_001, 0x20))).body).toMatchObject({ status: 413, limit: 3_000_000 });
    expect((await send(`${'{}\n'.repeat(5_001)}`)).body).toMatchObject({ status: 413, limit: 5_000 });
    expect((await send(line, { 'content-type': 'application/json' })).body.code).toBe('unsupported_media_type');
    expect((await send(line, { 'content-encoding': 'gzip' })).body.code).toBe('unsupported_media_type');
    expect((await send(line, { 'if-match': '"3"' })).body.code).toBe('version_conflict');
  });

  it('leaves no session and no temporary file when the client disconnects', async () => {
    const as = await server.tenant('vanishing');
    const { hostname, port } = new URL(as.baseUrl);
    await new Promise<void>((resolve) => {
      const request = httpRequest({
        hostname,
        port,
        path: '/v1/imports',
        method: 'POST',
        headers: { authorization: `Bearer ${as.token}`, 'content-type': NDJSON, 'transfer-encoding': 'chunked' },
      });
      request.once('error', () => resolve());
      request.write(conversation().text, () => request.destroy(new Error('gone')));
    });
    // By the response to a second import, the aborted one has started: only the second may be listed.
    const { id } = expectStatus(await send(conversation().text, {}, as), 201).body;
    expect(await listed(as)).toEqual([id]);
    await until('the file is gone', async () => (await readdir(directory)).length === 0);
  });

  it('that did not complete is not visible, and is completed by a retry', async () => {
    const as = await server.tenant('cut short');
    const key = { 'idempotency-key': randomUUID() };
    const file = new ClaudeFile();
    for (let n = 0; n < 900; n += 1) file.user(`u${n}`, n === 0 ? null : `u${n - 1}`, `prompt ${n}`);
    // A trigger rejects the last batch: the state after a crash before it.
    const owner = await connected(server.database.ownerUrl);
    await owner.query(`CREATE FUNCTION cut_short() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cut short'; END $$`);
    await owner.query(`CREATE TRIGGER cut_short BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.type = 'session.imported') EXECUTE FUNCTION cut_short()`);
    try {
      expect((await send(file.text, key, as)).status).toBe(500);
    } finally {
      await owner.query('DROP TRIGGER cut_short ON event');
    }
    expect(await listed(as)).toEqual([]);
    const { rows } = await owner.query<{ id: string; version: string }>('SELECT session_id AS id, version FROM stream ORDER BY updated_at DESC LIMIT 1');
    await owner.end();
    expect(Number(rows[0]!.version)).toBeGreaterThanOrEqual(250);
    for (const route of ['', '/messages', '/events', '/export', '/payload']) expect((await as.get(`/v1/sessions/${rows[0]!.id}${route}`)).status).toBe(404);
    expect((await as.prompt(rows[0]!.id, 'hello')).status).toBe(404);
    const { body } = expectStatus(await send(file.text, key, as), 201);
    expect(body).toMatchObject({ id: rows[0]!.id, imported: 900 });
    expect(await listed(as)).toEqual([body.id]);
    expect((await as.messages(body.id, 'view=full&limit=1000')).map(({ content }: UnknownObject) => content)).toEqual(
      Array.from({ length: 900 }, (_, n) => `prompt ${n}`),
    );
    expect((await as.get(`/v1/sessions/${body.id}/audit`)).body.valid).toBe(true);
  });
});
