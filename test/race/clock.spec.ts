import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { append, appended, ids } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';

let store: PostgresStore;
beforeAll(async () => {
  store = await postgresStore();
});
afterAll(() => store.close());

it('time does not run backwards in a session when the clock of the database is set back', async () => {
  const of = ids();
  appended(await store.events.append(append(of, 0)));
  const owner = new Client({ connectionString: store.urls.ownerUrl });
  await owner.connect();
  // As if the last event had been recorded before the clock was set back by an hour.
  await owner.query(
    `ALTER TABLE stream DISABLE TRIGGER USER; UPDATE stream SET updated_at = updated_at + interval '1 hour'; ALTER TABLE stream ENABLE TRIGGER USER`,
  );
  const { rows } = await owner.query<{ last: Date }>('SELECT updated_at AS last FROM stream WHERE session_id = $1', [of.sessionId]);
  await owner.end();
  const [event] = appended(await store.events.append(append(of, 1)));
  expect(event!.time).toBe(rows[0]!.last.toISOString());
});
