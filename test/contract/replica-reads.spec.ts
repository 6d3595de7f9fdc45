import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { loginAt } from '../../src/platform/config/database-url.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { stateOf } from '../../src/platform/postgres/connection/classify-error.js';
import type { PrimaryPosition } from '../../src/platform/postgres/connection/tenant-query.js';
import { prepareDatabase } from '../../src/platform/postgres/prepare-database.js';
import { POSITION } from '../../src/platform/postgres/replica/primary-positions.js';
import { type ReadOutcome, ReplicaReads } from '../../src/platform/postgres/replica/replica-reads.js';
import { requireStandbys } from '../../src/platform/postgres/replica/require-standbys.js';
import type { Database } from '../../src/platform/postgres/store/prisma.js';
import { TenantConnections, type TenantReads } from '../../src/platform/postgres/store/tenant-connections.js';
import { SCHEMA_FOLDERS } from '../../src/schema-folders.js';
import { openDatabase } from '../support/postgres-store.js';
import { ReplicatedPostgres } from '../support/replicated-postgres.js';
import { until } from '../support/until.js';

const WAIT_MS = 60_000;

let postgres: ReplicatedPostgres;
let appUrl: string;
let standbyUrl: string;
let owner: pg.Pool;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  postgres = await ReplicatedPostgres.start('verbatim', { isSynchronous: false, standbySettings: ['max_standby_streaming_delay=0'] });
  ({ appUrl } = await prepareDatabase({
    ownerUrl: postgres.primaryUrl,
    ...SCHEMA_FOLDERS,
    waitMs: WAIT_MS,
    statementTimeoutMs: WAIT_MS,
    setupTimeoutMs: WAIT_MS,
  }));
  standbyUrl = loginAt(postgres.standbyUrl, appUrl);
  owner = new pg.Pool({ connectionString: postgres.primaryUrl });
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(async () => {
  await owner?.end();
  await postgres?.stop();
});

/** Reads as a process makes them, and who has answered them. */
interface Reader {
  readonly primary: Database;
  readonly reads: ReplicaReads;
  readonly outcomes: ReadOutcome[];
  readonly lines: string[];
}

function reader(
  settings: { readonly waitMs?: number; readonly silenceMs?: number; readonly urls?: readonly string[]; readonly timeoutMs?: number } = {},
): Reader {
  const { waitMs = WAIT_MS, silenceMs = WAIT_MS, timeoutMs = WAIT_MS, urls = [standbyUrl] } = settings;
  const primary = openDatabase(appUrl, { timeoutMs });
  const [outcomes, lines]: [ReadOutcome[], string[]] = [[], []];
  const report = (line: string): void => void lines.push(line);
  const reads = new ReplicaReads(primary, { urls, poolSize: 4, waitMs, silenceMs, timeoutMs, applicationName: 'verbatim test reads', report });
  reads.onRead((outcome) => outcomes.push(outcome));
  opened.push({ close: () => Promise.all([reads.close(), primary.close()]).then(() => undefined) });
  return { primary, reads, outcomes, lines };
}

async function addUser(tenantId: string): Promise<void> {
  await owner.query(`INSERT INTO app_user (tenant_id, user_id, name, role) VALUES ($1, $2, 'a user', 'member')`, [tenantId, randomUUID()]);
}

async function newTenant(users = 1): Promise<string> {
  const tenantId = randomUUID();
  await owner.query(`INSERT INTO tenant (tenant_id, name) VALUES ($1, 'a tenant')`, [tenantId]);
  for (let index = 0; index < users; index += 1) await addUser(tenantId);
  return tenantId;
}

/** The users of the tenant: the statement itself has no condition. */
async function usersOf(reads: TenantReads, tenantId: string): Promise<number> {
  const [row] = await reads.inTenant(tenantId, (_, prepared) =>
    prepared.query<{ users: number }>({ text: 'SELECT count(*)::int AS users FROM app_user', values: [] }),
  );
  return row!.users;
}

/** Runs the statement as a read. */
const read = (reads: TenantReads, tenantId: string, text: string): Promise<readonly object[]> =>
  reads.inTenant(tenantId, (_, prepared) => prepared.query({ text, values: [] }));

