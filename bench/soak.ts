/** Whether anything grows that should not: turns at full rate for minutes, with latencies, memory and the sizes of tables by the half minute. */
import { setTimeout as pause } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { withConnection } from '../src/platform/postgres/connect.js';
import { ServerProcess } from '../test/support/process.js';
import { processorMs } from './database-counters.js';
import { converse, type Waits } from './load.js';
import { percentile, table } from './report.js';

const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 300);
const WINDOW_MS = 30_000;
const SESSIONS = 30;
/** Turns of a session before its client begins another one. */
const TURNS = 40;

/** Tables that hold what is due or runs now: they must not grow with the turns that are over. */
const TRANSIENT = ['outbox', 'bullmq.job', 'bullmq.job_event', 'task_lease', 'session'] as const;

interface Window {
  readonly turns: number;
  readonly first: number;
  readonly total: number;
  readonly slowest: number;
  readonly residentMiB: number;
  readonly cpuMs: number;
  readonly transientKiB: number;
  readonly eventBytes: number;
}

export async function benchSoak(environment: Readonly<Record<string, string>>, token: string): Promise<void> {
  const server = await ServerProcess.start({ LOG_LEVEL: 'silent', ...environment });
  try {
    const client = server.client(token);
    const until = performance.now() + SECONDS * 1_000;
    const waits: Waits = { first: [], total: [] };
    // Sessions end and others begin, as in use: what a session leaves in a process is part of the question.
    const clients = Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        while (performance.now() < until) await converse(client, TURNS, waits, until);
      }),
    );
    const windows: Window[] = [];
    while (performance.now() < until) {
      const [cpu, began] = [await processorMs(server.pid), performance.now()];
      await pause(Math.min(WINDOW_MS, Math.max(until - performance.now(), 1_000)));
      const done = { first: waits.first.splice(0), total: waits.total.splice(0) };
      windows.push(await windowOf(server.pid, environment['DATABASE_URL']!, done, (await processorMs(server.pid)) - cpu, performance.now() - began));
    }
    await clients;
    report(windows);
  } finally {
    await server.stop();
  }
}

async function windowOf(pid: number, databaseUrl: string, { first, total }: Waits, cpuMs: number, ms: number): Promise<Window> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [transientKiB, eventBytes] = await sizes(databaseUrl);
  return {
    turns: (total.length / ms) * 1_000,
    first: percentile(first, 0.5),
    total: percentile(total, 0.5),
    slowest: percentile(total, 0.99),
    residentMiB: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024,
    cpuMs: cpuMs / Math.max(total.length, 1),
    transientKiB,
    eventBytes,
  };
}

async function sizes(databaseUrl: string): Promise<readonly [number, number]> {
  return withConnection(databaseUrl, 10_000, async (client) => {
    const { rows } = await client.query<{ transient: string; events: string }>(
      `SELECT (SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0) FROM unnest($1::text[]) AS name) AS transient, pg_total_relation_size('event') AS events`,
      [TRANSIENT],
    );
    return [Number(rows[0]!.transient) / 1_024, Number(rows[0]!.events)];
  });
}

function report(windows: readonly Window[]): void {
  const fixed = (value: number): string => value.toFixed(0);
  const columns = windows.map(({ turns, first, total, slowest, residentMiB, cpuMs, transientKiB, eventBytes }, index) =>
    [
      `${(((index + 1) * WINDOW_MS) / 1_000).toFixed(0)} s`.padStart(7),
      turns.toFixed(1).padStart(8),
      fixed(first).padStart(8),
      fixed(total).padStart(8),
      fixed(slowest).padStart(8),
      cpuMs.toFixed(2).padStart(8),
      fixed(residentMiB).padStart(8),
      fixed(transientKiB).padStart(8),
      (eventBytes / 1_048_576).toFixed(0).padStart(8),
    ].join(' '),
  );
  const names = ['until', 'turns/s', 'delta', 'done', 'p99', 'CPU ms', 'RSS MiB', 'due KiB', 'log MiB'].map((name, index) =>
    name.padStart(index === 0 ? 7 : 8),
  );
  process.stdout.write(
    `\n${SECONDS} s at full rate, ${SESSIONS} sessions at once (ms p50 from the prompt; tables of what is due)\n${names.join(' ')}\n${columns.join('\n')}\n`,
  );
  // The first window is the warming up.
  const [early, late] = [windows.slice(1, Math.ceil(windows.length / 2)), windows.slice(-Math.floor(windows.length / 2))];
  const drift = (of: (window: Window) => number): string => (mean(late.map(of)) / mean(early.map(of))).toFixed(2);
  if (early.length === 0) return;
  table('The second half beside the first', [
    ['turns a second', drift(({ turns }) => turns), '', ''],
    ['prompt to first delta', drift(({ first }) => first), '', ''],
    ['CPU of the server, a turn', drift(({ cpuMs }) => cpuMs), '', ''],
    ['resident memory', drift(({ residentMiB }) => residentMiB), '', ''],
    ['tables of what is due', drift(({ transientKiB }) => transientKiB), '', ''],
  ]);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
