/**
 * Cost of the store's guarantees: an append against a bare INSERT of the same rows, a load with its fold against a bare SELECT and JSON.parse, a load against the same rows unverified,
 * through the same client, interleaved in one run. Compare ratios; absolute figures depend on the machine.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { EventReader } from '../src/engine/store/event-reader.js';
import { logRow, type RawRow } from '../src/engine/store/log-row.js';
import { PostgresEventStore } from '../src/engine/store/postgres-event-store.js';
import { Database } from '../src/platform/postgres/store/prisma.js';
import { toColumns } from '../src/platform/postgres/store/row.js';
import { read } from '../src/engine/store/statements.js';
import type { Append } from '../src/ports/index.js';
import type { NewEvent } from '../packages/protocol/events/events.js';
import { fold } from '../src/session/state/evolve.js';
import { Prisma } from '../src/generated/prisma/client.js';
import { NO_ENCRYPTION } from '../test/support/encryption.js';

export interface StoreFigure {
  readonly name: string;
  /** Milliseconds for each operation, median of the rounds. */
  readonly ours: number;
  readonly bare: number;
  /** How many times as fast as the bare statement; 0.5 = half its speed. */
  readonly speed: number;
}

export interface BenchDatabase {
  readonly ownerUrl: string;
  readonly appUrl: string;
}

type Row = Append['events'][number];

const ROUNDS = 9;
export const TENANT = randomUUID();
const ACTOR = { kind: 'user', id: randomUUID() } as const;

/** Appends of 1 and 10 events by 1 and 16 callers, then loads of 1,000 and 10,000 events. Does not remove its rows: use a separate database. */
export async function benchStore(urls: BenchDatabase): Promise<readonly StoreFigure[]> {
  await withOwner(urls.ownerUrl, ['CREATE TABLE IF NOT EXISTS bare_event (LIKE event INCLUDING ALL)', 'GRANT SELECT, INSERT ON bare_event TO verbatim_app']);
  const database = new Database({ url: urls.appUrl, poolSize: 16, timeoutMs: 60_000, applicationName: 'verbatim bench' });
  try {
    const figures: StoreFigure[] = [];
    for (const callers of [1, 16]) for (const events of [1, 10]) figures.push(await benchAppend(database, callers, events));
    for (const events of [1_000, 10_000]) figures.push(...(await benchLoad(database, urls.ownerUrl, events)));
    return figures;
  } finally {
    await database.close();
  }
}

export function describeFigures(figures: readonly StoreFigure[]): string {
  const line = ({ name, ours, bare, speed }: StoreFigure): string =>
    `${name.padEnd(44)}${ours.toFixed(2).padStart(10)}${bare.toFixed(2).padStart(10)}${speed.toFixed(2).padStart(10)} x`;
  return [`${'store'.padEnd(44)}${'ours ms'.padStart(10)}${'bare ms'.padStart(10)}${'speed'.padStart(10)}`, ...figures.map(line)].join('\n');
}

async function benchAppend(database: Database, callers: number, size: number): Promise<StoreFigure> {
  const store = new PostgresEventStore(database, NO_ENCRYPTION);
  const times = Math.ceil(800 / callers / size) + 10;
  const each = async (write: (session: string, version: number, events: readonly Row[]) => Promise<unknown>): Promise<number> => {
    const sessions = Array.from({ length: callers }, () => randomUUID());
    const start = performance.now();
    await Promise.all(
      sessions.map(async (session) => {
        for (let turn = 0; turn < times; turn += 1) await write(session, turn * size, eventsOf(size));
      }),
    );
    return (performance.now() - start) / (times * callers);
  };
  const ours = () => each((session, version, events) => store.append(appendOf(session, version, events)));
  const bare = () => each((session, version, events) => database.run((client) => client.$executeRaw(bareInsert(session, version, events))));
  return compare(`append ${size} event${size > 1 ? 's' : ''}, ${callers} caller${callers > 1 ? 's' : ''}`, ours, bare);
}

