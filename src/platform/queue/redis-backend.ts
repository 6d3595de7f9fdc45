import { createRedisBackend, type BackendFactory, type IQueueBackend } from 'bullmq';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import { openRedis, serverOptions } from '../redis/open-redis.js';
import { DEFAULT_TIMEOUT_MS, type QueueBackend, type RedisQueueOptions } from './backend.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;

/** A worker's connection is silent for this long while it waits for a job; BullMQ's maximum. */
const MAX_BLOCK_MS = 10_000;

/** In braces: all keys of the queue are on one node of a cluster, because each script uses several. */
const PREFIX = '{verbatim}';

export function redisBackend(options: RedisQueueOptions): QueueBackend {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, prefix = PREFIX } = options;
  const common: RedisOptions = {
    connectTimeout: timeoutMs,
    keepAlive: timeoutMs,
    retryStrategy: (attempt: number) => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), MAX_PAUSE_MS),
  };
  const server = serverOptions(options);
  // BullMQ makes and closes its connections to a server by itself; clients of a cluster it is given.
  const clusters: (Redis | Cluster)[] = [];
  const connection = (limits: RedisOptions): RedisOptions | Cluster => {
    if (server !== null) return { ...server, ...common, ...limits };
    const cluster = openRedis(options, { ...common, ...limits, lazyConnect: true }) as Cluster;
    clusters.push(cluster);
    return cluster;
  };
  return {
    name: 'redis',
    factory: createRedisBackend as BackendFactory<IQueueBackend, unknown>,
    forQueue: () => ({
      connection: connection({ commandTimeout: timeoutMs, socketTimeout: timeoutMs, maxRetriesPerRequest: server === null ? null : 3 }),
      prefix,
    }),
    forWorker: () => ({ connection: connection({ socketTimeout: timeoutMs + MAX_BLOCK_MS, maxRetriesPerRequest: null }), prefix }),
    askMs: 5_000,
    addsInBulk: true,
    repairTimes: ({ backend }, { retryMaxMs }) => promoteLateRetries(backend as unknown as RedisParts, Date.now() + retryMaxMs),
    present: () => undefined,
    endAbandoned: () => Promise.resolve(), // a dead worker is found by the end of its locks
    onLost: ({ backend }, listener) => {
      void (backend as unknown as RedisParts).client.then((client) => client.on('-node', listener)); // of a cluster, whose client is not closed
    },
    ping: ({ backend }) => runScript(backend as unknown as RedisParts, `${prefix}:ping`),
    close: async () => {
      for (const cluster of clusters) cluster.disconnect();
    },
  };
}

/** Writes and reads, as the scripts of the queue do: a replica, a full memory or missing rights answer all else. */
async function runScript(backend: RedisParts, key: string): Promise<void> {
  const client = await backend.client;
  await client.eval(`redis.call('SET', KEYS[1], '1', 'PX', 60000) return redis.call('GET', KEYS[1])`, 1, key);
}

/** What is used of BullMQ's backend; its class is not exported. */
interface RedisParts {
  readonly client: Promise<Pick<Redis, 'zrangebyscore' | 'eval' | 'on'>>;
  readonly keys: { readonly delayed: string };
  promote(jobId: string): Promise<unknown>;
}

/** BullMQ stores due times in a sorted set; a score is milliseconds times this, plus a counter. */
const SCORES_PER_MS = 0x1000;

/**
 * The due time of a retry is by the clock of the worker in which the attempt failed. Retries that are due later than any pause allows, by the clock of this process,
 * are made due now; otherwise a worker with a clock that is hours ahead would delay them by hours.
 */
async function promoteLateRetries(backend: RedisParts, latest: number): Promise<void> {
  const client = await backend.client;
  const ids = await client.zrangebyscore(backend.keys.delayed, (latest + 1) * SCORES_PER_MS, '+inf');
  for (const id of ids) await backend.promote(id).catch(() => undefined); // another worker has promoted it
}
