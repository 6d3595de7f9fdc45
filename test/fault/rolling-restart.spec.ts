import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { type Fault, held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

/** Nothing that a process looks at from time to time helps here: what it is not told it does not learn. */
const NEVER_MS = '600000';
const TOLD = { JOB_LOCK_MS: NEVER_MS, STALLED_AFTER_MS: NEVER_MS, OUTBOX_POLL_MS: NEVER_MS };

/** Of an answer that is never whole. */
const ENDLESS: Fault = { kind: 'stall', after: 20 };

describe.each(['direct', 'queue'])('a process that is replaced while another one runs, with TURN_DISPATCH=%s', (dispatch) => {
  let database: TestDatabase;
  let token: string;
  let api: StandIn;
  const running = new Set<ServerProcess>();

  beforeAll(async () => {
    api = await startStandIn();
    database = await freshDatabase();
    token = await makeTenant(database.appUrl, 'restart');
  });
  afterEach(async () => {
    await Promise.all([...running].map((server) => server.kill()));
    running.clear();
  });
  afterAll(async () => {
    await api.close();
    await database.drop();
  });

  async function start(graceMs: string): Promise<ServerProcess> {
    const model = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
    const settings = { ...model, ...TOLD, TURN_DISPATCH: dispatch, SHUTDOWN_GRACE_MS: graceMs, LOG_LEVEL: 'warn', DATABASE_URL: database.ownerUrl };
    const server = await ServerProcess.start(settings);
    running.add(server);
    return server;
  }
  const hasHeard = (client: Client): Promise<void> => until('it is stopping', async () => (await client.get('/health/ready')).status === 503);

  it('continues a turn that outlasts the grace at once in the other process', async () => {
    const first = await start('200');
    const client = first.client(token);
    const id = await client.session();
    const stream = await client.stream(id);
    api.next(ENDLESS);
    const prompt = (await client.prompt(id, '{{long 150}}')).body;
    await stream.untilType('message.delta');
    const after = (await start('200')).client(token);
    expect(await first.stop()).toBe(0);
    expect((await after.settled(id, prompt.turnId)).requests.map(({ status }: { status: string }) => status)).toEqual(['failed', 'completed']);
    stream.close();
  });

  it('finishes a running request, and leaves the next step of its turn to the other process: no request is made twice', async () => {
    const first = await start('60000');
    const client = first.client(token);
    const id = await client.session({ permissionMode: 'bypassPermissions', tools: [] });
    const stream = await client.stream(id);
    const [one, two] = [held(6), held(6)];
    api.next(one.fault);
    const before = api.received.length;
    const prompt = (await client.prompt(id, '{{tool NoSuchTool {}}}')).body;
    await until('it is asked', async () => api.received.length === before + 1);
    const after = (await start('60000')).client(token);
    first.signal('SIGTERM');
    await hasHeard(client);
    api.next(two.fault);
    one.release();
    await until('it is asked again', async () => api.received.length === before + 2);
    expect(await first.exited).toBe(0); // while the second request still runs: it is not this process that waits for it
    two.release();
    const turn = await after.settled(id, prompt.turnId);
    expect([turn.status, turn.requests.map(({ status }: { status: string }) => status)]).toEqual(['completed', ['completed', 'completed']]);
    expect(api.received.length).toBe(before + 2);
    stream.close();
    await expectNothingLost(after, id, [prompt.promptId]);
  });

  it('gives prompts that it accepts while it stops to the other process at once', async () => {
    const first = await start('60000');
    const client = first.client(token);
    const [id, other] = [await client.session(), await client.session()];
    const stream = await client.stream(id);
    const answer = held(6);
    api.next(answer.fault);
    const prompt = (await client.prompt(id, 'hello')).body;
    await stream.untilType('message.delta');
    const after = (await start('60000')).client(token);
    first.signal('SIGTERM');
    await hasHeard(client);
    const late = (await client.prompt(other, 'a late one')).body;
    expect((await after.settled(other, late.turnId)).status).toBe('completed');
    answer.release();
    expect((await after.settled(id, prompt.turnId)).status).toBe('completed');
    expect(await first.exited).toBe(0);
    stream.close();
  });
});
