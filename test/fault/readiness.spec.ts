import { describe, expect, it } from '@jest/globals';
import type { Client } from '../support/client.js';
import { cuttingProxy } from '../support/cutting-proxy.js';
import { freshDatabase } from '../support/database.js';
import { itWith, REDIS_SERVER } from '../support/needs.js';
import { RedisServer } from '../support/redis-server.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** Short, so that calls to an unavailable service fail soon. */
const HASTY = { DATABASE_TIMEOUT_MS: '5000' };

const becomes = (client: Client, status: number, body: object): Promise<void> =>
  until(`it answers ${status} ${JSON.stringify(body)}`, async () => {
    const answer = await client.get('/health/ready');
    return answer.status === status && Object.entries(body).every(([name, value]) => (answer.body[name] ?? answer.body.checks?.[name]) === value);
  });

const UP = { database: 'up', queue: 'up', live: 'up' };

describe('readiness', () => {
  it('reports the database and everything in it as unavailable while the process is alive', async () => {
    const database = await freshDatabase();
    const way = await cuttingProxy(database.ownerUrl, () => null);
    const server = await startTestServer(HASTY, { ...database, ownerUrl: way.url });
    try {
      await becomes(server.client, 200, UP);
      await way.close();
      await becomes(server.client, 503, { code: 'unavailable', database: 'down', queue: 'down', live: 'down' });
      expect((await server.client.get('/health/live')).status).toBe(200);
      expect((await server.client.get('/v1/sessions')).status).toBe(503);
    } finally {
      await server.stop();
      await database.drop();
    }
  });

  itWith(REDIS_SERVER)('reports Redis as unavailable, and as available again', async () => {
    const redis = await RedisServer.start();
    const server = await startTestServer({ REDIS_URL: redis.url });
    try {
      await becomes(server.client, 200, UP);
      await redis.kill();
      await becomes(server.client, 503, { code: 'unavailable', database: 'up', queue: 'down', live: 'down' });
      const id = await server.client.session();
      const prompt = (await server.client.prompt(id, 'accepted all the same')).body;
      await redis.startAgain();
      await becomes(server.client, 200, UP);
      expect((await server.client.settled(id, prompt.turnId)).status).toBe('completed');
    } finally {
      await server.stop();
      await redis.stop();
    }
  });
});
