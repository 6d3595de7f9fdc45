import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client as Connection } from 'pg';
import sharp from 'sharp';
import { JsonLinesFile } from '../../src/features/proofs/anchors/json-lines-file.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { NodeCryptography } from '../../src/platform/system/node-cryptography.js';
import { PostgresTransparencyLog } from '../../src/features/proofs/log-store/postgres-transparency-log.js';
import { verifyLog } from '../../packages/proofs/verification/verify-log.js';
import { LogAudit } from '../../src/engine/audit/log-audit.js';
import { TransparencyQueries } from '../../src/engine/audit/transparency-queries.js';
import { type Client, expectStatus } from '../support/client.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { keysOf, textOf } from '../support/encryption.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Place, tables, tamperings, unguard } from '../support/tampering.js';
import { logKeyOf } from '../support/log-key.js';
import { until } from '../support/until.js';

/**
 * The owner of the database changes every column of every table, one at a time, in a row of a deployment that was used. Whatever is changed is found by an audit, or docs/proofs.md lists it as not
 * proven; and no reader is shown, or given as proven, another conversation than the one that was recorded.
 */
const SAID = 'the word that was said';
const READS = ['', '/messages', '/events?limit=300', '/payload', '/grants', '/export', '/markdown', '/branches', '/requests'];

interface Deployment {
  readonly server: TestServer;
  readonly owner: Connection;
  readonly tree: LogAudit;
  /** With everything; erased; a fork; of the Anthropic door. */
  readonly sessions: readonly string[];
  readonly places: readonly Place[];
  /** A session that has little. */
  readonly bystander: string;
  readonly close: () => Promise<void>;
}

async function fill(client: Client): Promise<readonly [string, string, string, string, string]> {
  const [bystander, used, erased] = [
    await client.session(),
    await client.session({ title: 'a title', metadata: { kind: 'a' }, retentionDays: 30 }),
    await client.session(),
  ];
  await client.ask(used, [image(PIXEL), { type: 'text', text: SAID }]);
  await client.ask(used, 'a word to be erased');
  await client.ask(erased, 'all of it');
  const fork = expectStatus(await client.post(`/v1/sessions/${used}/forks`), 201).body.id;
  const { uuid } = (await client.messages(used)).findLast(({ type }) => type === 'user')!;
  expectStatus(await client.call('DELETE', `/v1/sessions/${used}/messages/${uuid}?includeForks=true`), 202);
  expectStatus(await client.call('DELETE', `/v1/sessions/${erased}?reason=asked`), 202);
  expectStatus(await client.post(`/v1/sessions/${used}/hold`, { reason: 'a case' }), 200);
  expectStatus(await client.call('PUT', `/v1/sessions/${used}/grants/group:support`, { role: 'viewer' }), 200);
  expectStatus(await client.post(`/v1/sessions/${used}/schedules`, { input: SAID, everySeconds: 86_400 }), 201);
  expectStatus(await client.post(`/v1/sessions/${used}/links`, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }), 201);
  const lines = Array.from({ length: 300 }, (_, index) =>
    JSON.stringify({ type: 'user', uuid: crypto.randomUUID(), parentUuid: null, content: `line ${index}` }),
  );
  await client.call('POST', '/v1/imports', lines.join('\n'), { 'content-type': 'application/x-ndjson' }); // so that the tree has a full tile
  return [bystander, used, erased, fork, await passed(client)];
}

/** A session of the Anthropic door: its requests have the text of the body, with references to files. */
async function passed(client: Client): Promise<string> {
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json', 'x-claude-code-session-id': 'door' };
  const first = { role: 'user', content: [image(await noise()), { type: 'text', text: SAID }] };
  const ask = async (messages: readonly object[]): Promise<Response> =>
    fetch(`${client.baseUrl}/anthropic/v1/messages`, { method: 'POST', headers, body: JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 50, messages }) });
  const response = await ask([first]);
  const { content } = (await response.json()) as { readonly content: unknown };
  await (await ask([first, { role: 'assistant', content }, { role: 'user', content: SAID }])).text();
  return response.headers.get('x-verbatim-session')!;
}

/** A PNG that is long enough to be referred to. */
const noise = async (): Promise<string> =>
  (
    await sharp({ create: { width: 40, height: 40, channels: 3, background: 'black', noise: { type: 'gaussian', mean: 128, sigma: 30 } } })
      .png()
      .toBuffer()
  ).toString('base64');

