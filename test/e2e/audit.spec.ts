import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg, { type Client as Connection } from 'pg';
import sharp from 'sharp';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { until } from '../support/until.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** Changes by a database superuser that the audit reports. */
let server: TestServer;
let client: Client;
let owner: Connection;

beforeAll(async () => {
  server = await startTestServer();
  client = server.client;
  owner = await connect(server.database.ownerUrl, 60_000);
  await owner.query('DROP TRIGGER event_immutable ON event; DROP TRIGGER stream_version_increases ON stream');
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

const SESSIONS = 24;
const FEW = 4;
/** Statements that are the same for all sessions. */
const TREE = /tlog_tile|tlog_checkpoint|tlog_anchor|runs_between/;

/** The sum of what a pattern finds in the metrics. */
async function counted(pattern: RegExp): Promise<number> {
  const { body } = await client.get<string>('/metrics');
  return [...body.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}

/** How often this process sends each statement while `work` is done. Of other tenants it does other work in the background: only what `isOf` says counts. */
async function statementsOf(isOf: (text: string, values: string) => boolean, work: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const query = jest.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    const counts = new Map<string, number>();
    for (const [statement, parameters] of query.mock.calls as unknown as readonly (readonly unknown[])[]) {
      const { text, values = parameters } = (typeof statement === 'string' ? { text: statement } : statement) as { text: string; values?: unknown };
      if (isOf(text, JSON.stringify(values ?? []))) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return counts;
  } finally {
    query.mockRestore();
  }
}

const audit = async (id: string): Promise<UnknownObject> => (await client.get(`/v1/sessions/${id}/audit`)).body;

async function session(): Promise<string> {
  const id = await client.session({ title: 'a title' });
  await client.ask(id, 'hello');
  return id;
}

describe('the audit of a session', () => {
  it('is valid for an unchanged session', async () => {
    const id = await session();
    const { version, events, valid, rowMatches } = await audit(id);
    expect({ valid, rowMatches, events }).toEqual({ valid: true, rowMatches: true, events: version });
  });

  it('finds a log whose last events were deleted, with a head that agrees', async () => {
    const id = await session();
    const { events } = await audit(id);
    await owner.query('DELETE FROM event WHERE session_id = $1 AND seq > $2', [id, events - 2]);
    await owner.query('UPDATE stream SET version = $2, head_hash = (SELECT hash FROM event WHERE session_id = $1 AND seq = $2) WHERE session_id = $1', [
      id,
      events - 2,
    ]);
    expect(await audit(id)).toMatchObject({ valid: false, events: events - 2, version: events, firstInvalidSeq: events - 1 });
  });

  it.each([
    ['owner', 'user_id = gen_random_uuid()'],
    ['title', `title = 'another title'`],
    ['model', `model = 'another-model'`],
    ['state', `status = 'closed'`],
    ['queue', 'queue_length = 3'],
  ])('finds another %s in the session list', async (_name, change) => {
    const id = await session();
    await owner.query(`UPDATE session SET ${change} WHERE session_id = $1`, [id]);
    const found = await audit(id);
    expect(found).toMatchObject({ valid: false, rowMatches: false });
    expect(found).not.toHaveProperty('firstInvalidSeq');
  });

  it.each([
    ['last text', `last_text = 'another'`],
    ['number of messages', 'message_count = message_count + 1'],
    ['usage', `usage = jsonb_set(usage, '{inputTokens}', '1')`],
  ])('finds another %s in the session list', async (_name, change) => {
    const id = await session();
    await owner.query(`UPDATE session_summary SET ${change} WHERE session_id = $1`, [id]);
    expect(await audit(id)).toMatchObject({ valid: false, rowMatches: false });
  });

  it('is valid for a session with rewinds, a fork, a compaction and an erased message', async () => {
    const id = await session();
    await client.ask(id, 'second');
    const second = (await client.messages(id)).findLast(({ type }) => type === 'user')!.uuid;
    const checked = async (of: string, step: string): Promise<void> =>
      expect({ step, ...(await audit(of)) }).toMatchObject({ step, valid: true, rowMatches: true });
    const { id: rewindId } = expectStatus(await client.post(`/v1/sessions/${id}/rewinds`, { before: second }), 201).body;
    await checked(id, 'rewound');
    expectStatus(await client.post(`/v1/sessions/${id}/rewinds/${rewindId}/restore`), 201);
    await checked(id, 'restored');
    await client.ask(id, 'another second');
    await checked(id, 'gone on');
    const fork = expectStatus(await client.post(`/v1/sessions/${id}/forks`), 201).body.id;
    await client.ask(fork, 'in the fork');
    await checked(fork, 'forked');
    await client.ask(id, '/compact');
    await client.ask(id, 'third \u0001 with marks');
    await checked(id, 'compacted');
    const last = (await client.messages(id)).findLast(({ type }) => type === 'user')!.uuid;
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${last}`), 202);
    await checked(id, 'a message erased');
    expectStatus(await client.post(`/v1/sessions/${id}/close`, {}), 200);
    await checked(id, 'closed');
  });

  it('finds a file with other bytes, and a file that is gone', async () => {
    const id = await client.session();
    const data = (
      await sharp({ create: { width: 9, height: 9, channels: 3, background: '#123456' } })
        .png()
        .toBuffer()
    ).toString('base64');
    await client.ask(id, [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'text', text: 'see' },
    ]);
    const before = await audit(id);
    expect(before).toMatchObject({ valid: true, files: { invalid: [] } });
    expect(before.files.checked).toBeGreaterThan(0);
    await owner.query(
      'UPDATE blob SET bytes = set_byte(bytes, 30, get_byte(bytes, 30) # 1) WHERE sha256 IN (SELECT sha256 FROM blob_use WHERE session_id = $1)',
      [id],
    );
    const altered = await audit(id);
    expect([altered.valid, altered.files.invalid.length]).toEqual([false, before.files.checked]);
    await owner.query('DELETE FROM blob_use WHERE session_id = $1', [id]);
    expect(await audit(id)).toMatchObject({ valid: false, files: altered.files });
  });

  it('of a page stops when its client goes away', async () => {
    const other = await server.tenant('left alone');
    for (let count = 0; count < SESSIONS; count += 1) await other.session();
    const audits = (): Promise<number> => counted(/^verbatim_audits_total\{.*subject="session".*\} (\d+)/gm);
    await owner.query('BEGIN');
    await owner.query('LOCK TABLE event IN ACCESS EXCLUSIVE MODE'); // the first sessions wait
    const before = await audits();
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${other.token}` };
    const answer = fetch(`${other.baseUrl}/v1/audit`, { headers, signal: gone.signal }).catch(() => null);
    await until('sessions are being audited', async () => {
      const { rows } = await owner.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = 'event'::regclass`,
      );
      return rows[0]!.waiting > 0;
    });
    const requests = (): Promise<number> => counted(/^verbatim_http_request_seconds_count\{.*route="\/v1\/audit".*\} (\d+)/gm);
    const ended = await requests();
    gone.abort();
    await answer;
    await until('the server knows', async () => (await requests()) > ended);
    await owner.query('ROLLBACK');
    // By then the audits of the first page that continue would be as many as these.
    for (let page = 0; page < 2; page += 1) expectStatus(await other.get('/v1/audit'), 200);
    expect((await audits()) - before).toBeLessThan(2 * SESSIONS + SESSIONS / 2);
  });

  it('of a page reads what is the same for all sessions once, and the same statements for each of them', async () => {
    const other = await server.tenant('counted');
    const ids: string[] = [];
    while (ids.length < SESSIONS) ids.push(await other.session());
    const isLogged = async (id: string): Promise<boolean> => {
      const { events, transparencyLog } = (await other.get(`/v1/sessions/${id}/audit`)).body;
      return transparencyLog.events === events;
    };
    for (const id of ids) await until('its events are in the transparency log', () => isLogged(id));
    const own = [expectStatus(await other.get('/v1/me'), 200).body.tenantId as string, ...ids];
    const isOf = (text: string, values: string): boolean => TREE.test(text) || own.some((id) => values.includes(id));
    const page = (limit: number) =>
      statementsOf(isOf, async () => expect(expectStatus(await other.get(`/v1/audit?limit=${limit}`), 200).body.data).toHaveLength(limit));
    await page(SESSIONS); // what a process keeps of sessions
    const [few, many] = [await page(FEW), await page(SESSIONS)];
    const more = SESSIONS - FEW;
    const growth = [...many].map(([text, count]) => ({ text, growth: count - (few.get(text) ?? 0) }));
    const ofTree = growth.filter(({ text }) => TREE.test(text));
    const ofSessions = growth.filter((one) => !ofTree.includes(one));
    expect(ofTree.length).toBeGreaterThan(0);
    // Meanwhile the tree may grow, and this process may audit these sessions in the background.
    const slack = more / 2;
    expect(ofTree.filter(({ growth: statements }) => statements > slack)).toEqual([]);
    expect(Math.max(...ofSessions.map(({ growth: statements }) => statements))).toBeGreaterThanOrEqual(more); // they are counted
    // Three times the log: what the process serves, the rows, and what they are folded into.
    expect(ofSessions.filter(({ growth: statements }) => statements > 3 * more + slack)).toEqual([]);
  });

  it('finds a log that was set back to an earlier version and written again', async () => {
    const id = await session();
    const { events } = await audit(id);
    await owner.query('BEGIN');
    await owner.query(`SET LOCAL session_replication_role = replica`);
    await owner.query('DELETE FROM event WHERE session_id = $1 AND seq = $2', [id, events]);
    await owner.query(
      `INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
       SELECT session_id, seq + 1, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest,
         chain_hash(hash, session_id, seq + 1, tenant_id, event_id, command_id, schema_version, recorded_at, digest, actor::text, type), recorded_at
       FROM event WHERE session_id = $1 AND seq = $2`,
      [id, events - 1],
    );
    await owner.query('UPDATE stream SET head_hash = (SELECT hash FROM event e WHERE e.session_id = $1 AND seq = $2) WHERE session_id = $1', [id, events]);
    await owner.query('COMMIT');
    expect(await audit(id)).toMatchObject({ valid: false, setBack: true });
  });
});
