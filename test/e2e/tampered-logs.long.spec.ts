import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/**
 * Somebody with all rights on the database changes what proves a session: every column of every table of evidence, and every row. Each time an audit answers in time and names what it found, audits of
 * other sessions stay valid, and no reader gets the forged words, whether their process has read the session before or not.
 */
const SAID = 'the word that was said';
const FORGED = 'FORGED';

/** What locates a row, is derived for lists only, or says what is left to be done; it proves nothing, as docs/proofs.md says. */
const NO_EVIDENCE: Readonly<Record<string, readonly string[]>> = {
  event: ['position', 'xact_id'],
  stream: ['updated_at'],
  session: ['created_at', 'updated_at', 'is_erased', 'parent_id', 'parent_turn_id', 'helper_turn_id', 'is_orphaned'],
  session_summary: ['metadata'],
};

const CHANGED: Readonly<Record<string, (column: string) => string>> = {
  uuid: () => 'gen_random_uuid()',
  text: (column) => `coalesce(${column}, '') || '${FORGED}'`,
  json: (column) => `replace(replace(${column}::text, '${SAID}', '${FORGED}'), '"kind"', '"${FORGED}":1,"kind"')::json`,
  jsonb: () => `'{"inputTokens":1}'`,
  bytea: (column) => `substring(sha256(${column}) for octet_length(${column}))`,
  bigint: (column) => `${column} + 1000`,
  integer: (column) => `${column} + 1`,
  boolean: (column) => `NOT ${column}`,
  'timestamp with time zone': (column) => `${column} + interval '1 millisecond'`,
};

interface Tampering {
  readonly name: string;
  /** `$1`: the session; `$2`: the seq of the event with the words. */
  readonly sql: string;
}

let writer: TestServer;
let reader: TestServer;
let owner: Connection;
const tamperings: Tampering[] = [];
let bystanders: readonly string[];
/** By session. */
const victims = new Map<string, Tampering & { readonly said: number }>();

async function columns(table: string): Promise<readonly { readonly name: string; readonly type: string }[]> {
  const { rows } = await owner.query<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  );
  return rows.filter(({ name }) => !NO_EVIDENCE[table]?.includes(name));
}

async function ofTable(table: string): Promise<readonly Tampering[]> {
  const where = table === 'event' ? 'session_id = $1 AND seq = $2' : 'session_id = $1';
  const unused = table === 'event' ? '' : ' AND $2::bigint > 0';
  return (await columns(table)).flatMap(({ name, type }) => [
    { name: `${table}.${name} is changed`, sql: `UPDATE ${table} SET ${name} = ${CHANGED[type]!(name)} WHERE ${where}${unused}` },
    { name: `${table}.${name} is gone`, sql: `UPDATE ${table} SET ${name} = NULL WHERE ${where} AND ${name} IS NOT NULL${unused}` },
  ]);
}

const WORDS = `(SELECT replace(data::text, '${SAID}', '${FORGED}') FROM event WHERE session_id = $1 AND seq = $2)`;
const RECHAINED = `UPDATE event SET data = ${WORDS}::json, digest = sha256(salt || convert_to(${WORDS}, 'UTF8')) WHERE session_id = $1 AND seq = $2`;

