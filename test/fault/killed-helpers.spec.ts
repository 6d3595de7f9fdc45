import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import type { Client, UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { call, expectVerified, resultsIn } from '../support/tool-server.js';
import { turnJobViolations } from '../support/turn-jobs.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let owner: Connection;
let token: string;
const running: ServerProcess[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  owner = await connect(database.ownerUrl, 60_000);
  token = await makeTenant(database.appUrl, 'helpers');
  // Holds a statement that the server has sent, while this connection has the lock.
  await owner.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NEW; END $$`);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.kill()));
  expect(await turnJobViolations(database.ownerUrl)).toEqual([]);
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

const start = async (lockMs = 60_000): Promise<ServerProcess> => {
  const server = await ServerProcess.start({
    DATABASE_URL: database.ownerUrl,
    TOOLS: 'Agent',
    JOB_LOCK_MS: String(lockMs),
    ERASURE_INTERVAL_MS: '500',
    LOG_LEVEL: 'warn',
  });
  running.push(server);
  return server;
};

const agent = (prompt: string): string => call('Agent', { description: 'a task', prompt });
/** Three helpers, one below the other. */
const NESTED = agent(agent(agent('{{say done}}')));

/** The statement at which the process dies, and how many of its kind are let through before. */
const STAGES: readonly (readonly [string, { readonly on: string; readonly passed: number }])[] = [
  ['before the call is recorded as begun', { on: `BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.type = 'tool.started')`, passed: 1 }],
  [
    'when the call is recorded, before the helper is made',
    { on: 'BEFORE UPDATE OF helper_turn_id ON session FOR EACH ROW WHEN (NEW.helper_turn_id IS NOT NULL)', passed: 1 },
  ],
  ['before the parent waits', { on: `BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.type = 'turn.waiting')`, passed: 0 }],
  ['while the helper works', { on: `BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.type = 'request.completed')`, passed: 3 }],
  ['when the helper has ended, before the parent runs again', { on: `BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.type = 'turn.resumed')`, passed: 0 }],
  ['when the parent runs again, before it has the result', { on: `BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.type = 'tool.completed')`, passed: 1 }],
];

for (const [stage, { on, passed }] of STAGES) {
  // The statement of a process that dies is carried out, or is not.
  it.each([true, false])(
    `a server that is killed ${stage} leaves one helper for each call, and no result is lost; its last statement is carried out: %s`,
    async (isDone) => {
      const first = await start(3_000);
      let client = first.client(token);
      const id = await client.session();
      await owner.query('CREATE SEQUENCE seen MINVALUE 0 START 0');
      await owner.query(`CREATE FUNCTION counted() RETURNS boolean LANGUAGE sql AS $$ SELECT nextval('public.seen') >= ${passed} $$`);
      await owner.query('GRANT USAGE ON SEQUENCE seen TO PUBLIC');
      await owner.query(
        `CREATE OR REPLACE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF public.counted() THEN PERFORM pg_advisory_xact_lock_shared(4711); END IF; RETURN NEW; END $$`,
      );
      await owner.query('SELECT pg_advisory_lock(4711)');
      await owner.query(`CREATE TRIGGER held ${on} EXECUTE FUNCTION public.hold()`);
      const { turnId, promptId } = (await client.prompt(id, NESTED)).body;
      const waiting = async (): Promise<readonly { pid: number }[]> =>
        (await owner.query<{ pid: number }>(`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`)).rows;
      await until('the statement is held', async () => (await waiting()).length > 0);
      await first.kill();
      if (!isDone) await owner.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`);
      await until('the statement is gone', async () => isDone || (await waiting()).length === 0);
      await owner.query('SELECT pg_advisory_unlock(4711)');
      await until('the statement is gone', async () => (await waiting()).length === 0);
      await owner.query(`DROP TRIGGER held ON ${on.includes('ON session') ? 'session' : 'event'}`);
      await owner.query('DROP FUNCTION counted; DROP SEQUENCE seen');

      client = (await start()).client(token);
      await until('the turn is over', async () => (await turnOf(client, id, turnId)).endedAt !== null);
      expect(await turnOf(client, id, turnId)).toMatchObject({ status: 'completed', toolCalls: [{ outcome: 'finished', isError: false }] });
      expect(resultsIn(await client.messages(id))).toMatchObject([{ content: expect.stringContaining('done') }]);
      const prompts = [promptId];
      let above = id;
      for (let depth = 1; depth <= 3; depth += 1) {
        const { data } = (await client.get(`/v1/sessions?parent=${above}`)).body;
        expect(data).toHaveLength(1);
        above = data[0].id;
        const own = (await client.events(above)).filter(({ type }) => type === 'prompt.submitted').map(({ data: { submission } }) => submission.promptId);
        expect(own).toHaveLength(1);
        await expectNothingLost(client, above, own);
        await expectVerified(client, above);
      }
      await expectNothingLost(client, id, prompts);
      await expectVerified(client, id);
      await until('no helper is open', async () => (await owner.query('SELECT FROM session WHERE helper_turn_id IS NOT NULL')).rowCount === 0);
    },
  );
}

// As content.erased is appended for the parent, and then held for the helper.
it.each(['the session', 'the answer with the call'])('helpers are erased although the process dies between the erasure of %s and theirs', async (what) => {
  const first = await start(3_000);
  let client = first.client(token);
  const id = await client.session();
  const { turnId } = (await client.prompt(id, NESTED)).body;
  await until('the turn is over', async () => (await turnOf(client, id, turnId)).endedAt !== null);
  const made: string[] = [];
  for (let above = id; made.length < 3; above = made.at(-1)!) made.push((await client.get(`/v1/sessions?parent=${above}`)).body.data[0].id);
  await owner.query(
    `CREATE OR REPLACE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NEW; END $$`,
  );
  await owner.query('SELECT pg_advisory_lock(4711)');
  await owner.query(
    `CREATE TRIGGER held BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.type = 'content.erased' AND NEW.session_id <> '${id}') EXECUTE FUNCTION public.hold()`,
  );
  const answer = (await client.messages(id)).find(({ type }) => type === 'assistant')!;
  const lost = client.call('DELETE', what === 'the session' ? `/v1/sessions/${id}` : `/v1/sessions/${id}/messages/${answer.uuid}`).catch(() => null);
  const waiting = async (): Promise<number> =>
    (await owner.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`)).rowCount ?? 0;
  await until('the erasure of a helper is held', async () => (await waiting()) > 0);
  await first.kill();
  await lost;
  await owner.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`);
  await until('the statement is gone', async () => (await waiting()) === 0);
  await owner.query('SELECT pg_advisory_unlock(4711)');
  await owner.query('DROP TRIGGER held ON event');

  client = (await start()).client(token);
  for (const helper of made) {
    await until('the helper is erased', async () => (await client.get(`/v1/sessions/${helper}`)).body.erased);
    expect(JSON.stringify(await client.events(helper))).not.toContain('done');
    expect((await client.get(`/v1/sessions/${helper}/audit`)).body).toMatchObject({ valid: true });
  }
});

const turnOf = async (client: Client, id: string, turnId: string): Promise<UnknownObject> => (await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body;
