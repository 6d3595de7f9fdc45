import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { toColumns } from '../../src/platform/postgres/store/row.js';
import * as statements from '../../src/engine/store/statements.js';
import { append, appended, ids, job, type Ids } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { until } from '../support/until.js';

let store: PostgresStore;
let holding: Client;
let renewing: Client;
let appending: Client;
const holder = randomUUID();

beforeAll(async () => {
  store = await postgresStore();
  const open = (url: string): Promise<Client> => connect(url, 60_000);
  [holding, renewing, appending] = await Promise.all([open(store.urls.ownerUrl), open(store.urls.appUrl), open(store.urls.appUrl)]);
});
afterAll(async () => {
  await Promise.all([holding, renewing, appending].map((client) => client.end()));
  await store.close();
});

/** A session with a turn that `holder` runs. */
async function running(tenantId: string, jobId: string): Promise<Ids> {
  const of = { ...ids(), tenantId };
  appended(await store.events.append(append(of, 0, { jobs: [{ ...job(of), id: jobId }], dispatch: { holder, perTenant: 100, leaseMs: 60_000 } })));
  return of;
}

async function untilBlocked(client: Client, started: Promise<unknown>): Promise<void> {
  started.catch(() => undefined);
  const pid = (client as unknown as { processID: number }).processID;
  await until('the statement waits for a lock', async () => {
    const { rows } = await holding.query<{ blocked: boolean }>('SELECT cardinality(pg_blocking_pids($1)) > 0 AS blocked', [pid]);
    return rows[0]!.blocked;
  });
}

it.each([0, 1])(
  'leases are renewed while a batch ends the same turns in the other order: neither waits for the other, whichever is locked (%s)',
  async (locked) => {
    const [low, high] = [`a${randomUUID()}`, `b${randomUUID()}`];
    const tenant = randomUUID();
    const [first, second] = [await running(tenant, high), await running(tenant, low)];
    await holding.query('BEGIN');
    await holding.query('SELECT FROM outbox WHERE job_id = $1 FOR UPDATE', [[low, high][locked]]);

    const renewal = renewing.query('SELECT renew_turns($1::uuid, $2::uuid[], $3::text[], 60000)', [holder, [tenant, tenant], [high, low]]);
    await untilBlocked(renewing, renewal);
    const ends = [append(first, 1, { completedJobs: [high] }), append(second, 1, { completedJobs: [low] })].map((given) => ({
      append: given,
      columns: toColumns(given.events),
      projection: null,
      effects: [],
    }));
    const { text, values } = statements.appendBatch(ends);
    const batch = appending.query<{ outcome: string }>(text, values);
    await untilBlocked(appending, batch);

    await holding.query('COMMIT');
    const [renewed, ended] = await Promise.all([renewal, batch]);
    expect(renewed.rowCount).toBe(2);
    expect(ended.rows.map(({ outcome }) => outcome)).toEqual(['appended', 'appended']);
  },
);