const OF_ROWS: readonly Tampering[] = [
  { name: 'the first event is deleted', sql: 'DELETE FROM event WHERE session_id = $1 AND seq = 1 AND $2::bigint > 0' },
  { name: 'an event is deleted', sql: 'DELETE FROM event WHERE session_id = $1 AND seq = $2' },
  { name: 'the last events are deleted', sql: 'DELETE FROM event WHERE session_id = $1 AND seq > $2' },
  { name: 'all events are deleted', sql: 'DELETE FROM event WHERE session_id = $1 AND $2::bigint > 0' },
  { name: 'the row of the stream is deleted', sql: 'DELETE FROM stream WHERE session_id = $1 AND $2::bigint > 0' },
  { name: 'the row of the list is deleted', sql: 'DELETE FROM session WHERE session_id = $1 AND $2::bigint > 0' },
  {
    name: 'two events are swapped',
    sql: 'UPDATE event SET seq = CASE seq WHEN $2::bigint THEN $2::bigint + 1 ELSE $2::bigint END WHERE session_id = $1 AND seq IN ($2::bigint, $2::bigint + 1)',
  },
  { name: 'an event is there twice', sql: 'INSERT INTO event OVERRIDING SYSTEM VALUE SELECT * FROM event WHERE session_id = $1 AND seq = $2' },
  { name: 'an event is given to another place', sql: 'UPDATE event SET seq = seq + 1000 WHERE session_id = $1 AND seq = $2' },
  {
    name: 'an event of another session takes its place',
    sql: `UPDATE event e SET data = o.data, salt = o.salt, digest = o.digest, hash = o.hash FROM event o
      WHERE e.session_id = $1 AND e.seq = $2 AND o.session_id <> $1 AND o.seq = 1`,
  },
  { name: 'the content is forged with its digest', sql: RECHAINED },
  { name: 'the content is forged and its salt removed', sql: `UPDATE event SET data = ${WORDS}::json, salt = NULL WHERE session_id = $1 AND seq = $2` },
  { name: 'the time is not finite', sql: `UPDATE event SET recorded_at = 'infinity' WHERE session_id = $1 AND seq = $2` },
  { name: 'the hash is short', sql: `UPDATE event SET hash = 'x' WHERE session_id = $1 AND seq = $2` },
  { name: 'the salt is long', sql: `UPDATE event SET salt = salt || salt WHERE session_id = $1 AND seq = $2` },
  { name: 'the data is no object', sql: `UPDATE event SET data = '"${FORGED}"' WHERE session_id = $1 AND seq = $2` },
  { name: 'the data is null in JSON', sql: `UPDATE event SET data = 'null' WHERE session_id = $1 AND seq = $2` },
];

const readers = ['', '/messages', '/events', '/payload', '/requests', '/queue', '/rewinds', '/export', '/markdown', '/export?format=log', '/branches'];

async function bodyOf({ baseUrl, token }: Client, path: string): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(`${baseUrl}/v1/sessions/${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' }; // cut off, as an export is
  }
}

async function session(client: Client): Promise<{ readonly id: string; readonly said: number }> {
  const id = await client.session({ title: 'a title' });
  await client.ask(id, SAID);
  const { data } = (await client.get(`/v1/sessions/${id}/events?limit=100`)).body;
  return { id, said: data.find((event: UnknownObject) => event['type'] === 'message.appended').seq };
}

/** A start puts the guards back. */
async function dropGuards(): Promise<void> {
  const { rows } = await owner.query<{ sql: string }>(
    `SELECT format('DROP TRIGGER %I ON %I', tgname, tgrelid::regclass) AS sql FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text IN ('event', 'stream', 'tlog_run')`,
  );
  for (const { sql } of rows) await owner.query(sql);
}

beforeAll(async () => {
  writer = await startTestServer();
  owner = await connect(writer.database.ownerUrl, 60_000);
  const { rows } = await owner.query<{ sql: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) AS sql FROM pg_constraint
       WHERE contype IN ('c', 'p') AND conrelid::regclass::text IN ('event', 'stream', 'session', 'session_summary')
     UNION ALL SELECT format('ALTER TABLE %I ALTER COLUMN %I DROP NOT NULL', table_name, column_name) FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name IN ('event', 'stream', 'session', 'session_summary') AND is_nullable = 'NO' AND is_identity = 'NO'`,
  );
  tamperings.push(...OF_ROWS);
  for (const table of ['event', 'stream', 'session', 'session_summary']) tamperings.push(...(await ofTable(table)));
  const { client } = writer;
  bystanders = (await Promise.all([session(client), session(client)])).map(({ id }) => id);
  for (let from = 0; from < tamperings.length; from += 8) {
    await Promise.all(
      tamperings.slice(from, from + 8).map(async (tampering) => {
        const { id, said } = await session(client);
        victims.set(id, { ...tampering, said });
      }),
    );
  }
  await until(
    'every event is in the transparency log',
    async () => (await client.get(`/v1/sessions/${[...victims.keys()].at(-1)!}/audit`)).body.transparencyLog.events > 0,
  );
  await dropGuards();
  for (const row of rows.toSorted((one, other) => (one.sql < other.sql ? 1 : -1))) await owner.query(row.sql);
  for (const [id, { sql, said }] of victims) if ((await owner.query(sql, [id, said])).rowCount === 0) victims.delete(id); // it was null
  reader = await startTestServer({}, writer.database, client.token);
  await dropGuards();
});
afterAll(async () => {
  await owner.end();
  await reader.stop();
  await writer.stop();
});

