import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from '@jest/globals';
import { FaultProxy } from '../support/fault-proxy.js';
import { describeWithRedis } from '../support/needs.js';
import { Edge } from './support/edge.js';
import { until } from '../support/until.js';
import { ADMIN } from './support/memory-ports.js';

const edges: Edge[] = [];

async function start(redisUrl: string, more: Readonly<Record<string, string>> = {}): Promise<Edge> {
  const edge = await Edge.start({ RATE_LIMIT_PER_MINUTE: '5', REDIS_URL: redisUrl, ...more });
  edges.push(edge);
  return edge;
}

afterEach(async () => {
  await Promise.all(edges.splice(0).map((edge) => edge.stop()));
});

const statuses = async (edge: Edge, count: number): Promise<readonly number[]> => {
  const found: number[] = [];
  for (let sent = 0; sent < count; sent += 1) found.push((await edge.client.get('/v1/me')).status);
  return found;
};

describeWithRedis('limits shared through Redis', (url) => {
  it('count the requests of a user over all processes', async () => {
    const patient = { RATE_LIMIT_REDIS_TIMEOUT_MS: '60000' }; // no request is counted by its process alone because the machine is slow
    const [one, other] = [await start(url, patient), await start(url, patient)];
    const user = { ...ADMIN, userId: randomUUID() };
    for (const edge of [one, other]) edge.accounts.byToken.set('vb_admin', user);
    expect(await statuses(one, 3)).toEqual([200, 200, 200]);
    expect(await statuses(other, 3)).toEqual([200, 200, 429]);
    expect(await statuses(one, 1)).toEqual([429]);
  });

  it('answer while a connection to Redis is silent, and replace it', async () => {
    const proxy = await FaultProxy.start(url);
    try {
      const edge = await start(proxy.url(url));
      const user = { ...ADMIN, userId: randomUUID() };
      edge.accounts.byToken.set('vb_admin', user);
      expect(await statuses(edge, 1)).toEqual([200]);
      expect(proxy.silence()).toBeGreaterThan(0);
      expect(await statuses(edge, 1)).toEqual([200]);
      const other = await start(url);
      other.accounts.byToken.set('vb_admin', user);
      // Counted in Redis again: together with those of another process.
      await until('the limit is shared again', async () => (await statuses(edge, 1))[0] === 429 && (await statuses(other, 1))[0] === 429);
    } finally {
      await proxy.close();
    }
  });
});

it('without an answer from Redis each process counts alone, and no request waits', async () => {
  const edge = await start('redis://127.0.0.1:1');
  expect(await statuses(edge, 6)).toEqual([200, 200, 200, 200, 200, 429]);
});
