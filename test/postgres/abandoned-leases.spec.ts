import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { ProcessPresence } from '../../src/platform/postgres/connection/process-presence.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

const LEASE_MS = 6_000;
const OVERDUE_MS = 2_000;

let database: TestDatabase;
let owner: pg.Client;
const open: ProcessPresence[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
beforeEach(() => owner.query('BEGIN')); // the rows belong to no session: they are never committed
afterEach(async () => {
  await owner.query('ROLLBACK');
  await Promise.all(open.splice(0).map((presence) => presence.close()));
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** A job whose lease ends after so many milliseconds. Returns its id. */
async function leased(holder: string | null, endsInMs: number): Promise<string> {
  const id = randomUUID();
  await owner.query(
    `INSERT INTO outbox (queue, job_id, payload, not_before, tenant_id, turn_id, leased, place, holder)
     VALUES ('turns', $1::text, '{}', clock_timestamp() + $2 * interval '1 millisecond', $1::uuid, $1::uuid, true, 1, $3)`,
    [id, endsInMs, holder],
  );
  return id;
}

/** The jobs whose leases are over after a look. */
async function endedBy(overdueMs: number | null): Promise<readonly string[]> {
  await owner.query('SELECT ended FROM end_abandoned_leases($1, $2)', [LEASE_MS, overdueMs]);
  const { rows } = await owner.query<{ job_id: string }>('SELECT job_id FROM outbox WHERE not_before <= clock_timestamp()');
  return rows.map(({ job_id }) => job_id);
}

async function present(holder: string): Promise<ProcessPresence> {
  const presence = new ProcessPresence({ url: database.appUrl, timeoutMs: 10_000, report: () => undefined });
  open.push(presence);
  presence.hold(holder);
  await until('the process is present', async () => (await owner.query<{ is: boolean }>('SELECT is_present($1) AS is', [holder])).rows[0]!.is);
  return presence;
}

it('the lease of a process that is gone and did not renew it is ended, those of all others are left', async () => {
  const [dead, alive] = [randomUUID(), randomUUID()];
  await present(alive);
  const overdue = LEASE_MS - OVERDUE_MS - 500;
  const abandoned = await leased(dead, overdue);
  await leased(dead, LEASE_MS * 10); // renewed just now: it has only lost its session
  await leased(alive, overdue); // slow, frozen or cut off
  await leased(null, overdue); // of the queue
  expect(await endedBy(OVERDUE_MS)).toEqual([abandoned]);
});

it('a process that cannot judge ends nothing', async () => {
  await leased(randomUUID(), LEASE_MS - OVERDUE_MS - 500);
  expect(await endedBy(null)).toEqual([]);
});

it('a process that closes is no longer present, and one whose session was cut is present again', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const isPresent = async (id: string): Promise<boolean> => (await owner.query<{ is: boolean }>('SELECT is_present($1) AS is', [id])).rows[0]!.is;
  const first = await present(one);
  await present(other);
  const pidOf = async (): Promise<number | undefined> =>
    (
      await owner.query<{ pid: number }>(
        "SELECT l.pid FROM pg_locks l WHERE l.classid = 8150317 AND l.objid = (hashtext($1)::bigint & 4294967295)::oid AND l.locktype = 'advisory'",
        [other],
      )
    ).rows[0]?.pid;
  const before = await pidOf();
  await owner.query('SELECT pg_terminate_backend($1, 5000)', [before]);
  await until('the process is present again', async () => ![undefined, before].includes(await pidOf()));
  await first.close();
  await until('the other one is gone', async () => !(await isPresent(one)));
  expect(await isPresent(other)).toBe(true);
});

it('a process judges others only when it was present for a while', async () => {
  const presence = new ProcessPresence({ url: database.appUrl, timeoutMs: 10_000, report: () => undefined });
  open.push(presence);
  expect(presence.overdueMs(LEASE_MS)).toBeNull();
  presence.hold(randomUUID());
  expect(presence.overdueMs(LEASE_MS)).toBeNull();
  await until('it judges', async () => presence.overdueMs(LEASE_MS) !== null);
  expect(presence.overdueMs(LEASE_MS)).toBeLessThan((LEASE_MS * 3) / 4);
});
