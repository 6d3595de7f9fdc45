import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { BullJobQueue } from '../../src/platform/queue/bull-job-queue.js';
import { migrateQueue } from '../../src/platform/queue/migrate-queue.js';
import { postgresBackend } from '../../src/platform/queue/postgres-backend.js';
import { blankDatabase, freshDatabase, type TestDatabase } from '../support/database.js';
import { Gathered } from '../support/gathered-attachments.js';
import { until } from '../support/until.js';
import { jobOf, jobQueueContract, type JobQueueServer } from './job-queue.contract.js';
import type { WorkerPlan } from './worker-process.js';

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
    lockEnd: async (jobId) => {
      const { rows } = await owner.query<{ end: string }>('SELECT locked_until_ms AS end FROM bullmq.job WHERE id = $1', [jobId]);
      return Number(rows[0]!.end);
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

  it('may be migrated by several processes concurrently, and repeatedly', async () => {
    await withBlank(async ({ ownerUrl, appUrl }) => {
      await Promise.all(Array.from({ length: 6 }, () => migrateQueue(ownerUrl)));
      await migrateQueue(ownerUrl);
      const queue = new BullJobQueue({ backend: postgresBackend({ url: appUrl }), lockMs: 1_000, report: () => undefined });
      await queue.add([jobOf('a')]);
      await queue.stop(0);
    });
  });

  it('lets the application use all tables, including later ones, but not change the schema', async () => {
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

  it('survives the loss of an idle connection', async () => {
    const server = await start();
    const { forQueue, close } = server.backend();
    const pool = forQueue().connection as pg.Pool;
    const held = await pool.connect();
    const ended = new Promise<void>((resolve) => void held.on('end', resolve)); // events.once would also add an error listener
    await server.killConnections();
    await ended;
    held.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await close();
    await server.close();
  });

  it('rejects while the schema is missing, and works once it exists', async () => {
    await withBlank(async ({ ownerUrl, appUrl }) => {
      const queue = new BullJobQueue({ backend: postgresBackend({ url: appUrl }), lockMs: 1_000, report: () => undefined });
      await expect(queue.add([jobOf('a')])).rejects.toThrow(/not initialized/);
      await migrateQueue(ownerUrl);
      await queue.add([jobOf('a')]);
      await queue.stop(0);
    });
  });

  it('rejects within its time limit while the server is down', async () => {
    const queue = new BullJobQueue({
      backend: postgresBackend({ url: 'postgresql://nobody@127.0.0.1:1/none', timeoutMs: 500 }),
      lockMs: 1_000,
      report: () => undefined,
      timeoutMs: 500,
    });
    await expect(queue.ping()).rejects.toThrow(/ECONNREFUSED|timed out/);
    await expect(queue.add([jobOf('a')])).rejects.toThrow(/ECONNREFUSED|timed out/);
    await expect(queue.work(1, async () => undefined)).rejects.toThrow(/ECONNREFUSED|timed out/);
    await queue.stop(0);
  });

  describe('with workers whose clocks differ', () => {
    const HOUR_MS = 3_600_000;
    const LOCK_MS = 1_000;
    /** For locks that must not expire on a slow machine. */
    const LONGER_LOCK_MS = 3_000;
    let server: JobQueueServer;
    let children: ChildProcess[];

    beforeEach(async () => {
      server = await start();
      children = [];
    });
    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      await server.close();
    });

    /** A worker process; `started` collects the ids of the jobs that it has started. */
    async function worker(clockAheadMs: number, lockMs = LOCK_MS): Promise<{ readonly child: ChildProcess; readonly started: Gathered<string> }> {
      const plan: WorkerPlan = { ...server.plan, lockMs, clockAheadMs };
      const child = fork(fileURLToPath(new URL('./worker-process.js', import.meta.url)), [JSON.stringify(plan)], { execArgv: [] });
      children.push(child);
      const started = new Gathered<string>();
      const ready = once(child, 'message').then(() => child.on('message', (id) => started.add(String(id))));
      await ready;
      return { child, started };
    }

    async function add(...names: readonly string[]): Promise<void> {
      const queue = new BullJobQueue({ backend: server.backend(), lockMs: LOCK_MS, report: () => undefined });
      await queue.add(names.map(jobOf));
      await queue.stop(0);
    }

    /** Resolves after that many further checks for stalled jobs, in whichever worker. */
    async function stalledChecks(count: number): Promise<void> {
      const owner = new pg.Client({ connectionString: server.plan.postgres!.url });
      await owner.connect();
      const seen = new Set<string>();
      await until('stalled jobs were checked', async () => {
        const { rows } = await owner.query<{ value: string }>("SELECT value FROM bullmq.meta WHERE field = 'stalled-check'");
        for (const { value } of rows) seen.add(value);
        return seen.size > count;
      });
      await owner.end();
    }

    it.each([
      ['ahead', HOUR_MS],
      ['behind', -HOUR_MS],
    ])('leaves a job with its live worker when the clock of another is an hour %s', async (_name, clockAheadMs) => {
      const first = await worker(0, LONGER_LOCK_MS);
      await add('a');
      await first.started.count(1);
      const other = await worker(clockAheadMs, LONGER_LOCK_MS);
      await add('b');
      await other.started.count(1);
      await stalledChecks(3);
      expect([first.started.items, other.started.items]).toEqual([['turn-a'], ['turn-b']]);
    });

    it('notices a dead worker after a worker with a clock an hour ahead has run', async () => {
      const ahead = await worker(HOUR_MS);
      await add('a');
      await ahead.started.count(1);
      await stalledChecks(2);
      ahead.child.kill('SIGKILL');
      const next = await worker(0);
      expect(await next.started.count(1)).toEqual(['turn-a']);
    });

    it('repairs a stalled check and a lock that lie in the future', async () => {
      const first = await worker(0);
      await add('a');
      await first.started.count(1);
      first.child.kill('SIGKILL');
      const owner = new pg.Client({ connectionString: server.plan.postgres!.url });
      await owner.connect();
      const future = Date.now() + HOUR_MS;
      await owner.query(
        "INSERT INTO bullmq.meta (queue, field, value) VALUES ('turns', 'stalled-check', $1) ON CONFLICT (queue, field) DO UPDATE SET value = excluded.value",
        [future],
      );
      await owner.query("UPDATE bullmq.job SET locked_until_ms = $1 WHERE state = 'active'", [future]);
      await owner.end();
      const next = await worker(0);
      expect(await next.started.count(1)).toEqual(['turn-a']);
    });
  });
});
