import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect } from '../../src/platform/postgres/connect.js';
import { PostgresBacklog } from '../../src/engine/store/postgres-backlog.js';
import { append, ids, job } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';

let store: PostgresStore;

beforeAll(async () => {
  store = await postgresStore();
});
afterAll(() => store.close());

it('counts jobs that are not in the queue, their age, and prompts that wait for a running turn', async () => {
  const backlog = new PostgresBacklog(store.database);
  expect(await backlog.read()).toEqual({ jobs: 0, oldestJobSeconds: 0, prompts: 0 });
  const [one, other, idle] = [ids(), ids(), ids()];
  await store.events.append(append(one, 0, { jobs: [job(one)], summary: { status: 'running', queueLength: 2 } }));
  await store.events.append(append(other, 0, { jobs: [job(other)], summary: { status: 'running', queueLength: 3 } }));
  await store.events.append(append(idle, 0));
  const owner = await connect(store.urls.ownerUrl, 60_000);
  await owner.query(`UPDATE outbox SET not_before = now() - interval '1 hour' WHERE payload->>'sessionId' = $1`, [one.sessionId]);
  await owner.end();
  const reading = await backlog.read();
  expect(reading).toMatchObject({ jobs: 2, prompts: 5 });
  expect(Math.floor(reading.oldestJobSeconds / 3_600)).toBe(1);
  await store.outbox.lease(10, 10, 60_000);
  expect(await backlog.read()).toEqual({ jobs: 0, oldestJobSeconds: 0, prompts: 5 });
});
