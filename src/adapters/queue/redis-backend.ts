import { createRedisBackend, type BackendFactory, type IQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { DEFAULT_TIMEOUT_MS, type QueueBackend, type RedisQueueOptions } from './backend.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;

/** A worker's connection is silent for this long while it waits for a job; BullMQ's maximum. */
const MAX_BLOCK_MS = 10_000;

export function redisBackend(options: RedisQueueOptions): QueueBackend {
  const { url, timeoutMs = DEFAULT_TIMEOUT_MS, prefix = 'verbatim' } = options;
  const connection = {
    url,
    connectTimeout: timeoutMs,
    keepAlive: timeoutMs,
    retryStrategy: (attempt: number) => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 10), MAX_PAUSE_MS),
  };
  return {
    name: 'redis',
    factory: createRedisBackend as BackendFactory<IQueueBackend, unknown>,
    forQueue: { connection: { ...connection, commandTimeout: timeoutMs, socketTimeout: timeoutMs, maxRetriesPerRequest: 3 }, prefix },
    forWorker: { connection: { ...connection, socketTimeout: timeoutMs + MAX_BLOCK_MS, maxRetriesPerRequest: null }, prefix },
    idle: { askMs: 5_000, locks: 0.25 },
    addsInBulk: true,
    repairTimes: ({ backend }, { retryMaxMs }) => promoteLateRetries(backend as unknown as RedisParts, Date.now() + retryMaxMs),
    close: () => Promise.resolve(),
  };
}

/** What is used of BullMQ's backend; its class is not exported. */
interface RedisParts {
  readonly client: Promise<Pick<Redis, 'zrangebyscore'>>;
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
