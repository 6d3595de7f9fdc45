import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BullJobQueue } from '../../src/platform/queue/bull-job-queue.js';
import type { QueueBackend } from '../../src/platform/queue/backend.js';
import type { Job, JobContext } from '../../src/ports/index.js';
import { Gathered } from '../support/gathered-attachments.js';
import { until } from '../support/until.js';
import type { WorkerPlan } from './worker-process.js';

/** A new, empty queue. */
export interface JobQueueServer {
  backend(): QueueBackend;
  /** How a separate process connects to the same queue. */
  readonly plan: Pick<WorkerPlan, 'postgres' | 'redis'>;
  /** Closes every connection of every queue, as a restart of the server does. */
  killConnections(): Promise<void>;
  /** When the lock of the running job ends, by the clock of the server: milliseconds since the epoch. */
  lockEnd(jobId: string): Promise<number>;
  /** Gives the lock of the running job to another worker. */
  stealLock(jobId: string): Promise<void>;
  close(): Promise<void>;
}

/** Short where a test waits for its expiry; long where it must not expire on a slow machine. */
const LOCK_MS = 1_000;
const LONG_LOCK_MS = 30_000;
/** For a test that waits for renewals: each after a quarter of it. */
const RENEWED_LOCK_MS = 12_000;
/** For a test that waits for its expiry, in which it must not expire on a slow machine. */
const LONGER_LOCK_MS = 3_000;
const HOUR_MS = 3_600_000;

export function jobOf(name: string): Job {
  return {
    queue: 'turns',
    id: `turn-${name}`,
    payload: { tenantId: 'tenant', sessionId: `session-${name}`, turnId: name, promptId: `prompt-${name}`, workload: 'nightly', traceparent: '00-x-y-01' },
  };
}

