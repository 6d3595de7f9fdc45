import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { turnJobViolations } from '../support/turn-jobs.js';
import { until } from '../support/until.js';

const SESSIONS = 6;

let database: TestDatabase;
let token: string;
const running: ServerProcess[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  token = await makeTenant(database.appUrl, 'frozen');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.kill()));
});
afterAll(() => database.drop());

const start = async (): Promise<ServerProcess> => {
  const server = await ServerProcess.start({ DATABASE_URL: database.ownerUrl, JOB_LOCK_MS: '1000', STALLED_AFTER_MS: '2000', LOG_LEVEL: 'warn' });
  running.push(server);
  return server;
};

it('a process that is frozen while it runs turns without the queue loses them to another, and changes nothing once it is resumed', async () => {
  const [one, other] = [await start(), await start()];
  const client = one.client(token);
  const prompts = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const id = await client.session();
      const { promptId, turnId } = (await client.prompt(id, '{{slow 60}}{{long 150}}')).body;
      return { id, promptId: promptId as string, turnId: turnId as string };
    }),
  );
  const calm = other.client(token);
  const turnOf = async ({ id, turnId }: { id: string; turnId: string }) => (await calm.get(`/v1/sessions/${id}/turns/${turnId}`)).body;
  const allHaveSent = (count: number) => async (): Promise<boolean> =>
    (await Promise.all(prompts.map(turnOf))).every(({ requests, endedAt }) => requests.length >= count || endedAt !== null);
  await until('all answers are streamed', allHaveSent(1));
  one.signal('SIGSTOP');
  await until('the other process has taken over all turns', allHaveSent(2));
  one.signal('SIGCONT');
  expect((await Promise.all(prompts.map(turnOf))).some(({ requests }) => requests.length >= 2)).toBe(true);

  const violations: unknown[] = [];
  await until(
    'all turns have ended',
    async () => {
      violations.push(...(await turnJobViolations(database.ownerUrl)));
      return (await Promise.all(prompts.map(turnOf))).every(({ endedAt }) => endedAt !== null);
    },
    60,
  );
  expect(violations).toEqual([]);
  for (const prompt of prompts) {
    const outcomes: readonly string[] = (await turnOf(prompt)).requests.map(
      ({ status, error }: { status: string; error?: { code: string } }) => error?.code ?? status,
    );
    expect(outcomes.toSpliced(-1)).toEqual(outcomes.slice(1).map(() => 'worker_lost'));
    expect(outcomes.at(-1)).toBe('completed');
    await expectNothingLost(calm, prompt.id, [prompt.promptId]);
  }
  expect(await turnJobViolations(database.ownerUrl)).toEqual([]);
});
