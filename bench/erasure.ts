import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { withConnection } from '../src/platform/postgres/connect.js';
import { PostgresDueErasures } from '../src/features/erasure/postgres-due-erasures.js';
import { PostgresEventStore } from '../src/engine/store/postgres-event-store.js';
import { Database } from '../src/platform/postgres/store/prisma.js';
import type { Append } from '../src/ports/index.js';
import type { NewEvent } from '../packages/protocol/events/events.js';
import { NO_SETTINGS } from '../packages/protocol/events/settings.js';
import { emptyState } from '../src/session/state/state.js';
import { sessionProjection } from '../src/session/transcript/projection.js';
import { makeTenant } from '../test/support/tenant.js';
import { ServerProcess } from '../test/support/process.js';
import { percentile, type Row, table } from './report.js';
import { type SlowWatch, withSlowWatch } from './slow-appends.js';
import type { BenchDatabase } from './store.js';
import { NO_ENCRYPTION } from '../test/support/encryption.js';

const SESSIONS = Number(process.env['BENCH_ERASED_SESSIONS'] ?? 10_000);
/** The sessions belong to so many users, who are erased one after the other, with a phase without erasure after each. */
const USERS = 5;
const MESSAGES = 8;
/** Appends at the same time, to sessions of another user; each writer waits between two. */
const WRITERS = 4;
const PAUSE_MS = 5;
const LONG_MS = 50;
const BEFORE_MS = 15_000;

interface Phase {
  readonly times: number[];
  seconds: number;
  /** The longest that the event loop of this process was held, in milliseconds: what is measured here has it in it. */
  held: number;
  readonly waits: Map<string, number>;
}

/**
 * How long appends take while a worker erases the sessions of a user, compared with the same appends without an erasure in the same run: before the first one, and after each for as long as it
 * took. On a machine that does other work, only the difference says something of the erasure. The worker stays.
 */
export async function benchErasure({ appUrl, ownerUrl }: BenchDatabase): Promise<void> {
  await makeTenant(appUrl, 'erasure');
  const ids = await withConnection(ownerUrl, 5_000, async (client) => (await client.query('SELECT tenant_id, user_id FROM app_user LIMIT 1')).rows[0]);
  const { tenant_id: tenantId, user_id: requestedBy } = ids as { readonly tenant_id: string; readonly user_id: string };
  const database = new Database({ url: appUrl, poolSize: 8, timeoutMs: 60_000, applicationName: 'verbatim bench' });
  const store = new PostgresEventStore(database, NO_ENCRYPTION);
  const due = new PostgresDueErasures(database);
  const users = Array.from({ length: USERS }, () => randomUUID());
  const phases = { before: phase(), erased: phase(), between: phase() };
  try {
    await withConnection(ownerUrl, 60_000, async (client) => {
      await client.query(`INSERT INTO app_user (tenant_id, user_id, name, role) SELECT $1, id, id::text, 'member' FROM unnest($2::uuid[]) AS id`, [
        tenantId,
        users,
      ]);
    });
    let left = SESSIONS;
    const fill = async (): Promise<void> => {
      for (left -= 1; left >= 0; left -= 1) await store.append(session(tenantId, users[left % USERS]!, MESSAGES));
    };
    await Promise.all(Array.from({ length: 8 }, fill));
    await withConnection(ownerUrl, 600_000, (client) => client.query('VACUUM ANALYZE'));
    // Before the first phase: its start, and the transparency log's way to the newest event, are no part of an erasure.
    const worker = await ServerProcess.start({ DATABASE_URL: ownerUrl, LOG_LEVEL: 'silent', ROLE: 'worker', ERASURE_INTERVAL_MS: '100' });
    await withSlowWatch(ownerUrl, LONG_MS, (watch) =>
      withConnection(ownerUrl, 60_000, async (client) => {
        const ended = async (userId: string): Promise<boolean> =>
          (await client.query('SELECT FROM user_erasure WHERE user_id = $1 AND ended_at IS NOT NULL', [userId])).rows.length > 0;
        const measure = (into: Phase, isOver: () => Promise<boolean>): Promise<number> =>
          write(into, isOver, watch, () => store.append(session(tenantId, randomUUID(), 1)));
        await measure(phases.before, over(BEFORE_MS));
        for (const userId of users) {
          await due.request({ id: randomUUID(), tenantId, userId, requestedBy, reason: null });
          await measure(phases.between, over(await measure(phases.erased, () => ended(userId))));
        }
      }),
    );
    await worker.stop();
  } finally {
    await database.close();
  }
  report(phases);
}