/** Resolves when the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<unknown> => (signal.aborted ? Promise.resolve() : once(signal, 'abort'));

export function jobQueueContract(start: () => Promise<JobQueueServer>): void {
  let server: JobQueueServer;
  let open: BullJobQueue[] = [];
  let looks: NodeJS.Timeout[] = [];
  let processes: ChildProcess[] = [];

  beforeEach(async () => {
    server = await start();
  });
  afterEach(async () => {
    for (const child of processes) child.kill('SIGKILL');
    looks.forEach(clearInterval);
    await Promise.all(open.map((queue) => queue.stop(0)));
    await server.close();
    [open, looks, processes] = [[], [], []];
  });

  function opened(lockMs = LONG_LOCK_MS, report: (problem: string, error: unknown) => void = () => undefined): BullJobQueue {
    const created = new BullJobQueue({ backend: server.backend(), lockMs, report, abortWaitMs: 50 });
    open.push(created);
    looks.push(setInterval(() => void created.recover(), LOCK_MS / 2)); // as the dispatch does while jobs are in the queue
    return created;
  }

  /** A separate process that starts one job, reports its id, and never completes it. */
  async function stuckWorker(more: Partial<WorkerPlan> = {}): Promise<{ readonly child: ChildProcess; readonly started: Promise<string> }> {
    const plan: WorkerPlan = { ...server.plan, lockMs: LOCK_MS, ...more };
    const child = fork(fileURLToPath(new URL('./worker-process.js', import.meta.url)), [JSON.stringify(plan)], { execArgv: [] });
    processes.push(child);
    const said = new Gathered<string>();
    child.on('message', (text) => said.add(String(text)));
    await said.count(1);
    return { child, started: said.count(2).then(([, id]) => id!) };
  }

  it('delivers every job with its payload to a worker', async () => {
    const done = new Gathered<Job>();
    await opened().work(2, async (job) => done.add(job));
    const jobs = ['a', 'b', 'c'].map(jobOf);
    await opened().add(jobs);
    expect([...(await done.count(3))].sort((one, other) => one.id.localeCompare(other.id))).toEqual(jobs);
  });

  it('ignores a job whose id it already has, and accepts it again once it is complete', async () => {
    const worker = opened();
    await worker.add([jobOf('a'), jobOf('a')]);
    await worker.add([jobOf('a'), jobOf('b')]);
    const done = new Gathered<string>();
    await worker.work(1, async (job) => {
      if (done.items.length === 0) await worker.add([job]); // while it runs
      done.add(job.id);
    });
    await done.until((items) => items.includes('turn-b'));
    await worker.add([jobOf('a'), jobOf('c')]);
    await done.until((items) => items.includes('turn-c') && items.length > 3);
    expect([...done.items].sort()).toEqual(['turn-a', 'turn-a', 'turn-b', 'turn-c']);
  });

  it('retries a failed job without limit, and does not store the error message', async () => {
    const problems = new Gathered<unknown>();
    const worker = opened(LONG_LOCK_MS, (_problem, error) => problems.add(error));
    const inner = await worker.inner();
    const attempts = new Gathered<string>();
    let stored = '';
    await worker.work(1, async (job) => {
      attempts.add(job.id);
      stored += JSON.stringify(await inner.getJob(job.id));
      if (attempts.items.length < 3) throw new RangeError('what the user wrote');
    });
    await worker.add([jobOf('a')]);
    await attempts.count(3);
    await worker.add([jobOf('b')]);
    expect(await attempts.count(4)).toEqual(['turn-a', 'turn-a', 'turn-a', 'turn-b']);
    expect(problems.items[0]).toEqual(new RangeError('what the user wrote'));
    expect(stored).toContain('RangeError');
    expect(stored).not.toContain('what the user wrote');
  });

  it('runs other jobs while one fails repeatedly and one takes long', async () => {
    const worker = opened();
    const done = new Gathered<string>();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await worker.work(2, async (job) => {
      if (job.id === 'turn-failing') throw new Error('always');
      if (job.id === 'turn-long') await released;
      done.add(job.id);
    });
    await worker.add(['long', 'failing', ...Array.from({ length: 20 }, (_, index) => `${index}.`)].map(jobOf));
    await done.count(20);
    expect(done.items).not.toContain('turn-long');
    release();
    await done.until((items) => items.includes('turn-long'));
  });

  it('never runs more jobs concurrently than the given limit', async () => {
    const worker = opened();
    const done = new Gathered<number>();
    let now = 0;
    await worker.add(Array.from({ length: 60 }, (_, index) => jobOf(`${index}.`)));
    const running = new Gathered<number>();
    await worker.work(5, async () => {
      running.add((now += 1));
      await running.until((counts) => Math.max(...counts) > 1); // two meet, however slow the queue is
      await new Promise(setImmediate);
      now -= 1;
      done.add(now);
    });
    await done.count(60);
    expect(Math.max(...running.items)).toBeLessThanOrEqual(5);
  });

  it('delivers each of 500 jobs to three workers exactly once', async () => {
    const done = new Gathered<string>();
    for (let worker = 0; worker < 3; worker += 1) await opened().work(10, async (job) => done.add(job.id));
    const jobs = Array.from({ length: 500 }, (_, index) => jobOf(`${index}.`));
    const producer = opened();
    for (let first = 0; first < jobs.length; first += 50) await producer.add(jobs.slice(first, first + 50));
    await done.until((items) => new Set(items).size === jobs.length);
    expect(done.items).toHaveLength(jobs.length);
  });

  it('leaves a job with its worker after the clock of that worker is set back by an hour', async () => {
    const { child, started } = await stuckWorker({ lockMs: RENEWED_LOCK_MS });
    const producer = opened();
    await producer.add([jobOf('a')]);
    expect(await started).toBe('turn-a');
    child.send(-HOUR_MS);
    await once(child, 'message');
    // Its lock is renewed by the clock of the server all the same.
    for (let renewal = 0; renewal < 2; renewal += 1) {
      const end = await server.lockEnd('turn-a');
      await until('the lock is renewed', async () => (await server.lockEnd('turn-a')) > end + RENEWED_LOCK_MS / 8);
    }
    // Another worker looks for expired locks.
    const delivered = new Gathered<string>();
    await opened(RENEWED_LOCK_MS).work(5, async (job) => delivered.add(job.id));
    await producer.add([jobOf('b')]);
    expect(await delivered.count(1)).toEqual(['turn-b']);
  });

  it('retries a job that has failed in a worker with a clock that is an hour ahead', async () => {
    const { child, started } = await stuckWorker({ clockAheadMs: HOUR_MS, failing: true });
    const inner = await opened().inner();
    await opened().add([jobOf('a')]);
    expect(await started).toBe('turn-a');
    await until('the retry is planned', async () => (await inner.getJobCounts('delayed'))['delayed'] === 1);
    child.kill('SIGKILL');
    const delivered = new Gathered<string>();
    await opened(LOCK_MS).work(1, async (job) => delivered.add(job.id));
    expect(await delivered.count(1)).toEqual(['turn-a']);
  });

  it('delivers the job of a killed worker to another, once', async () => {
    const { child, started } = await stuckWorker();
    const other = opened(LOCK_MS);
    await other.add([jobOf('a')]);
    expect(await started).toBe('turn-a');
    const done = new Gathered<string>();
    await other.work(1, async (job) => done.add(job.id));
    child.kill('SIGKILL');
    await done.count(1);
    await other.add([jobOf('b')]);
    expect(await done.until((items) => items.includes('turn-b'))).toEqual(['turn-a', 'turn-b']);
  });

  it('renews the lock of a job that runs longer than the lock lasts', async () => {
    const done = new Gathered<string>();
    const worker = opened(LONGER_LOCK_MS);
    await worker.work(1, async (job) => {
      await new Promise((resolve) => setTimeout(resolve, 2.5 * LONGER_LOCK_MS)); // the time itself is under test
      done.add(job.id);
    });
    await opened(LONGER_LOCK_MS).work(1, async (job) => done.add(`${job.id} elsewhere`));
    await worker.add([jobOf('a')]);
    expect(await done.count(1)).toHaveLength(1);
    await worker.add([jobOf('b')]);
    await done.until((items) => items.some((item) => item.startsWith('turn-b')));
    expect(done.items.filter((item) => item.startsWith('turn-a'))).toHaveLength(1);
  });

  it('aborts the signal of a job whose lock was lost, and leaves the job to its new owner', async () => {
    const problems: string[] = [];
    const worker = opened(LOCK_MS, (problem) => problems.push(problem));
    const events = new Gathered<string>();
    await worker.work(1, async (job, { signal }) => {
      events.add(`${job.id} started`);
      if (job.id !== 'turn-a') return;
      await aborted(signal);
      events.add(String(signal.reason));
      throw new Error('interrupted');
    });
    await worker.add([jobOf('a')]);
    await events.count(1);
    await server.stealLock('turn-a');
    expect((await events.count(2))[1]).toMatch(/lock of the job was lost/);
    await worker.add([jobOf('b')]);
    await events.count(3);
    expect(problems).not.toContainEqual(expect.stringMatching(/will be retried/));
  });

  it('continues after its connections were closed: idle, running a job and adding', async () => {
    const worker = opened(LOCK_MS);
    const done = new Gathered<string>();
    let release: () => void = () => undefined;
    await worker.work(2, async (job) => {
      if (job.id === 'turn-held') await new Promise<void>((resolve) => (release = resolve));
      done.add(job.id);
    });
    await worker.add([jobOf('a')]);
    await done.count(1);
    await server.killConnections();
    await added(worker, [jobOf('held'), jobOf('b')]);
    await done.until((items) => items.includes('turn-b'));
    await server.killConnections();
    release();
    await added(worker, [jobOf('c')]);
    await done.until((items) => items.includes('turn-held') && items.includes('turn-c'));
    await worker.ping();
  });

  describe('stopping', () => {
    it('ends a search for jobs of dead workers, which the queue does not answer any longer', async () => {
      const found = new Gathered<string>();
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const backend = server.backend();
      const endAbandoned = async (): Promise<void> => {
        found.add('search');
        await released;
      };
      const problems: string[] = [];
      const worker = new BullJobQueue({ backend: { ...backend, endAbandoned }, lockMs: LONG_LOCK_MS, report: (problem) => problems.push(problem) });
      open.push(worker);
      await worker.work(1, async () => undefined);
      const search = worker.recover();
      await found.count(1);
      await worker.finish(0);
      await search; // without an answer
      release();
      expect(problems).toEqual([]);
    });

    it('waits for running jobs and starts no more', async () => {
      const worker = opened();
      const events = new Gathered<string>();
      let release: () => void = () => undefined;
      await worker.work(1, async (job, { signal }) => {
        events.add(`${job.id} started`);
        await new Promise<void>((resolve) => (release = resolve));
        events.add(`${job.id} ${signal.aborted ? 'aborted' : 'finished'}`);
      });
      await worker.add([jobOf('a'), jobOf('b')]);
      await events.count(1);
      const stopped = worker.stop(60_000);
      release();
      await stopped;
      expect(events.items).toEqual(['turn-a started', 'turn-a finished']);
      await expect(worker.add([jobOf('c')])).rejects.toThrow(/stopped/);

      const done = new Gathered<string>();
      await opened().work(1, async (job) => done.add(job.id));
      expect(await done.count(1)).toEqual(['turn-b']);
    });

    it.each([
      [
        'reacts to its signal',
        async ({ signal }: JobContext) => {
          await aborted(signal);
          throw new Error('interrupted');
        },
      ],
      ['does not', () => new Promise<void>(() => undefined)],
    ])('returns the job of a handler that %s to another worker', async (_name, handle) => {
      const [worker, other] = [opened(), opened()];
      const started = new Gathered<string>();
      await worker.work(1, async (job, context) => {
        started.add(job.id);
        await handle(context);
      });
      await worker.add([jobOf('a')]);
      await started.count(1);
      const done = new Gathered<Job>();
      await other.work(1, async (job) => done.add(job));
      await worker.stop(1);
      expect(await done.count(1)).toEqual([jobOf('a')]);
    });
  });
}

/** Retries like the outbox relay. */
async function added(queue: BullJobQueue, jobs: readonly Job[]): Promise<void> {
  for (;;) {
    try {
      return await queue.add(jobs);
    } catch {
      await new Promise(setImmediate);
    }
  }
}
