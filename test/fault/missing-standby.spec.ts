import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import type { Client } from '../support/client.js';
import { ServerProcess } from '../support/process.js';
import { prepareTemplate } from '../support/template.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

const APPEND_POOL = 3;
const PROMPTS = 12;

describe('a database whose synchronous standby is away', () => {
  let database: EmbeddedPostgres;
  let owner: pg.Client;
  let server: ServerProcess;
  let client: Client;

  beforeAll(async () => {
    database = await startEmbeddedPostgres({ database: 'lonely' });
    await prepareTemplate(database.url);
    const token = await makeTenant(appLogin(database.url).appUrl, 'lonely');
    owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('SET synchronous_commit TO off');
    server = await ServerProcess.start({
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      DATABASE_TIMEOUT_MS: '3000',
      DATABASE_APPEND_POOL_SIZE: String(APPEND_POOL),
      GROUP_COMMIT_SIZE: '2',
    });
    client = server.client(token);
  });
  afterAll(async () => {
    await standby('');
    await server?.stop();
    await owner?.end();
    await database?.stop();
  });

  async function standby(name: string): Promise<void> {
    await owner.query(`ALTER SYSTEM SET synchronous_standby_names = ${pg.escapeLiteral(name)}`);
    await owner.query('SELECT pg_reload_conf()');
    await until(
      'the server knows',
      async () => (await owner.query<{ synchronous_standby_names: string }>('SHOW synchronous_standby_names')).rows[0]!.synchronous_standby_names === name,
    );
  }

  const waiting = async (): Promise<number> =>
    (await owner.query<{ count: number }>("SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).rows[0]!.count;
  const appends = async (): Promise<string> => (await client.get('/health/ready')).body.checks?.appends;

  it('answers reads and says so, keeps few backends waiting, and has each prompt once when the standby is back', async () => {
    const sessions = await Promise.all(Array.from({ length: PROMPTS }, () => client.session()));
    const keys = sessions.map(() => randomUUID());
    const submit = () =>
      Promise.all(sessions.map((id, index) => client.post(`/v1/sessions/${id}/prompts`, { input: 'hello' }, { 'idempotency-key': keys[index]! })));
    await standby('nobody');
    for (let round = 1; round <= 3; round += 1) {
      let answered = false;
      const prompts = submit().finally(() => (answered = true));
      await until('commits wait', async () => (await waiting()) > 0);
      for (let read = 0; read < 20; read += 1) expect((await client.get('/v1/sessions')).status).toBe(200);
      if (round === 1) expect(answered).toBe(false);
      for (const { status, body } of await prompts) expect([status, body.code]).toEqual([503, 'unavailable']);
      expect(await waiting()).toBeLessThanOrEqual(APPEND_POOL);
    }
    expect(await appends()).toBe('waiting_for_standby');

    await standby('');
    await until('nothing waits', async () => (await appends()) === 'up');
    await until('every prompt is accepted', async () => (await submit()).every(({ status }) => status === 202));
    for (const id of sessions) {
      const prompts = (await client.events(id)).filter(({ type }) => type === 'prompt.submitted');
      expect(prompts).toHaveLength(1);
    }
  });
});
