import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/**
 * The owner of the database answers each statement as they like: a view that replaces the table gives statements that read events a log of which all hashes were computed again, and the recorded
 * one to all others. The forged log agrees with itself, so it is served; no audit may call it valid.
 */
const SAID = 'the word that was said';
const FORGED = 'a word that was not';
/** What only the statement that reads events has. */
const READS = `current_query() LIKE '%encode(int8send(seq)%'`;

let writer: TestServer;
let reader: TestServer;
let client: Client;
let owner: Connection;
let id: string;
let fork: string;

async function forge(): Promise<void> {
  await owner.query(
    'ALTER TABLE event RENAME TO event_true; CREATE TABLE event_forged AS SELECT * FROM event_true WHERE session_id = $SESSION$'.replace(
      '$SESSION$',
      `'${id}'`,
    ),
  );
  await owner.query(`UPDATE event_forged SET data = replace(data::text, '${SAID}', '${FORGED}')::json;
    UPDATE event_forged SET digest = sha256(salt || convert_to(data::text, 'UTF8'));
    DO $$ DECLARE e record; link bytea := sha256('verbatim chain 1'::bytea || uuid_send('${id}')); BEGIN
      FOR e IN SELECT * FROM event_forged ORDER BY seq LOOP
        link := chain_hash(link, e.session_id, e.seq, e.tenant_id, e.event_id, e.command_id, e.schema_version, e.recorded_at, e.digest, e.actor::text, e.type);
        UPDATE event_forged SET hash = link WHERE seq = e.seq;
      END LOOP;
    END $$;
    CREATE VIEW event AS SELECT * FROM event_true WHERE session_id <> '${id}' OR NOT ${READS} UNION ALL SELECT * FROM event_forged WHERE ${READS};
    GRANT SELECT ON event TO verbatim_app;
    DROP TRIGGER stream_version_increases ON stream;
    UPDATE session_summary SET first_text = replace(first_text, '${SAID}', '${FORGED}'), last_text = replace(last_text, '${SAID}', '${FORGED}') WHERE session_id = '${id}';
    UPDATE stream SET head_hash = (SELECT hash FROM event_forged ORDER BY seq DESC LIMIT 1) WHERE session_id = '${id}'`);
}

beforeAll(async () => {
  writer = await startTestServer({ TLOG_INTERVAL_MS: '10' });
  client = writer.client;
  owner = await connect(writer.database.ownerUrl, 60_000);
  id = await client.session();
  await client.ask(id, SAID);
  fork = expectStatus(await client.post(`/v1/sessions/${id}/forks`), 201).body.id;
  await until('every event is in the transparency log', async () => {
    const { body } = await client.get(`/v1/sessions/${fork}/audit`);
    return body.transparencyLog?.events === body.events;
  });
  reader = await startTestServer({}, writer.database, client.token);
  await forge();
});
afterAll(async () => {
  await owner.end();
  await reader.stop();
  await writer.stop();
});

describe('a database that answers statements with different logs', () => {
  it('is found in a process that has not read the session: what was verified is what is compared with the transparency log', async () => {
    expect(JSON.stringify(await reader.client.messages(id))).toContain(FORGED);
    expect(await reader.client.get(`/v1/sessions/${id}/audit`)).toMatchObject({ status: 200, body: { valid: false, finding: 'transparency_log' } });
    expect(await reader.client.get(`/v1/sessions/${fork}/audit`)).toMatchObject({ status: 200, body: { valid: false, finding: 'parent' } });
  });

  it('is found in a process that has: what it serves is not what it verifies', async () => {
    expect(JSON.stringify(await client.messages(id))).toContain(SAID);
    expect(await client.get(`/v1/sessions/${id}/audit`)).toMatchObject({ status: 200, body: { valid: false, finding: 'set_back', setBack: true } });
  });
});

describe('a database that records other words than those it was given', () => {
  it('is found by the request that was sent with the words, in the process that recorded them and in another', async () => {
    const server = await startTestServer();
    const admin = await connect(server.database.ownerUrl, 60_000);
    const { rows } = await admin.query<{ sql: string }>(`SELECT pg_get_functiondef('append_events'::regproc) AS sql`);
    const forging = `p_data := ARRAY(SELECT replace(item, '${SAID}', '${FORGED}') FROM unnest(p_data) WITH ORDINALITY AS of(item, place) ORDER BY place);`;
    await admin.query(rows[0]!.sql.replace('\nBEGIN\n', `\nBEGIN\n${forging}\n`));
    await admin.end();
    const session = await server.client.session();
    await server.client.ask(session, SAID);
    const other = await startTestServer({}, server.database, server.client.token);
    expect(JSON.stringify(await other.client.messages(session))).toContain(FORGED);
    for (const one of [server, other]) {
      const { body } = expectStatus(await one.client.get(`/v1/sessions/${session}/audit?requests=1`), 200);
      expect(body).toMatchObject({ valid: false, requests: { checked: 1, invalid: [{ problem: expect.stringContaining('was sent') }] } });
    }
    await other.stop();
    await server.stop();
  });
});