const phase = (): Phase => ({ times: [], seconds: 0, held: 0, waits: new Map() });

function over(ms: number): () => Promise<boolean> {
  const from = performance.now();
  return async () => performance.now() - from > ms;
}

/** Appends until it is over, which is asked every second. Resolves to the milliseconds that it took. */
async function write(into: Phase, isOver: () => Promise<boolean>, watch: SlowWatch, append: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  let goesOn = true;
  const one = async (): Promise<void> => {
    while (goesOn) {
      into.times.push(await watch.timed(append));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, one));
  while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 1_000));
  goesOn = false;
  await writers;
  loop.disable();
  for (const [wait, count] of watch.waits()) into.waits.set(wait, (into.waits.get(wait) ?? 0) + count);
  into.held = Math.max(into.held, loop.max / 1e6);
  const ms = performance.now() - started;
  into.seconds += ms / 1_000;
  return ms;
}

function report({ before, erased, between }: { readonly before: Phase; readonly erased: Phase; readonly between: Phase }): void {
  const of = (times: readonly number[]): readonly number[] => [0.5, 0.99, 0.999, 1].map((share) => percentile(times, share));
  const row = (name: string, { times, seconds, held }: Phase): Row => {
    const long = times.filter((time) => time > LONG_MS).length;
    const [p50, p99, p999, most] = of(times).map((time) => time.toFixed(1));
    return [
      `${name} (${times.length} appends in ${seconds.toFixed(0)} s, ${long} over ${LONG_MS} ms; loop held ${held.toFixed(0)} ms)`,
      `p50 ${p50}`,
      `p99 ${p99}`,
      `  p99.9 ${p999}, max ${most}`,
    ];
  };
  const without = of([...before.times, ...between.times]);
  const excess = of(erased.times).map((time, index) => (time - without[index]!).toFixed(1));
  table(`Appends to other sessions (ms; erased sessions have ${MESSAGES} messages of 1 KB)`, [
    row('before', before),
    row(`while ${SESSIONS} sessions are erased, ${(SESSIONS / erased.seconds).toFixed(0)}/s`, erased),
    row('without, after each', between),
    ['more than without', `p50 ${excess[0]}`, `p99 ${excess[1]}`, `  p99.9 ${excess[2]}, max ${excess[3]}`],
  ]);
  for (const [name, { waits }] of Object.entries({ before, erased, between })) {
    if (waits.size === 0) continue;
    table(
      `What the server waited for while an append took over ${LONG_MS} ms, ${name} (times seen)`,
      [...waits].slice(0, 12).map(([wait, count]) => [wait, String(count), '', '']),
    );
  }
}

function session(tenantId: string, userId: string, messages: number): Append {
  const sessionId = randomUUID();
  let parentUuid: string | null = null;
  const events: NewEvent[] = [{ type: 'session.created', data: { settings: { ...NO_SETTINGS, title: 'A title', model: 'm' } } }];
  for (let n = 0; n < messages; n += 1) {
    const uuid = randomUUID();
    const content = `${'where is the timeout configured? '.repeat(30)}${uuid}`;
    events.push({
      type: 'message.appended',
      data: { message: { type: 'user', uuid, parentUuid, timestamp: new Date().toISOString(), content }, turnId: null },
    });
    parentUuid = uuid;
  }
  return {
    ...{ tenantId, sessionId, expectedVersion: 0, commandId: randomUUID(), requestHash: '00'.repeat(32), actor: { kind: 'user', id: userId } },
    events: events.map((event) => ({ ...event, id: randomUUID() })),
    ...{ jobs: [], completedJobs: [], claim: null, dispatch: null },
    summary: { userId, title: 'A title', model: 'm', status: 'idle', queueLength: 0, turnId: null },
    projection: sessionProjection(sessionId, emptyState(), events),
  };
}
