import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectStatus } from '../support/client.js';
import { expectNothingLost } from '../support/ledger.js';
import { describeWith, OPENSSL, REDIS_SERVER } from '../support/needs.js';
import { RedisDeployment } from '../support/redis-deployment.js';
import { makeTenant } from '../support/tenant.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

describeWith(REDIS_SERVER, OPENSSL)('Redis as', () => {
  let database: TestDatabase;
  let token: string;
  let redis: RedisDeployment | undefined;
  const servers: TestServer[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
    token = await makeTenant(database.appUrl, 'first');
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    await redis?.stop();
    redis = undefined;
  });
  afterAll(() => database?.drop());

  const start = async (environment: Readonly<Record<string, string>>): Promise<TestServer> => {
    const server = await startTestServer({ REDIS_URL: redis!.url, TURN_DISPATCH: 'queue', START_TIMEOUT_MS: '60000', ...environment }, database, token);
    servers.push(server);
    return server;
  };

  /** What is sent to an api is done by a worker, and its stream comes over the live bus. */
  async function converse(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const api = await start({ ...environment, ROLE: 'api' });
    await start({ ...environment, ROLE: 'worker' });
    const { client } = api;
    const id = await client.session();
    const stream = await client.stream(id);
    await until('the worker is known to the live bus', async () => {
      const { promptId } = (await client.prompt(id, '{{slow 5}}{{long 30}}')).body;
      const seen = await stream.untilType('message.appended');
      await stream.untilType('turn.completed');
      return promptId !== undefined && seen !== undefined;
    });
    stream.close();
    expect(expectStatus(await client.get('/health/ready'), 200).body.checks).toMatchObject({ queue: 'up', live: 'up' });
  }

  it('a cluster of three nodes runs turns and carries live updates', async () => {
    redis = await RedisDeployment.cluster();
    await converse();
  });

  it('a server with TLS and its own certificate authority', async () => {
    redis = await RedisDeployment.withTls();
    await converse({ REDIS_CA_FILE: redis.caFile });
  });

  it('a server with TLS whose certificate is not trusted ends the start with the reason', async () => {
    redis = await RedisDeployment.withTls();
    await expect(start({})).rejects.toThrow(/REDIS_URL: .*certificate/);
  });

  it('a socket of this machine', async () => {
    redis = await RedisDeployment.socket();
    await converse();
  });

  it('a node of a cluster, as if it were a server, ends the start with the reason', async () => {
    redis = await RedisDeployment.cluster();
    const [first] = redis.url.replace('redis+cluster', 'redis').split(',');
    await expect(start({ REDIS_URL: first! })).rejects.toThrow(/redis\+cluster:\/\//);
  });

  it('a primary with a sentinel: turns continue when the primary is lost', async () => {
    redis = await RedisDeployment.sentinel();
    const api = await start({ ROLE: 'api' });
    await start({ ROLE: 'worker' });
    const { client } = api;
    const id = await client.session();
    const prompts = [(await client.ask(id, 'before')).promptId];
    await redis.killPrimary();
    for (let index = 0; index < 5; index += 1) {
      const { status, body } = await client.prompt(id, `while it is away ${index}`);
      expect(status).toBe(202);
      prompts.push(body.promptId);
      await pause(50);
    }
    await until('the session is at rest', async () => (await client.get(`/v1/sessions/${id}`)).body.status === 'idle');
    await until('the server is ready', async () => (await client.get('/health/ready')).status === 200);
    await expectNothingLost(client, id, prompts);
  });
});
