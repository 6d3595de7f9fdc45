import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect } from '../../src/platform/postgres/connect.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import { PostgresTransparencyLog } from '../../src/features/proofs/log-store/postgres-transparency-log.js';
import type { Append, FeedCursor, PendingLeaf } from '../../src/ports/index.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import { append, ids, job, numbered } from '../support/appends.js';
import { Chance } from '../support/random.js';
import { cuttingProxy } from '../support/cutting-proxy.js';
import { openDatabase, postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { until } from '../support/until.js';
import { NO_ENCRYPTION } from '../support/encryption.js';

const WRITERS = 24;
const SESSIONS = 5;
const COMMANDS = 600;

let store: PostgresStore;

beforeAll(async () => {
  store = await postgresStore();
});
afterAll(() => store.close());

/** A command, which its caller repeats until it has an outcome. */
type Command = Omit<Append, 'expectedVersion'>;

/** Retries until the store returns an outcome, with new event ids for each attempt, as a repeated decision has. */
async function execute(events: PostgresEventStore, command: Command): Promise<'appended' | 'duplicate'> {
  let expectedVersion = 0;
  for (;;) {
    try {
      const fresh = command.events.map((event) => ({ ...event, id: randomUUID() }));
      const outcome = await events.append({ ...command, events: fresh, expectedVersion });
      if (outcome.kind === 'appended' || outcome.kind === 'duplicate') return outcome.kind;
      if (outcome.kind !== 'conflict') throw new Error(`unexpected ${outcome.kind}`);
      expectedVersion = outcome.version;
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'unavailable') throw error;
    }
  }
}

/** Terminates a backend of the application every few milliseconds until `stopped`; resolves to the number. */
async function killBackends(stopped: () => boolean, chance: Chance): Promise<number> {
  const owner = await connect(store.urls.ownerUrl, 60_000);
  let killed = 0;
  while (!stopped()) {
    const { rows } = await owner.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = 'verbatim_app' AND pid <> pg_backend_pid()`,
    );
    const victim = chance.of(rows);
    if (victim) killed += (await owner.query('SELECT pg_terminate_backend($1)', [victim.pid])).rows[0].pg_terminate_backend ? 1 : 0;
    await pause(15);
  }
  await owner.end();
  return killed;
}

/** Reads the feed from its beginning, as the transparency log does, until it has shown `count` events; by then it may have shown no event twice. */
async function follow(log: PostgresTransparencyLog, count: () => number | null): Promise<readonly PendingLeaf[]> {
  const seen: PendingLeaf[] = [];
  let cursor: FeedCursor | null = null;
  for (;;) {
    const page: Pick<Awaited<ReturnType<PostgresTransparencyLog['pending']>>, 'leaves'> & { readonly cursor: FeedCursor | null } = await log
      .pending(cursor, 100)
      .catch(() => ({ leaves: [], cursor }));
    cursor = page.cursor;
    seen.push(...page.leaves);
    const wanted = count();
    if (wanted !== null && seen.length >= wanted) return seen;
    if (page.leaves.length === 0) await pause(10);
  }
}

it('loses and duplicates nothing while backends are killed and connections cut before and after commits', async () => {
  const chance = new Chance(20);
  const proxy = await cuttingProxy(store.urls.appUrl, () => {
    const dice = chance.next();
    return dice < 0.02 ? 'before' : dice < 0.06 ? 'after' : null;
  });
  const database = openDatabase(proxy.url, { poolSize: WRITERS });
  const events = new PostgresEventStore(database, NO_ENCRYPTION);

  const sessions = Array.from({ length: SESSIONS }, ids);
  const commands = Array.from({ length: COMMANDS }, (_, index): Command => {
    const of = sessions[index % SESSIONS]!;
    return append(of, 0, { events: numbered(1 + (index % 4)), jobs: index % 3 === 0 ? [job(of)] : [] });
  });
  const total = commands.reduce((sum, command) => sum + command.events.length, 0);
  /** Half of the commands are sent by two callers. */
  const calls = commands.flatMap((command, index) => (index % 2 === 0 ? [command, command] : [command]));

  let over = false;
  let wanted: number | null = null;
  const killer = killBackends(() => over, chance);
  const log = new PostgresTransparencyLog({ url: store.urls.appUrl, timeoutMs: 60_000, applicationName: 'verbatim test' });
  const reader = follow(log, () => wanted);
  const answers = new Map<string, string[]>();
  let next = 0;
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let call = calls[next++]; call; call = calls[next++]) {
        const answer = await execute(events, call);
        answers.set(call.commandId, [...(answers.get(call.commandId) ?? []), answer]);
      }
    }),
  );
  over = true;
  const killed = await killer;
  await database.close();
  await until('no statement of a cut connection is left running', async () => {
    const rows = await store.database.run(
      (client) =>
        client.$queryRaw<
          object[]
        >`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows.length === 0;
  });
  wanted = total;
  const feed = await reader;
  await log.close();
  await proxy.close();

  // It was not a calm day.
  expect(killed).toBeGreaterThan(10);
  expect(proxy.cuts.before).toBeGreaterThan(5);
  expect(proxy.cuts.after).toBeGreaterThan(10);

  // Each command was executed once, and at most one caller got `appended`.
  const receipts = await Promise.all(commands.map((command) => store.events.receipt(command.tenantId, command.commandId, command.requestHash)));
  commands.forEach((command, index) => {
    expect(receipts[index]).toMatchObject({ sessionId: command.sessionId, sameRequest: true });
    expect(receipts[index]!.lastSeq - receipts[index]!.firstSeq + 1).toBe(command.events.length);
    expect(answers.get(command.commandId)!.filter((answer) => answer === 'appended').length).toBeLessThanOrEqual(1);
  });

  // Every log is whole: no event more or fewer than the receipts say, numbered without gaps, chained.
  const logs = new Map<string, readonly SessionEvent[]>();
  for (const of of sessions) {
    const log = await store.events.load(of.tenantId, of.sessionId);
    logs.set(of.sessionId, log);
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
    const spans = receipts.flatMap((receipt) => (receipt?.sessionId === of.sessionId ? [receipt] : [])).toSorted((one, other) => one.firstSeq - other.firstSeq);
    expect(spans.map((span) => span.firstSeq)).toEqual([1, ...spans.slice(0, -1).map((span) => span.lastSeq + 1)]);
    expect(spans.at(-1)!.lastSeq).toBe(log.length);
    expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ events: log.length, valid: true });
  }
  expect([...logs.values()].flat()).toHaveLength(total);

  // The work that was called for waits, once.
  const jobs = (await store.outbox.lease(COMMANDS, COMMANDS, 60_000)).jobs.map(({ id }) => id);
  expect(jobs.toSorted()).toEqual(commands.flatMap((command) => command.jobs.map(({ id }) => id)).toSorted());

  // A reader who followed all the while has seen each event once, each session in order.
  for (const [sessionId, events] of logs)
    expect(feed.flatMap((leaf) => (leaf.sessionId === sessionId ? [leaf.seq] : []))).toStrictEqual(events.map(({ seq }) => seq));
  expect(feed).toHaveLength(total);
});
