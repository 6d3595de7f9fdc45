import net from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect } from '../../src/platform/postgres/connect.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import type { Database } from '../../src/platform/postgres/store/prisma.js';
import { append, appended, ids, job, numbered } from '../support/appends.js';
import { cuttingProxy, type Cut } from '../support/cutting-proxy.js';
import { setStatementTimeout } from '../support/database.js';
import { until } from '../support/until.js';
import { openDatabase, postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { NO_ENCRYPTION } from '../support/encryption.js';

let store: PostgresStore;

beforeAll(async () => {
  store = await postgresStore();
});
afterAll(() => store.close());

const UNAVAILABLE = { name: 'DomainError', code: 'unavailable' };

/** Runs `use` on a store with an open connection; its next statement meets `cut`. */
async function withCut<Result>(cut: Cut, use: (events: PostgresEventStore) => Promise<Result>): Promise<Result> {
  let next: Cut | null = null;
  const proxy = await cuttingProxy(store.urls.appUrl, () => {
    const now = next;
    next = null;
    return now;
  });
  const database = openDatabase(proxy.url, { poolSize: 2 });
  try {
    await database.ping();
    next = cut;
    const result = await use(new PostgresEventStore(database, NO_ENCRYPTION));
    expect(proxy.cuts[cut]).toBe(1);
    return result;
  } finally {
    await database.close();
    await proxy.close();
  }
}

it('returns `appended` with the events when the connection breaks between the commit and its reply', async () => {
  const of = ids();
  const given = append(of, 0, { events: numbered(3), jobs: [job(of)] });
  const outcome = await withCut('after', (events) => events.append(given));
  expect(appended(outcome)).toStrictEqual(await store.events.load(of.tenantId, of.sessionId));
  expect(appended(outcome).map((event) => event.id)).toEqual(given.events.map((event) => event.id));
  expect((await store.outbox.lease(100, 100, 60_000)).jobs.filter((claimed) => claimed.payload.sessionId === of.sessionId)).toHaveLength(1);
});

it('appends when the connection breaks before the statement reaches the server', async () => {
  const of = ids();
  expect(appended(await withCut('before', (events) => events.append(append(of, 0))))).toHaveLength(1);
  expect(await store.events.load(of.tenantId, of.sessionId)).toHaveLength(1);
});

it('returns `duplicate` when another caller ran the command first and the connection breaks', async () => {
  const of = ids();
  const given = append(of, 0);
  await store.events.append(given);
  const repeat = { ...given, events: append(of, 0).events };
  expect(await withCut('after', (events) => events.append(repeat))).toEqual({ kind: 'duplicate', firstSeq: 1, lastSeq: 1 });
});

it('reads again when the connection breaks', async () => {
  const of = ids();
  await store.events.append(append(of, 0, { events: numbered(2) }));
  for (const cut of ['before', 'after'] as const) {
    expect(await withCut(cut, (events) => events.load(of.tenantId, of.sessionId))).toHaveLength(2);
  }
});

async function withDatabase<Result>(
  url: string,
  choices: { readonly poolSize: number; readonly timeoutMs: number },
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  await setStatementTimeout(store.urls.appUrl, choices.timeoutMs);
  const database = openDatabase(url, choices);
  try {
    return await use(database);
  } finally {
    await database.close();
    await setStatementTimeout(store.urls.appUrl, 20_000);
  }
}

it('is unavailable while another session holds the lock, and writes nothing later', async () => {
  const of = ids();
  const holder = await connect(store.urls.ownerUrl, 60_000);
  await holder.query('BEGIN');
  await holder.query('SELECT pg_advisory_xact_lock(session_lock($1, $2))', [of.tenantId, of.sessionId]);
  await withDatabase(store.urls.appUrl, { poolSize: 1, timeoutMs: 300 }, async (database) => {
    await expect(new PostgresEventStore(database, NO_ENCRYPTION).append(append(of, 0))).rejects.toMatchObject(UNAVAILABLE);
  });
  await holder.query('COMMIT');
  await holder.end();
  expect(await store.events.load(of.tenantId, of.sessionId)).toEqual([]);
  appended(await store.events.append(append(of, 0)));
});

it('is unavailable when a statement takes too long', async () => {
  await withDatabase(store.urls.appUrl, { poolSize: 1, timeoutMs: 200 }, async (database) => {
    await expect(database.run((client) => client.$queryRaw`SELECT pg_sleep(10)::text`)).rejects.toMatchObject(UNAVAILABLE);
    await until('the connection is of use again', () =>
      database.ping().then(
        () => true,
        () => false,
      ),
    );
  });
});

it('is unavailable when no connection comes free', async () => {
  const holder = await connect(store.urls.appUrl, 60_000);
  await holder.query('SELECT pg_advisory_lock(4711)');
  await withDatabase(store.urls.appUrl, { poolSize: 1, timeoutMs: 10_000 }, async (patient) => {
    const waiting = patient.run((client) => client.$queryRaw`SELECT pg_advisory_lock(4711)::text`).catch((error: unknown) => error);
    await expect(patient.run((client) => client.$queryRaw`SELECT 1`)).resolves.toBeDefined(); // once the lock wait has been given up
    expect(await waiting).toMatchObject(UNAVAILABLE);
  });
  await holder.end();
});

it('is unavailable when there is no server, or it closes every connection', async () => {
  const gone = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const url = new URL(store.urls.appUrl);
  url.port = String((gone.address() as net.AddressInfo).port);
  const tryAll = () =>
    withDatabase(url.href, { poolSize: 2, timeoutMs: 200 }, async (database) => {
      const events = new PostgresEventStore(database, NO_ENCRYPTION);
      await expect(events.append(append(ids(), 0))).rejects.toMatchObject(UNAVAILABLE);
      await expect(events.load(ids().tenantId, ids().sessionId)).rejects.toMatchObject(UNAVAILABLE);
      await expect(events.receipt(ids().tenantId, ids().sessionId, 'aa'.repeat(32))).rejects.toMatchObject(UNAVAILABLE);
      await expect(database.ping()).rejects.toMatchObject(UNAVAILABLE);
    });
  await tryAll();
  await new Promise((resolve) => gone.close(resolve));
  await tryAll();
});

it('does not report an error of the statement itself as an outage', async () => {
  await expect(store.database.run((client) => client.$queryRaw`SELECT 1 / 0`)).rejects.not.toMatchObject(UNAVAILABLE);
  await expect(store.events.append({ ...append(ids(), 0), commandId: 'not a uuid' })).rejects.not.toMatchObject(UNAVAILABLE);
});
