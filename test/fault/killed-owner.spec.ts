import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { turnJobViolations } from '../support/turn-jobs.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let token: string;
const running: ServerProcess[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  token = await makeTenant(database.appUrl, 'owner');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.kill()));
});
afterAll(() => database.drop());

const start = async (environment: Record<string, string>): Promise<ServerProcess> => {
  const server = await ServerProcess.start({ DATABASE_URL: database.ownerUrl, LOG_LEVEL: 'warn', ...environment });
  running.push(server);
  return server;
};

const asked = <T>(sql: string, values: readonly unknown[] = []): Promise<T> =>
  withConnection(database.ownerUrl, 60_000, async (owner) => (await owner.query<{ answer: T }>(sql, [...values])).rows[0]!.answer);

/** When the lease or the lock ends with which a process holds the turn, by the clock of the database in milliseconds; null: none holds it. */
const HELD_UNTIL = {
  direct: 'SELECT max(extract(epoch FROM not_before) * 1000)::float8 AS answer FROM outbox WHERE leased AND holder IS NOT NULL',
  queue: "SELECT max(locked_until_ms)::float8 AS answer FROM bullmq.job WHERE state = 'active'",
};

/** A turn of which the first request streams, in a process beside another one. */
async function streaming(dispatch: 'direct' | 'queue', lockMs: number) {
  const settings = { TURN_DISPATCH: dispatch, JOB_LOCK_MS: String(lockMs) };
  const owner = await start(settings);
  const client = owner.client(token);
  const id = await client.session();
  const stream = await client.stream(id);
  const { promptId, turnId } = (await client.prompt(id, '{{slow 20}}{{long 3000}}')).body;
  await stream.untilType('message.delta');
  stream.close();
  const other = await start(settings); // after the turn began: only the first process can run it
  await until('the other process is present', async () => (await asked<number>('SELECT count(*)::int AS answer FROM pg_locks WHERE classid = 8150317')) >= 2);
  const calm = other.client(token);
  const requests = async (): Promise<readonly { readonly at: string }[]> => (await calm.get(`/v1/sessions/${id}/turns/${turnId}`)).body.requests;
  const takenOverAt = async (): Promise<number> => {
    await until('the turn is taken over', async () => (await requests()).length > 1);
    return asked<number>(
      "SELECT max(extract(epoch FROM recorded_at) * 1000)::float8 AS answer FROM event WHERE session_id = $1::uuid AND type = 'request.sent'",
      [id],
    );
  };
  const endsWell = async (): Promise<void> => {
    await calm.post(`/v1/sessions/${id}/interrupt`);
    await until('the turn has ended', async () => (await calm.get(`/v1/sessions/${id}/turns/${turnId}`)).body.endedAt !== null);
    await expectNothingLost(calm, id, [promptId as string]);
    expect(await turnJobViolations(database.ownerUrl)).toEqual([]);
  };
  return { owner, takenOverAt, endsWell };
}

it.each(['direct', 'queue'] as const)('a turn whose process is killed is continued before its lease has ended (%s)', async (dispatch) => {
  const { owner, takenOverAt, endsWell } = await streaming(dispatch, 30_000);
  await owner.kill();
  const heldUntil = await asked<number | null>(HELD_UNTIL[dispatch]);
  expect(heldUntil).not.toBeNull();
  expect(await takenOverAt()).toBeLessThan(heldUntil!);
  await endsWell();
});

it.each(['direct', 'queue'] as const)('a turn whose process is frozen is continued when its lease has ended, and not before (%s)', async (dispatch) => {
  const { owner, takenOverAt, endsWell } = await streaming(dispatch, 9_000);
  owner.signal('SIGSTOP');
  const heldUntil = await asked<number | null>(HELD_UNTIL[dispatch]);
  expect(heldUntil).not.toBeNull();
  expect(await takenOverAt()).toBeGreaterThanOrEqual(heldUntil!);
  owner.signal('SIGCONT');
  await endsWell();
});
