import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/adapters/postgres/connect.js';
import type { Client, UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

/** Changes by a database superuser that the audit reports. */
let server: TestServer;
let client: Client;
let owner: Connection;

beforeAll(async () => {
  server = await startTestServer();
  client = server.client;
  owner = await connect(server.database.ownerUrl, 5_000);
  await owner.query('DROP TRIGGER event_immutable ON event; DROP TRIGGER stream_version_increases ON stream');
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

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
  ])('finds another %s in the session list', async (_name, change) => {
    const id = await session();
    await owner.query(`UPDATE session SET ${change} WHERE session_id = $1`, [id]);
    const found = await audit(id);
    expect(found).toMatchObject({ valid: false, rowMatches: false });
    expect(found).not.toHaveProperty('firstInvalidSeq');
  });
});