async function deployed(environment: Record<string, string>): Promise<Deployment> {
  const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-tampering-'));
  const anchors = path.join(folder, 'anchors');
  const settings = { ...environment, TLOG_INTERVAL_MS: '10', ANCHOR_INTERVAL_MS: '50', EXPORT_PROOF_WAIT_MS: '1', ANCHOR_FILE: anchors };
  const writer = await startTestServer(settings);
  const { client } = writer;
  const owner = await connect(writer.database.ownerUrl, 60_000);
  const [bystander, ...sessions] = await fill(client);
  await until('every event is in the transparency log, and it is anchored', async () => {
    const audits = await Promise.all(sessions.map(async (id) => (await client.get(`/v1/sessions/${id}/audit`)).body));
    const [leaves] = (await owner.query<{ whole: boolean }>('SELECT coalesce(max(size), 0) = (SELECT count(*) FROM event) AS whole FROM tlog_checkpoint')).rows;
    return leaves!.whole && audits.every(({ events, transparencyLog }) => transparencyLog?.events === events && transparencyLog.anchored?.events === events);
  });
  // No worker changes these rows meanwhile, and nothing stays in the memory of the process.
  const server = await startTestServer({ ...settings, ROLE: 'api', SESSION_CACHE_BYTES: '1' }, writer.database, client.token);
  await writer.running.stop();
  await unguard(owner);
  const log = new PostgresTransparencyLog({ url: writer.database.appUrl, timeoutMs: 60_000, applicationName: 'verbatim test' });
  const cryptography = new NodeCryptography();
  const tree = new LogAudit(log, new TransparencyQueries(log, cryptography), cryptography, new JsonLinesFile(anchors), {} as never);
  const close = async (): Promise<void> => {
    await Promise.all([owner.end(), log.close(), server.stop()]);
    await writer.database.drop();
    await rm(folder, { recursive: true });
  };
  return { server, owner, tree, sessions, bystander, places: await placesIn(owner, sessions), close };
}

/** Of the log the first event, one with content, one that was erased and the last; of every other table a row of the sessions, or any. */
async function placesIn(owner: Connection, [used, erased, , door]: readonly string[]): Promise<readonly Place[]> {
  const ofSession = new Set(
    (await owner.query<{ name: string }>(`SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'session_id'`)).rows.map(
      ({ name }) => name,
    ),
  );
  const at = (seq: string): string => `session_id = '${used}' AND seq = (SELECT ${seq} FROM event WHERE session_id = '${used}')`;
  const log = [at('min(seq)'), at(`min(seq) FILTER (WHERE type = 'message.appended')`), at('min(seq) FILTER (WHERE salt IS NULL)'), at('max(seq)')];
  const asked = `session_id = '${door}' AND seq = (SELECT max(seq) FROM event WHERE session_id = '${door}' AND type = 'request.sent')`;
  const file = `sha256 IN (SELECT sha256 FROM blob_use WHERE session_id = '${door}')`;
  return (await tables(owner)).flatMap((table): Place[] => {
    if (table === 'event') return [...log.map((condition, index) => ({ table, condition, isEnd: index === 3 })), { table, condition: asked }];
    if (table === 'blob')
      return [
        { table, condition: `NOT ${file}` },
        { table, condition: file },
      ];
    if (table === 'blob_use') return [used, door].map((id) => ({ table, condition: `session_id = '${id}'` }));
    if (table === 'tlog_checkpoint') return [{ table, condition: 'size = (SELECT max(size) FROM tlog_checkpoint)' }];
    return [{ table, condition: !ofSession.has(table) ? 'true' : `session_id = '${table === 'erased_session' ? erased : used}'` }];
  });
}

/** What docs/proofs.md says that no proof covers: `table.column`, or `table.*`. */
async function notProven(): Promise<ReadonlySet<string>> {
  const [, text = ''] = /<!-- not proven -->([^]*)<!-- \/not proven -->/.exec(await readFile('docs/proofs.md', 'utf8')) ?? [];
  const rows = text.matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm);
  return new Set(
    [...rows].flatMap(([, table, what]) => (what === 'all' ? [`${table}.*`] : what!.split(', ').map((name) => `${table}.${name.replaceAll('`', '')}`))),
  );
}

/** The lines of a file that say what was recorded: without the proof, and without what a file of the server says of its kind, or that it is not there. */
function recorded(file: string): readonly string[] {
  return file
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const { type, events: _, mediaType: __, ...rest } = JSON.parse(line);
      return type === 'proof' || (type === 'file' && rest.content === null) ? [] : [JSON.stringify({ type, ...rest })];
    });
}

