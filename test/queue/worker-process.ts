/** A worker in a separate process: starts one job at a time, sends its id to the parent, and never completes it. */
import { BullJobQueue } from '../../src/adapters/queue/bull-job-queue.js';
import { postgresBackend } from '../../src/adapters/queue/postgres-backend.js';
import { redisBackend } from '../../src/adapters/queue/redis-backend.js';
import type { PostgresQueueOptions, RedisQueueOptions } from '../../src/adapters/queue/backend.js';

export interface WorkerPlan {
  readonly postgres?: PostgresQueueOptions;
  readonly redis?: RedisQueueOptions;
  readonly lockMs: number;
  /** Milliseconds by which the clock of this process is ahead. */
  readonly clockAheadMs?: number;
}

const { postgres, redis, lockMs, clockAheadMs = 0 } = JSON.parse(process.argv[2]!) as WorkerPlan;
const now = Date.now;
Date.now = () => now() + clockAheadMs;
const backend = redis ? redisBackend(redis) : postgresBackend(postgres!);
const queue = new BullJobQueue({ backend, lockMs, report: (problem, error) => console.error(problem, error) });
process.on('disconnect', () => process.exit());
await queue.work(1, async (job) => {
  process.send?.(job.id);
  await new Promise(() => undefined);
});
process.send?.('ready');