async function benchLoad(database: Database, ownerUrl: string, size: number): Promise<readonly StoreFigure[]> {
  const store = new PostgresEventStore(database, NO_ENCRYPTION);
  const session = randomUUID();
  for (let version = 0; version < size; version += 500) await store.append(appendOf(session, version, eventsOf(500)));
  await withOwner(ownerUrl, ['VACUUM ANALYZE event']);
  const ours = async () => {
    fold(await store.load(TENANT, session));
  };
  const bare = async () => {
    const rows = await database.inTenant(
      TENANT,
      (client) => client.$queryRaw<{ data: string }[]>`SELECT data::text AS data FROM event WHERE session_id = ${session}::uuid ORDER BY seq`,
    );
    rows.map((row) => JSON.parse(row.data) as unknown);
  };
  const verified = async () => void (await store.load(TENANT, session));
  // The same rows, read and parsed as they are.
  const unverified = async () => {
    const rows = await database.inTenant(TENANT, (_, prepared) => prepared.query<RawRow>(read(TENANT, session, 0, size, null)));
    const reader = new EventReader(session);
    rows.map((row) => reader.read(logRow(row)!));
  };
  const events = `${size.toLocaleString('en')} events`;
  return [
    await compare(
      `load and fold ${events}`,
      () => timed(ours),
      () => timed(bare),
    ),
    await compare(
      `load ${events}, beside unverified`,
      () => timed(verified),
      () => timed(unverified),
    ),
  ];
}

export async function compare(name: string, ours: () => Promise<number>, bare: () => Promise<number>): Promise<StoreFigure> {
  await ours();
  await bare();
  const figures: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc?.();
    figures.push({ ours: await ours(), bare: await bare() });
  }
  const median = (pick: (figure: (typeof figures)[number]) => number): number => figures.map(pick).toSorted((a, b) => a - b)[ROUNDS >> 1]!;
  return { name, ours: median((figure) => figure.ours), bare: median((figure) => figure.bare), speed: median((figure) => figure.bare / figure.ours) };
}

export async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const SETTINGS = {
  title: null,
  model: 'm',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  permissions: { allow: [], deny: [], ask: [] },
  tools: [],
  metadata: {},
} as const;

/** Messages of about 1.25 KB, four of which make a turn of 5 KB. */
export function eventsOf(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index): Row => {
    const text = `${'Where is the timeout of the connection pool configured? '.repeat(17)}${index}`;
    const message = {
      type: 'user' as const,
      uuid: randomUUID(),
      parentUuid: randomUUID(),
      timestamp: new Date().toISOString(),
      content: [{ type: 'text' as const, text }],
    };
    const event: NewEvent = { type: 'message.appended', data: { message, turnId: null } };
    return { id: randomUUID(), ...event };
  });
}

export function appendOf(sessionId: string, version: number, events: readonly Row[]): Append {
  const summary = { userId: ACTOR.id, title: null, model: SETTINGS.model, status: 'idle' as const, queueLength: 0, turnId: null };
  const [first, ...rest] = events;
  const created: NewEvent = { type: 'session.created', data: { settings: SETTINGS } };
  return {
    tenantId: TENANT,
    sessionId,
    expectedVersion: version,
    commandId: randomUUID(),
    requestHash: '00'.repeat(32),
    actor: ACTOR,
    events: version === 0 && rest.length > 0 ? [{ ...created, id: first!.id }, ...rest] : events,
    jobs: [],
    completedJobs: [],
    claim: null,
    dispatch: null,
    summary,
  };
}

/** The same rows into a table with the same columns and indexes; sequence, hashes and time are constants. */
function bareInsert(session: string, version: number, events: readonly Row[]): Prisma.Sql {
  const { ids, types, schemas, data } = toColumns(events);
  const seqs = ids.map((_, index) => version + index + 1);
  const hash = Buffer.alloc(32);
  return Prisma.sql`INSERT INTO bare_event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, digest, hash, recorded_at)
    SELECT ${session}::uuid, seq, ${TENANT}::uuid, id, ${randomUUID()}::uuid, type, schema, ${JSON.stringify(ACTOR)}::json, data::json, ${hash}::bytea, ${hash}::bytea, now()
    FROM unnest(${seqs}::bigint[], ${ids}::uuid[], ${types}::text[], ${schemas}::int[], ${data}::text[]) AS e(seq, id, type, schema, data)`;
}

export async function withOwner(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