describe('a log that was changed in the database', () => {
  it('is found by its audit, in a process that has read it before and in one that has not, whatever was changed', async () => {
    expect(victims.size).toBeGreaterThanOrEqual(60);
    const missed: unknown[] = [];
    for (const [id, { name }] of victims) {
      for (const { client } of [writer, reader]) {
        for (const query of ['', '?requests=1']) {
          const { status, body } = await client.get(`/v1/sessions/${id}/audit${query}`);
          const isGone = status === 404 && /all events|session.tenant_id/.test(name);
          if (!isGone && (status !== 200 || body.valid !== false || typeof body.finding !== 'string')) missed.push([name, query, status, body]);
        }
      }
    }
    expect(missed).toEqual([]);
  });

  it('costs no other session its place in the audit of the tenant', async () => {
    const found = new Map<string, UnknownObject>();
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: UnknownObject } = expectStatus(await reader.client.get(`/v1/audit?limit=50${cursor ? `&cursor=${cursor}` : ''}`), 200);
      for (const row of body.data) found.set(row.sessionId, row);
      cursor = body.nextCursor;
    }
    expect(bystanders.map((id) => found.get(id))).toMatchObject(bystanders.map(() => ({ valid: true })));
    expect(
      [...victims].filter(([id]) => found.get(id)?.['valid'] !== false || !found.get(id)?.['finding']).map(([id, { name }]) => [name, found.get(id)]),
    ).toEqual([]);
  });

  it('gives no reader the forged words', async () => {
    const shown: unknown[] = [];
    for (const [id, { name }] of victims) {
      for (const { client } of [reader, writer]) {
        for (const path of readers) {
          const { status, text } = await bodyOf(client, `${id}${path}`);
          if (text.includes(FORGED) || (status === 500 && !text.includes('"code":"log_tampered"'))) shown.push([name, path, status, text.slice(0, 300)]);
        }
      }
    }
    expect(shown).toEqual([]);
  });

  it('answers other sessions, and is counted for an alert', async () => {
    for (const id of bystanders) expect((await bodyOf(reader.client, `${id}/messages`)).status).toBe(200);
    const metrics = await (await fetch(`${reader.client.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/verbatim_refused_logs_total\{[^}]*kind="content"[^}]*\} [1-9]/);
    expect(metrics).toMatch(/verbatim_audits_total\{[^}]*outcome="invalid"[^}]*\} [1-9]/);
  });

  it('is refused when erased content is there again, at once and without end of the work', async () => {
    const { id, said } = await session(writer.client);
    const { rows } = await owner.query('SELECT data::text AS data, salt FROM event WHERE session_id = $1 AND seq = $2', [id, said]);
    const uuid = (await writer.client.messages(id)).find(({ type }) => type === 'user')!.uuid;
    expectStatus(await writer.client.call('DELETE', `/v1/sessions/${id}/messages/${uuid}`), 202);
    await owner.query('UPDATE event SET data = $3, salt = $4 WHERE session_id = $1 AND seq = $2', [id, said, rows[0].data, rows[0].salt]);
    expect(await reader.client.get(`/v1/sessions/${id}/messages`)).toMatchObject({ status: 500, body: { code: 'log_tampered', kind: 'erasure', seq: said } });
    expect(await reader.client.get(`/v1/sessions/${id}/audit`)).toMatchObject({
      status: 200,
      body: { valid: false, finding: 'erasure', firstInvalidSeq: said },
    });
  });

  it('is a finding when the tree of all sessions is not whole: every audit answers, and says that it is the tree', async () => {
    await owner.query('DELETE FROM tlog_run WHERE first_index = (SELECT max(first_index) FROM tlog_run)');
    for (const of of bystanders)
      expect(await reader.client.get(`/v1/sessions/${of}/audit`)).toMatchObject({ status: 200, body: { valid: false, finding: 'transparency_log' } });
    const { data } = expectStatus(await reader.client.get('/v1/audit?limit=20'), 200).body;
    expect(data).toHaveLength(20);
  });
});
