import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { BullJobQueue } from '../../src/platform/queue/bull-job-queue.js';
import { redisBackend } from '../../src/platform/queue/redis-backend.js';
import { describeWithRedis } from '../support/needs.js';
import { databaseOf, killClients } from '../support/redis-clients.js';
import { jobOf, jobQueueContract, type JobQueueServer } from './job-queue.contract.js';

/** No other suite uses it: its connections are killed. */
const DATABASE = 15;

describeWithRedis('the job queue on Redis', (url) => {
  jobQueueContract(async (): Promise<JobQueueServer> => {
    const prefix = randomUUID();
    const own = databaseOf(url, DATABASE);
    const admin = new Redis(own);
    return {
      backend: () => redisBackend({ url: own, prefix }),
      plan: { redis: { url: own, prefix } },
      killConnections: () => killClients(admin, DATABASE),
      lockEnd: async (jobId) => {
        const [[seconds, microseconds], left] = await Promise.all([admin.time(), admin.pttl(`${prefix}:turns:${jobId}:lock`)]);
        return Number(seconds) * 1_000 + Number(microseconds) / 1_000 + left;
      },
      stealLock: async (jobId) => {
        await admin.set(`${prefix}:turns:${jobId}:lock`, 'another worker', 'PX', 60_000);
      },
      close: async () => {
        const keys = await admin.keys(`${prefix}:*`);
        if (keys.length > 0) await admin.del(keys);
        admin.disconnect();
      },
    };
  });

  it('rejects within its time limit while the server is down', async () => {
    const queue = new BullJobQueue({
      backend: redisBackend({ url: 'redis://127.0.0.1:1', timeoutMs: 300 }),
      lockMs: 1_000,
      report: () => undefined,
      timeoutMs: 300,
    });
    await expect(queue.ping()).rejects.toThrow(/timed out/);
    await expect(queue.add([jobOf('a')])).rejects.toThrow(/timed out/);
    await expect(queue.work(1, async () => undefined)).rejects.toThrow(/timed out/);
    await queue.stop(0);
  });
});
