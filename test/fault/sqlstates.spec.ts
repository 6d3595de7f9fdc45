import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import type { Client } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
/** Gives up soon what cannot succeed. */
let hasty: TestServer;
let client: Client;
let owner: Connection;
let sessionId: string;
let appendEvents: string;

beforeAll(async () => {
  server = await startTestServer();
  client = server.client;
  hasty = await startTestServer({ ROLE: 'api', DATABASE_TIMEOUT_MS: '1000' }, server.database, client.token);
  owner = await connect(server.database.ownerUrl, 60_000);
  sessionId = await client.session();
  const { rows } = await owner.query<{ definition: string }>(`SELECT pg_get_functiondef('append_events'::regproc) AS definition`);
  appendEvents = rows[0]!.definition;
});
afterEach(() => owner.query(appendEvents));
afterAll(async () => {
  await owner.end();
  await hasty.stop();
  await server.stop();
});

/** Makes every append fail with that SQLSTATE, or only the next one. */
async function injectError(sqlstate: string, once = false): Promise<void> {
  if (once) await owner.query('CREATE SEQUENCE IF NOT EXISTS failures; GRANT USAGE ON SEQUENCE failures TO verbatim_app; ALTER SEQUENCE failures RESTART');
  const raise = `RAISE EXCEPTION 'injected' USING ERRCODE = '${sqlstate}';`;
  const body = once ? `IF nextval('failures') = 1 THEN ${raise} END IF;` : raise;
  await owner.query(appendEvents.replace(/\bBEGIN\b/, () => `BEGIN ${body}`));
}

const prompt = (by = client) => by.call('POST', `/v1/sessions/${sessionId}/prompts`, { input: 'hello', whenBusy: 'enqueue' });

describe('an append that fails with SQLSTATE', () => {
  it.each([
    ['53000', 'insufficient_resources'],
    ['53100', 'disk_full'],
    ['53200', 'out_of_memory'],
    ['53300', 'too_many_connections'],
    ['53400', 'configuration_limit_exceeded'],
    ['57014', 'query_canceled'],
    ['57P01', 'admin_shutdown'],
    ['57P02', 'crash_shutdown'],
    ['57P03', 'cannot_connect_now'],
    ['57P05', 'idle_session_timeout'],
    ['55P03', 'lock_not_available'],
    ['55000', 'object_not_in_prerequisite_state'],
    ['58000', 'system_error'],
    ['58030', 'io_error'],
    ['08000', 'connection_exception'],
    ['08006', 'connection_failure'],
    ['25006', 'read_only_sql_transaction'],
    ['40001', 'serialization_failure'],
    ['40P01', 'deadlock_detected'],
  ])('%s (%s) is a 503 with retry-after', async (sqlstate) => {
    await injectError(sqlstate);
    const { status, body, headers } = await prompt(hasty.client);
    expect({ status, code: body.code, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, code: 'unavailable', retryAfter: '1' });
    expect(JSON.stringify(body)).not.toMatch(/injected|SQL/);
  });

  it.each(['40001', '40P01', '57P01', '08006', '53300'])('%s once is retried and succeeds', async (sqlstate) => {
    await injectError(sqlstate, true);
    expect((await prompt()).status).toBe(202);
  });

  it.each(['22012', '23505', '42P01', '42501', '42883', 'P0001', 'XX000', 'XX001', 'VB002'])('%s is a 500 that reveals nothing', async (sqlstate) => {
    await injectError(sqlstate);
    const { status, body } = await prompt();
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal_error' });
    expect(JSON.stringify(body)).not.toMatch(/injected|SQL/);
  });
});
