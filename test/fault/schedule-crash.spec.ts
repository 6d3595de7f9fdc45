import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

describe('a run of a schedule', () => {
  let database: TestDatabase;
  let owner: Connection;
  let token: string;

  beforeAll(async () => {
    database = await freshDatabase();
    owner = await connect(database.ownerUrl, 60_000);
    token = await makeTenant(database.appUrl, 'punctual');
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  const types = async (client: Client, id: string): Promise<readonly string[]> => (await client.events(id)).map(({ type }) => type);
  const count = (all: readonly string[], type: string): number => all.filter((one) => one === type).length;
  const due = async (client: Client, id: string): Promise<void> => {
    const firstRunAt = new Date(Date.now() - 60_000).toISOString();
    expectStatus(await client.post(`/v1/sessions/${id}/schedules`, { input: 'hello', everySeconds: 3_600, firstRunAt }), 201);
  };

  it('happens once when the process that makes it is killed before or after its commit', async () => {
    const environment = { DATABASE_URL: database.ownerUrl, OUTBOX_POLL_MS: '50', LOG_LEVEL: 'warn' };
    const first = await ServerProcess.start(environment);
    const client = first.client(token);
    const [before, after] = [await client.session(), await client.session()];
    await due(client, after);
    await until('one has run', async () => count(await types(client, after), 'schedule.ran') === 1);
    // The commit of the other one waits for a lock of the test.
    await owner.query('CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4713); RETURN NEW; END $$');
    await owner.query(`CREATE TRIGGER a_test AFTER INSERT ON event FOR EACH ROW WHEN (NEW.type = 'schedule.ran') EXECUTE FUNCTION wait_for_test()`);
    await owner.query('SELECT pg_advisory_lock(4713)');
    await due(client, before);
    const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4713 AND NOT granted`;
    await until('the run waits for its commit', async () => ((await owner.query(waiting)).rowCount ?? 0) > 0);
    await first.kill();
    await owner.query(`SELECT pg_terminate_backend(pid, 5000) FROM (${waiting}) w`);
    await owner.query('SELECT pg_advisory_unlock(4713)');
    await owner.query('DROP FUNCTION wait_for_test CASCADE');
    const stored = (await owner.query<{ type: string }>('SELECT type FROM event WHERE session_id = $1', [before])).rows.map(({ type }) => type);
    expect(stored).toEqual(['session.created', 'schedule.set']);

    const second = await ServerProcess.start(environment);
    try {
      const other = second.client(token);
      await until('the run is made by the other process', async () => count(await types(other, before), 'schedule.ran') === 1);
      await until('both turns have ended', async () =>
        (await Promise.all([before, after].map((id) => types(other, id)))).every((all) => count(all, 'turn.completed') === 1),
      );
      for (const id of [before, after]) {
        const all = await types(other, id);
        expect([count(all, 'schedule.ran'), count(all, 'prompt.submitted')]).toEqual([1, 1]);
        expect((await other.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
      }
    } finally {
      await second.stop();
    }
  });
});
