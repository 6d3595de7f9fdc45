import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { clientOptions } from '../../src/platform/postgres/connection/client-options.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { FaultProxy, type Loss } from '../support/fault-proxy.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

const TIMEOUT_MS = 4_000;

/** The statement timeout, the margin of the client-side timeout, and time for a busy machine. */
const BOUND_MS = TIMEOUT_MS + 1_000 + 30_000;

let database: TestDatabase;
let proxy: FaultProxy;
let token: string;
let server: ServerProcess | null = null;

beforeAll(async () => {
  database = await freshDatabase();
  token = await makeTenant(database.appUrl, 'silent');
  proxy = await FaultProxy.start(database.ownerUrl);
});
afterEach(async () => {
  await server?.kill();
  server = null;
});
afterAll(async () => {
  await proxy.close();
  await database.drop();
});

async function start(): Promise<ServerProcess> {
  server = await ServerProcess.start({
    LOG_LEVEL: 'warn',
    DATABASE_URL: proxy.url(database.ownerUrl),
    DATABASE_TIMEOUT_MS: String(TIMEOUT_MS),
    JOB_LOCK_MS: '6000',
    SHUTDOWN_GRACE_MS: '2000',
  });
  return server;
}

describe('open connections to Postgres that lose', () => {
  it.each<[string, Loss]>([
    ['every byte', 'both'],
    ['requests', 'requests'],
    ['replies', 'replies'],
  ])('%s: every call is answered within its bound, and the server recovers by itself', async (_name, loss) => {
    const client = (await start()).client(token);
    const id = await client.session();
    const first = await client.ask(id, 'before');
    proxy.silence(loss);
    const calls = Array.from({ length: 12 }, async (_, index) => {
      const started = performance.now();
      const { status } = await (index % 2 === 0 ? client.get(`/v1/sessions/${id}`) : client.post('/v1/sessions', {}));
      return { status, milliseconds: performance.now() - started };
    });
    for (const { status, milliseconds } of await Promise.all(calls)) {
      expect([200, 201, 503]).toContain(status);
      expect(milliseconds).toBeLessThan(BOUND_MS);
    }
    await until('a session is read again', async () => (await client.get(`/v1/sessions/${id}`)).status === 200);
    await until('the server is ready again', async () => (await client.get('/health/ready')).status === 200);
    const second = await client.ask(id, 'after');
    expect([first, second].map(({ status }) => status)).toEqual(['completed', 'completed']);
    await expectNothingLost(client, id, [first.promptId, second.promptId]);
  });

  it('every byte: the first call without an answer closes the idle ones, too', async () => {
    const options = clientOptions({ url: proxy.url(database.ownerUrl), applicationName: 'silent', timeoutMs: TIMEOUT_MS });
    const pools = [new pg.Pool({ ...options, max: 5 }), new pg.Pool({ ...options, max: 5 })] as const;
    for (const pool of pools) pool.on('error', () => undefined); // its idle connections are lost
    await Promise.all(pools.flatMap((pool) => Array.from({ length: 5 }, () => pool.query('SELECT pg_sleep(0.2)'))));
    expect(pools.map(({ totalCount }) => totalCount)).toEqual([5, 5]);
    proxy.silence();
    await expect(pools[0].query('SELECT 1')).rejects.toThrow('timeout');
    await until('no silent connection is left', async () => pools.every(({ totalCount }) => totalCount === 0));
    expect((await pools[1].query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await Promise.all(pools.map((pool) => pool.end()));
  });

  it('do not keep a process from ending on SIGTERM', async () => {
    const process = await start();
    const client = process.client(token);
    const id = await client.session();
    await client.ask(id, 'before');
    proxy.silence();
    void client.get(`/v1/sessions/${id}`).catch(() => undefined); // a call that hangs at the moment of the signal
    expect(await process.stop()).toBe(0);
  });
});
