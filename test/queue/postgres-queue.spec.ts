import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { BullJobQueue } from '../../src/adapters/queue/bull-job-queue.js';
import { migrateQueue } from '../../src/adapters/queue/migrate-queue.js';
import { postgresBackend } from '../../src/adapters/queue/postgres-backend.js';
import { blankDatabase, freshDatabase, type TestDatabase } from '../support/database.js';
import { jobOf, jobQueueContract, type JobQueueServer } from './job-queue.contract.js';

async function start(): Promise<JobQueueServer> {
  const database = await freshDatabase();
  await migrateQueue(database.ownerUrl);
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  return {
    backend: () => postgresBackend({ url: database.appUrl }),
    plan: { postgres: { url: database.appUrl } },
    killConnections: async () => {
      await owner.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
    },
    stealLock: async (jobId) => {
      await owner.query("UPDATE bullmq.job SET lock_token = 'another worker' WHERE id = $1", [jobId]);
    },
    close: async () => {
      await owner.end();
      await database.drop();
    },
  };
}

async function withBlank(use: (database: TestDatabase, owner: pg.Client) => Promise<void>): Promise<void> {
  const database = await blankDatabase();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  try {
    await use(database, owner);
  } finally {
    await owner.end();
    await database.drop();
  }
}

describe('the job queue on Postgres', () => {
  jobQueueContract(start);

  it('is set up by several processes at once, and again', async () => {
    await withBlank(async ({ ownerUrl, appUrl }) => {
      await Promise.all(Array.from({ length: 6 }, () => migrateQueue(ownerUrl)));
      await migrateQueue(ownerUrl);
      const queue = new BullJobQueue({ backend: postgresBackend({ url: appUrl }), lockMs: 1_000, report: () => undefined });
      await queue.add([jobOf('a')]);
      await queue.stop(0);
    });
  });

  it('lets the application use its tables, also those that come later, and change none', async () => {
    await withBlank(async ({ ownerUrl, appUrl }, owner) => {
      await migrateQueue(ownerUrl);
      await owner.query('CREATE TABLE bullmq.later (id int)');
      const app = new pg.Client({ connectionString: appUrl });
      await app.connect();
      await app.query('INSERT INTO bullmq.later VALUES (1)');
      for (const statement of ['CREATE TABLE bullmq.own (id int)', 'DROP TABLE bullmq.job', 'DELETE FROM bullmq.migration', 'TRUNCATE bullmq.job']) {
        await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
      }
      await app.end();
    });
  });

  it('does not end the process when a connection is lost while nobody looks at it', async () => {
    const server = await start();
    const { forQueue, close } = server.backend();
    const pool = forQueue.connection as pg.Pool;
    const held = await pool.connect();
    const ended = new Promise<void>((resolve) => void held.on('end', resolve)); // events.once would listen for errors, too
    await server.killConnections();
    await ended;
    held.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await close();
    await server.close();
  });

  it('says what is wrong when it cannot begin, and begins once it can', async () => {
    await withBlank(async ({ ownerUrl, appUrl }) => {
      const queue = new BullJobQueue({ backend: postgresBackend({ url: appUrl }), lockMs: 1_000, report: () => undefined });
      await expect(queue.add([jobOf('a')])).rejects.toThrow(/not initialized/);
      await migrateQueue(ownerUrl);
      await queue.add([jobOf('a')]);
      await queue.stop(0);
    });
  });

  it('rejects within its time limit while there is no server', async () => {
    const queue = new BullJobQueue({
      backend: postgresBackend({ url: 'postgresql://nobody@127.0.0.1:1/none', timeoutMs: 500 }),
      lockMs: 1_000,
      report: () => undefined,
      timeoutMs: 500,
    });
    await expect(queue.ping()).rejects.toThrow(/ECONNREFUSED|did not get through/);
    await expect(queue.add([jobOf('a')])).rejects.toThrow(/ECONNREFUSED|did not get through/);
    await expect(queue.work(1, async () => undefined)).rejects.toThrow(/ECONNREFUSED|did not get through/);
    await queue.stop(0);
  });
});
