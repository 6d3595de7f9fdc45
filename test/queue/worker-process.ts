/** A worker in a process of its own, for tests that kill it: takes one job at a time, tells its parent the id, and never finishes. */
import { BullJobQueue } from '../../src/adapters/queue/bull-job-queue.js';
import { postgresBackend } from '../../src/adapters/queue/postgres-backend.js';
import { redisBackend } from '../../src/adapters/queue/redis-backend.js';
import type { PostgresQueueOptions, RedisQueueOptions } from '../../src/adapters/queue/backend.js';

export interface WorkerPlan {
  readonly postgres?: PostgresQueueOptions;
  readonly redis?: RedisQueueOptions;
  readonly lockMs: number;
}

const { postgres, redis, lockMs } = JSON.parse(process.argv[2]!) as WorkerPlan;
const backend = redis ? redisBackend(redis) : postgresBackend(postgres!);
const queue = new BullJobQueue({ backend, lockMs, report: (problem, error) => console.error(problem, error) });
process.on('disconnect', () => process.exit());
await queue.work(1, async (job) => {
  process.send?.(job.id);
  await new Promise(() => undefined);
});
process.send?.('ready');
