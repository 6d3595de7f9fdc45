import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { turnJobViolations } from '../support/turn-jobs.js';
import { until } from '../support/until.js';

/** Appends an event of a type that this build does not have, as a newer server would. */
const APPEND = `SELECT outcome FROM session s, stream t, append_events(s.tenant_id, s.session_id, t.version, gen_random_uuid(), sha256(''), '{"kind":"system","id":"worker"}',
  ARRAY[gen_random_uuid()], ARRAY['session.teleported'], ARRAY[1], ARRAY['{}'], '[]', '{}', NULL, NULL, s.user_id, s.title, s.model, s.status, s.queue_length, s.turn_id)
  WHERE s.session_id = $1 AND t.session_id = $1`;

describe('a session with an event of a newer server', () => {
  let api: StandIn;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    api = await startStandIn();
    server = await startTestServer({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await api.close();
  });

  const appendUnknownEvent = (id: string): Promise<void> =>
    withConnection(server.database.ownerUrl, 60_000, async (connection) => {
      for (let outcome = ''; outcome !== 'appended';) outcome = (await connection.query(APPEND, [id])).rows[0].outcome;
    });

  it('is answered with 503 and its own code on every route that needs the log, and can be audited', async () => {
    const id = await client.session();
    const { turnId } = await client.ask(id, 'before the upgrade');
    await appendUnknownEvent(id);
    const outdated = { status: 503, body: { code: 'server_outdated' } };
    for (const path of ['', '/messages', '/events', `/turns/${turnId}`, '/queue', '/requests', '/payload', '/rewinds', '/export']) {
      expect(await client.get(`/v1/sessions/${id}${path}`)).toMatchObject(outdated);
    }
    expect(await client.prompt(id, 'after it')).toMatchObject(outdated);
    expect(await client.post(`/v1/sessions/${id}/interrupt`)).toMatchObject(outdated);
    const { version, ...audit } = expectStatus(await client.get(`/v1/sessions/${id}/audit`), 200).body;
    expect(audit).toMatchObject({ valid: true, events: version });
    const other = await server.tenant('other');
    expect(await other.get(`/v1/sessions/${id}/audit`)).toMatchObject({ status: 404, body: { code: 'session_not_found' } });
  });

  it('ends event streams and long polls that are open, so that their clients reach a newer server', async () => {
    const id = await client.session();
    const stream = await client.stream(id);
    const answer = held();
    api.next(answer.fault);
    const { turnId } = expectStatus(await client.prompt(id, '{{long 20}}'), 202).body;
    await stream.untilType('message.delta');
    const poll = client.get(`/v1/sessions/${id}/turns/${turnId}?wait=60`);
    await appendUnknownEvent(id);
    await expect(stream.untilType('turn.completed')).rejects.toThrow('ended');
    expect(await poll).toMatchObject({ status: 503, body: { code: 'server_outdated' } });
    answer.release();
  });

  it('gives the job of its running turn back, and other sessions run', async () => {
    const id = await client.session();
    const stream = await client.stream(id);
    const answer = held();
    api.next(answer.fault);
    expectStatus(await client.prompt(id, '{{long 20}}'), 202);
    await stream.untilType('message.delta');
    await appendUnknownEvent(id);
    answer.release();
    stream.close();
    const attempts = (): Promise<number> =>
      withConnection(server.database.ownerUrl, 60_000, async (connection) =>
        Number((await connection.query("SELECT coalesce(max(attempts_made), 0) AS made FROM bullmq.job WHERE data->>'sessionId' = $1", [id])).rows[0].made),
      );
    await until('the job was given back once', async () => (await attempts()) > 0);
    expect(await turnJobViolations(server.database.ownerUrl)).toEqual([]);
    expect((await client.ask(await client.session(), 'another session')).status).toBe('completed');
  });
});