describe.each<readonly [string, Record<string, string>, (table: string) => boolean]>([
  ['plain', {}, () => true],
  ['encrypted', { ENCRYPTION: 'on', ENCRYPTION_KEYS: textOf(keysOf('one')) }, (table) => ['blob', 'event', 'session', 'session_summary'].includes(table)],
])('in a database with %s content', (_name, environment, isWalked) => {
  let on: Deployment;
  let client: Client;
  let key: string;

  beforeAll(async () => {
    on = await deployed(environment);
    ({ client } = on.server);
    key = `${await logKeyOf(client)}\n`;
  });
  afterAll(async () => on.close());

  const read = async (id: string, route: string): Promise<string> => {
    try {
      const response = await fetch(`${client.baseUrl}/v1/sessions/${id}${route}`, { headers: { authorization: `Bearer ${client.token}` } });
      return response.ok ? await response.text() : '';
    } catch {
      return ''; // cut off, as an export is
    }
  };
  /** Of a session; of that of the door also the bodies that are said to be verified. */
  const shown = async (id: string): Promise<readonly (readonly [string, string])[]> => {
    const { data } = JSON.parse((await read(id, '/requests')) || '{"data":[]}');
    const asked = id === on.sessions[3] ? data : [];
    const bodies = asked.map(async ({ requestId }: { readonly requestId: string }) => {
      const { verified, payload } = JSON.parse((await read(id, `/requests/${requestId}`)) || '{}');
      return [`the body of ${requestId}`, verified === true ? JSON.stringify(payload) : ''] as const;
    });
    return Promise.all([...READS.map(async (route) => [route, await read(id, route)] as const), ...bodies]);
  };
  /** Null: there is no export that is proven. */
  const proven = async (): Promise<readonly string[] | null> => {
    const text = await read(on.sessions[0]!, '/export?format=log');
    const { isProven } = await verifyLog(text.trimEnd().split('\n'), key, new NodeCryptography());
    return isProven ? recorded(text) : null;
  };
  /** `first`: the session that is audited first, where a change is likely to be found. */
  const isFound = async (first: string): Promise<boolean> => {
    for (const id of new Set([first, ...on.sessions, on.bystander])) if (!(await read(id, '/audit')).includes('"valid":true')) return true;
    return (await on.tree.leaves(0)).problem !== null;
  };

  it('every change of every column, and every row that is removed or added, is found or listed as not proven; none is shown', async () => {
    const [used, , , door] = on.sessions;
    const before = new Map(await Promise.all([used!, door!].map(async (id) => [id, new Map(await shown(id))] as const)));
    const file = await proven();
    expect([await isFound(used!), file?.length, [...before.values()].flatMap((texts) => [...texts]).filter(([, text]) => text === '')]).toEqual([
      false,
      expect.any(Number),
      [],
    ]);
    const { rows: files } = await on.owner.query('SELECT FROM blob_use WHERE session_id = $1', [door]);
    expect([before.get(door!)!.size, files.length]).toEqual([READS.length + 2, 1]); // two bodies, with a file
    const listed = await notProven();
    const [missed, served, seen] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const place of on.places.filter(({ table }) => isWalked(table) && !listed.has(`${table}.*`))) {
      for (const { table, what, how, make } of await tamperings(on.owner, place, on.bystander)) {
        const undo = await make();
        if (!undo) continue;
        seen.add(table);
        const id = on.sessions.find((session) => place.condition.includes(session)) ?? used!;
        if (!listed.has(`${table}.${what}`) && !(await isFound(id))) missed.add(`${table}.${what} ${how}`);
        // Without its end a log agrees with itself: only audits find that.
        if (!place.isEnd) {
          const reader = id === door ? door : used!;
          for (const [route, text] of await shown(reader))
            if (text !== '' && text !== before.get(reader)!.get(route)) served.add(`${table}.${what} ${how} ${route}`);
        }
        if ((await proven())?.some((line) => !file!.includes(line))) served.add(`${table}.${what} ${how}: proven`);
        await undo();
      }
    }
    const unused = (await tables(on.owner)).filter((table) => isWalked(table) && !seen.has(table) && !listed.has(`${table}.*`));
    expect({ missed: [...missed], served: [...served], unused }).toEqual({ missed: [], served: [], unused: [] });
  });

  it('what is listed as not proven is there', async () => {
    const names = await tables(on.owner);
    const { rows } = await on.owner.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public'`,
    );
    const known = new Set([...rows.map(({ name }) => name), ...names.flatMap((name) => [`${name}.*`, `${name}.a row removed`, `${name}.a row added`])]);
    expect([...(await notProven())].filter((name) => !known.has(name))).toEqual([]);
  });
});
