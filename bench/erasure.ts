import { randomUUID } from 'node:crypto';
import { withConnection } from '../src/adapters/postgres/connect.js';
import { PostgresDueErasures } from '../src/adapters/store/postgres-due-erasures.js';
import { PostgresEventStore } from '../src/adapters/store/postgres-event-store.js';
import { Database } from '../src/adapters/store/prisma.js';
import type { Append } from '../src/core/ports.js';
import type { NewEvent } from '../src/core/session/events.js';
import { emptyState, NO_SETTINGS } from '../src/core/session/state.js';
import { sessionProjection } from '../src/core/transcript/projection.js';
import { makeTenant } from '../test/support/tenant.js';
import { ServerProcess } from '../test/support/process.js';
import { percentile, table } from './report.js';
import type { BenchDatabase } from './store.js';
import { NO_SEALING } from '../test/support/sealing.js';

const SESSIONS = Number(process.env['BENCH_ERASED_SESSIONS'] ?? 10_000);
const MESSAGES = 8;
/** Appends at the same time, to sessions of another user; each writer waits between two. */
const WRITERS = 4;
const PAUSE_MS = 5;
const LONG_MS = 50;

/** How long appends take while a worker erases all sessions of a user, compared with the times before and after. The worker stays. */
export async function benchErasure({ appUrl, ownerUrl }: BenchDatabase): Promise<void> {
  await makeTenant(appUrl, 'erasure');
  const user = await withConnection(ownerUrl, 5_000, async (client) => (await client.query('SELECT tenant_id, user_id FROM app_user LIMIT 1')).rows[0]);
  const { tenant_id: tenantId, user_id: userId } = user as { readonly tenant_id: string; readonly user_id: string };
  const database = new Database({ url: appUrl, poolSize: 8, timeoutMs: 60_000, applicationName: 'verbatim bench' });
  const store = new PostgresEventStore(database, NO_SEALING);
  const due = new PostgresDueErasures(database);
  try {
    let left = SESSIONS;
    const fill = async (): Promise<void> => {
      for (left -= 1; left >= 0; left -= 1) await store.append(session(tenantId, userId, MESSAGES));
    };
    await Promise.all(Array.from({ length: 8 }, fill));
    let isOver = false;
    const write = async (until: () => boolean): Promise<number[]> => {
      const times: number[] = [];
      const one = async (): Promise<void> => {
        while (!until()) {
          const append = session(tenantId, randomUUID(), 1);
          const start = performance.now();
          await store.append(append);
          times.push(performance.now() - start);
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, one));
      return times;
    };
    // Before the first phase: its start, and the transparency log's way to the newest event, are no part of an erasure.
    const worker = await ServerProcess.start({ DATABASE_URL: ownerUrl, LOG_LEVEL: 'silent', ROLE: 'worker', ERASURE_INTERVAL_MS: '100' });
    const from = performance.now();
    const before = await write(() => performance.now() - from > 15_000);
    await due.request({ id: randomUUID(), tenantId, userId, requestedBy: userId, reason: null });
    const started = performance.now();
    const during = write(() => isOver);
    for (;;) {
      const [erasure] = (await due.ofUser(tenantId, userId)) ?? [];
      if (erasure?.endedAt) break;
      await new Promise((resolve) => setTimeout(resolve, 3_000)); // it counts what remains, which takes time of the database
    }
    isOver = true;
    const seconds = (performance.now() - started) / 1_000;
    const meanwhile = await during;
    const to = performance.now();
    const after = await write(() => performance.now() - to > 15_000);
    const phases = [
      ['before', before],
      [`while ${SESSIONS} sessions are erased, ${(SESSIONS / seconds).toFixed(0)}/s`, meanwhile],
      ['after', after],
    ] as const;
    const rows = phases.map(([name, times]) => {
      const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(1));
      const long = times.filter((time) => time > LONG_MS).length;
      return [`${name} (${times.length} appends, ${long} over ${LONG_MS} ms)`, `p50 ${p50}`, `p99 ${p99}`, `max ${most}`] as const;
    });
    table(`Appends to other sessions (ms; erased sessions have ${MESSAGES} messages of 1 KB)`, rows);
    await worker.stop();
  } finally {
    await database.close();
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
    ...{ jobs: [], completedJobs: [], claim: null, handOver: null },
    summary: { userId, title: 'A title', model: 'm', status: 'idle', queueLength: 0, turnId: null },
    projection: sessionProjection(sessionId, emptyState(), events),
  };
}
