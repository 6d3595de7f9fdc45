/** A worker in a separate process: starts one job at a time, sends its id to the parent, and never completes it. A message sets its clock. */
import { BullJobQueue } from '../../src/platform/queue/bull-job-queue.js';
import { postgresBackend } from '../../src/platform/queue/postgres-backend.js';
import { redisBackend } from '../../src/platform/queue/redis-backend.js';
import type { PostgresQueueOptions, RedisQueueOptions } from '../../src/platform/queue/backend.js';

export interface WorkerPlan {
  readonly postgres?: PostgresQueueOptions;
  readonly redis?: RedisQueueOptions;
  readonly lockMs: number;
  /** Milliseconds by which the clock of this process is ahead. */
  readonly clockAheadMs?: number;
  /** Every attempt fails. */
  readonly failing?: boolean;
}

const { postgres, redis, lockMs, clockAheadMs = 0, failing = false } = JSON.parse(process.argv[2]!) as WorkerPlan;
const now = Date.now;
let aheadMs = clockAheadMs;
Date.now = () => now() + aheadMs;
process.on('message', (ms) => {
  aheadMs = Number(ms);
  process.send?.('clock set');
});
const backend = redis ? redisBackend(redis) : postgresBackend(postgres!);
const queue = new BullJobQueue({ backend, lockMs, report: (problem, error) => console.error(problem, error) });
process.on('disconnect', () => process.exit());
await queue.work(1, async (job) => {
  process.send?.(job.id);
  if (failing) throw new Error('as planned');
  await new Promise(() => undefined);
});
setInterval(() => void queue.recover(), lockMs / 4); // as the dispatch does while jobs are in the queue
process.send?.('ready');
