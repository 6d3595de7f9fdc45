/**
 * Latency and throughput of the queue (an idle worker, and a full queue) and of the live bus between two
 * processes. Only figures of one run are comparable.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { BullJobQueue } from '../src/platform/queue/bull-job-queue.js';
import { postgresBackend } from '../src/platform/queue/postgres-backend.js';
import { redisBackend } from '../src/platform/queue/redis-backend.js';
import type { QueueBackend } from '../src/platform/queue/backend.js';
import type { Job } from '../src/ports/index.js';
import { openBus, type EchoPlan } from './live-echo.js';

/** Milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export interface QueueFigures {
  readonly backend: 'postgres' | 'redis';
  /** From `add` to the start of the handler, without other load. */
  readonly addToStart: Latency;
  readonly jobsPerSecond: number;
}

export interface HintFigures {
  readonly backend: 'postgres' | 'redis';
  /** From `publish` in one process to the listener in another, one at a time: half of the round trip. */
  readonly oneWay: Latency;
  /** Hints for 200 sessions, published as fast as possible, until the other process has the last. */
  readonly deltasPerSecond: number;
}

export interface Servers {
  /** The application's role, after `migrateQueue`. */
  readonly postgresUrl: string;
  readonly redisUrl?: string;
}

const fail = (problem: string, error: unknown): void => {
  throw new Error(problem, { cause: error });
};

export async function measureQueues(servers: Servers, samples = 300, jobs = 3_000): Promise<readonly QueueFigures[]> {
  const figures = [await measureQueue(() => postgresBackend({ url: servers.postgresUrl }), samples, jobs)];
  const { redisUrl } = servers;
  if (redisUrl) figures.push(await measureQueue(() => redisBackend({ url: redisUrl, prefix: `bench-${process.pid}` }), samples, jobs));
  return figures;
}

export async function measureHints(servers: Servers, samples = 300, deltas = 20_000): Promise<readonly HintFigures[]> {
  const figures = [await measureHint({ backend: 'postgres', url: servers.postgresUrl }, samples, deltas)];
  if (servers.redisUrl) figures.push(await measureHint({ backend: 'redis', url: servers.redisUrl }, samples, deltas));
  return figures;
}

async function measureQueue(backend: () => QueueBackend, samples: number, jobs: number): Promise<QueueFigures> {
  const place = backend();
  const queue = new BullJobQueue({ backend: place, lockMs: 10_000, report: fail });
  let arrived: () => void = () => undefined;
  await queue.work(50, async () => arrived());
  const run = process.hrtime.bigint();
  const jobOf = (name: string): Job => ({ queue: 'turns', id: `bench-${run}-${name}`, payload: { tenantId: 't', sessionId: 's', turnId: name } });

  const latencies: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const start = performance.now();
    const started = new Promise<void>((resolve) => (arrived = resolve));
    await queue.add([jobOf(`single-${index}`)]);
    await started;
    latencies.push(performance.now() - start);
    await idle(10); // the worker is asleep again
  }

  let left = jobs;
  const done = new Promise<void>((resolve) => (arrived = () => (left -= 1) === 0 && resolve()));
  const start = performance.now();
  for (let first = 0; first < jobs; first += 100) {
    await queue.add(Array.from({ length: Math.min(100, jobs - first) }, (_, index) => jobOf(`many-${first + index}`)));
  }
  await done;
  const jobsPerSecond = Math.round((jobs / (performance.now() - start)) * 1_000);
  await queue.stop(1_000);
  return { backend: place.name, addToStart: percentiles(latencies), jobsPerSecond };
}

async function measureHint(plan: EchoPlan, samples: number, deltas: number): Promise<HintFigures> {
  const child = fork(fileURLToPath(new URL('./live-echo.js', import.meta.url)), [JSON.stringify(plan)], { execArgv: [] });
  await once(child, 'message');
  const bus = openBus(plan, fail);
  await bus.listening();

  const ways: number[] = [];
  for (let seq = 1; seq <= samples; seq += 1) {
    const back = new Promise<void>((resolve) => {
      const leave = bus.subscribe('back', (signal) => {
        if (signal.kind !== 'advanced' || signal.seq !== seq) return;
        leave();
        resolve();
      });
    });
    const start = performance.now();
    bus.publish({ kind: 'advanced', sessionId: 'there', seq });
    await back;
    ways.push((performance.now() - start) / 2);
    await idle(10);
  }

  const all = new Promise<void>((resolve) => void bus.subscribe('back', (signal) => signal.kind === 'advanced' && signal.seq === samples + 1 && resolve()));
  const start = performance.now();
  for (let index = 0; index < deltas; index += 1) {
    bus.publish({ kind: 'delta', sessionId: `session-${index % 200}`, type: 'message.delta', data: { index, text: 'a few words of an answer' } });
    if (index % 500 === 499) await idle(0); // a publisher has other things to do; the buffer is not to overflow
  }
  bus.publish({ kind: 'advanced', sessionId: 'there', seq: samples + 1 });
  await all;
  const deltasPerSecond = Math.round((deltas / (performance.now() - start)) * 1_000);
  await bus.close();
  child.disconnect();
  return { backend: plan.backend, oneWay: percentiles(ways), deltasPerSecond };
}

const idle = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

function percentiles(values: readonly number[]): Latency {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share: number): number => Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(2));
  return { p50: at(0.5), p99: at(0.99) };
}