describe('reads on a standby', () => {
  it('show what was committed when they began, while replay stops and runs again, in two processes', async () => {
    const readers = [reader({ waitMs: 5 }), reader({ waitMs: 5 })];
    let isOver = false;
    const toggling = (async () => {
      while (!isOver) {
        await postgres.pauseReplay();
        await pause(20);
        await postgres.resumeReplay();
        await pause(300); // longer than a pause after one failure
      }
    })();
    const has = (outcome: ReadOutcome): boolean => readers.every(({ outcomes }) => outcomes.includes(outcome));
    const tenants = await Promise.all(Array.from({ length: 6 }, () => newTenant(0)));
    const clients = tenants.map(async (tenantId) => {
      for (let users = 1; !isOver; users += 1) {
        await addUser(tenantId);
        for (const { reads } of readers) expect(await usersOf(reads, tenantId)).toBe(users);
      }
    });
    const answered = until(
      'both were answered by the standby, and by the primary because that lagged',
      async () => has('standby') && has('lagging') && has('paused'),
    );
    await Promise.race([answered, Promise.all(clients)]);
    isOver = true;
    await Promise.all([...clients, toggling]);
  });

  it('see the rows of their tenant only, and write nothing', async () => {
    const { reads, outcomes } = reader();
    const [one, other] = [await newTenant(2), await newTenant(3)];
    expect([await usersOf(reads, one), await usersOf(reads, other)]).toEqual([2, 3]);
    const seen = await reads.inTenant(one, (client) => client.user.findMany());
    expect(new Set(seen.map(({ tenantId }) => tenantId))).toEqual(new Set([one]));
    expect(outcomes).toEqual(['standby', 'standby', 'standby']);
    const without = new pg.Client(standbyUrl);
    await without.connect();
    expect((await without.query('SELECT 1 FROM app_user')).rowCount).toBe(0);
    await without.end();
  });

  it('cost the primary one statement each, and many at a time two', async () => {
    const { primary, reads, outcomes } = reader();
    const tenantId = await newTenant();
    await usersOf(reads, tenantId);
    const [questions, statements] = [jest.spyOn(primary, 'run'), jest.spyOn(primary, 'inTenant')];
    await usersOf(reads, tenantId);
    expect(questions).toHaveBeenCalledTimes(1);
    await Promise.all(Array.from({ length: 40 }, () => usersOf(reads, tenantId)));
    expect(questions.mock.calls.length).toBeLessThanOrEqual(3);
    expect(statements).not.toHaveBeenCalled();
    expect(new Set(outcomes)).toEqual(new Set(['standby']));
  });

  it('prove in each statement that the server has it: what this process knows of a standby decides nothing', async () => {
    const tenantId = await newTenant();
    const standby = new TenantConnections({ url: standbyUrl, timeoutMs: WAIT_MS, applicationName: 'verbatim test' }, 2);
    opened.push(standby);
    const { rows } = await owner.query<PrimaryPosition>(POSITION);
    const now = rows[0]!;
    for (const [position, code] of [
      [{ ...now, lsn: 'FFFFFFFF/0' }, 'VB006'],
      [{ ...now, identity: '1/1' }, 'VB005'],
      [{ ...now, timeline: now.timeline + 1 }, 'VB005'],
    ] as const) {
      const found = await Promise.allSettled([
        standby.inTenant(tenantId, (_, prepared) => prepared.query({ text: 'SELECT 1 FROM app_user', values: [] }), position),
        standby.inTenant(tenantId, (client) => client.$queryRaw`SELECT 1 FROM app_user`, position),
      ]);
      expect(found.map((outcome) => outcome.status === 'rejected' && stateOf(outcome.reason))).toEqual([code, code]);
    }
    await until('it has replayed that', async () => {
      const found = standby.inTenant(tenantId, (_, prepared) => prepared.query({ text: 'SELECT 1 FROM app_user', values: [] }), now);
      return (await found.catch(() => [])).length === 1;
    });
  });

  it('are answered by the primary when replay cancels them', async () => {
    const { reads, outcomes } = reader();
    const tenantId = await newTenant();
    await owner.query(`CREATE TABLE IF NOT EXISTS cancelled AS SELECT generate_series(1, 1000) AS n; GRANT SELECT ON cancelled TO verbatim_app`);
    const slow = read(reads, tenantId, 'SELECT count(*), pg_sleep(2) FROM cancelled');
    await until('the standby reads', async () => {
      const found = await withConnection(postgres.standbyUrl, WAIT_MS, (client) =>
        client.query(`SELECT 1 FROM pg_stat_activity WHERE query LIKE '%FROM cancelled%' AND wait_event = 'PgSleep'`),
      );
      return Boolean(found.rowCount);
    });
    await owner.query('DROP TABLE cancelled; CREATE TABLE cancelled AS SELECT 1 AS n; GRANT SELECT ON cancelled TO verbatim_app');
    await slow;
    expect(outcomes).toEqual(['cancelled']);
    await usersOf(reads, tenantId);
    expect(outcomes).toEqual(['cancelled', 'standby']); // it is not left alone for that
  });

  it('fail as on the primary when the statement is wrong', async () => {
    const { reads, outcomes } = reader();
    await expect(read(reads, await newTenant(), 'SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(outcomes).toEqual(['failed']);
  });

  it('ask nothing of anyone while there are none', async () => {
    const { primary, reads } = reader();
    await usersOf(reads, await newTenant());
    const asked = [jest.spyOn(primary, 'run'), jest.spyOn(pg.Pool.prototype, 'query'), jest.spyOn(pg.Client.prototype, 'query')];
    await pause(2_500);
    for (const spy of asked) expect(spy).not.toHaveBeenCalled();
    for (const spy of asked) spy.mockRestore();
  });
});

describe('a standby that does not answer', () => {
  it('is replaced by the primary while it is frozen, also in the middle of a read, and used again afterwards', async () => {
    const { reads, outcomes, lines } = reader({ silenceMs: 1_500, waitMs: 3_000 });
    const tenantId = await newTenant(2);
    await usersOf(reads, tenantId);
    const slow = read(reads, tenantId, 'SELECT pg_sleep(6)');
    await until('the standby reads', async () => {
      const found = await withConnection(postgres.standbyUrl, WAIT_MS, (client) => client.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`));
      return Boolean(found.rowCount);
    });
    await postgres.freezeStandby();
    await slow;
    expect(outcomes).not.toContain('failed');
    expect(outcomes.at(-1)).not.toBe('standby');
    for (let users = 3; users < 6; users += 1) {
      await addUser(tenantId);
      expect(await usersOf(reads, tenantId)).toBe(users);
    }
    expect(lines).toHaveLength(1);
    await postgres.thawStandby();
    await until('the standby answers again', async () => {
      await usersOf(reads, tenantId);
      return outcomes.at(-1) === 'standby';
    });
    expect(lines[1]).toContain('used for reads again');
  });

  it('is replaced by the primary when it is killed, and used again when it is back', async () => {
    const { reads, outcomes, lines } = reader();
    const tenantId = await newTenant();
    await usersOf(reads, tenantId);
    await postgres.killStandby();
    for (let index = 0; index < 20; index += 1) expect(await usersOf(reads, tenantId)).toBe(1);
    expect(outcomes.slice(0, 3)).toEqual(['standby', 'lost', 'paused']);
    expect(outcomes.slice(1)).not.toContain('standby');
    expect(lines).toHaveLength(1);
    await requireStandbys(appUrl, [standbyUrl], { report: (line) => lines.push(line) });
    expect(lines[1]).toContain('cannot be asked what it is');
    await postgres.startStandby();
    await until('the standby answers again', async () => {
      await usersOf(reads, tenantId);
      return outcomes.at(-1) === 'standby';
    });
  });

  it('is left out while another one answers', async () => {
    const { reads, outcomes } = reader({ urls: [standbyUrl.replace(/:\d+\//, ':1/'), standbyUrl] });
    const tenantId = await newTenant();
    for (let index = 0; index < 10; index += 1) expect(await usersOf(reads, tenantId)).toBe(1);
    expect(outcomes.filter((outcome) => outcome === 'lost').length).toBeLessThanOrEqual(3);
    expect(outcomes.filter((outcome) => outcome === 'standby').length).toBeGreaterThanOrEqual(7);
  });
});

describe('the start', () => {
  it('accepts a standby, refuses another database of the server, and says of a primary that it is none', async () => {
    const lines: string[] = [];
    const report = (line: string): void => void lines.push(line);
    await requireStandbys(appUrl, [standbyUrl], { report });
    expect(lines).toEqual([]);
    const other = standbyUrl.replace(/[^/]*$/, 'postgres');
    await expect(requireStandbys(appUrl, [standbyUrl, other], { report })).rejects.toMatchObject({ code: 'standby_foreign' });
    await requireStandbys(appUrl, [appUrl], { report });
    expect(lines).toEqual([expect.stringContaining('is no standby')]);
  });
});

describe('a server that is no standby of the primary', () => {
  it('is not read: the primary itself, another database, another timeline, and last one that was promoted', async () => {
    const tenantId = await newTenant();
    for (const url of [appUrl, standbyUrl.replace(/[^/]*$/, 'postgres')]) {
      const { reads, outcomes } = reader({ urls: [url] });
      expect(await usersOf(reads, tenantId)).toBe(1);
      expect(['foreign', 'lagging']).toContain(outcomes[0]);
    }
    const { reads, outcomes, lines } = reader();
    await usersOf(reads, tenantId);
    await expect(withConnection(standbyUrl, WAIT_MS, (client) => client.query(`SELECT require_replayed(database_identity(), 2, '0/0')`))).rejects.toMatchObject(
      { code: 'VB005', message: expect.stringContaining('timeline') },
    );
    await postgres.promoteStandby();
    await addUser(tenantId);
    expect(await usersOf(reads, tenantId)).toBe(2);
    expect(outcomes).toEqual(['standby', 'foreign']);
    expect(lines).toEqual([expect.stringContaining('(foreign)')]);
  });
});
