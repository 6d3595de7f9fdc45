import { createRedisBackend, type BackendFactory, type IQueueBackend } from 'bullmq';
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
    addsInBulk: true,
    close: () => Promise.resolve(),
  };
}
