import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { type StandIn, startStandIn } from '../support/stand-in-server.js';
import { makeTenant } from '../support/tenant.js';
import { turnJobViolations } from '../support/turn-jobs.js';

/** Short, so that it is noticed soon that the worker is lost. */
const HASTY = { JOB_LOCK_MS: '3000' };
/** No pause of the machine takes a turn from the worker that has it then. */
const CALM = { JOB_LOCK_MS: '60000' };

describe('kill -9 while a conversation is compacted', () => {
  let database: TestDatabase;
  let token: string;
  let api: StandIn;
  const running = new Set<ServerProcess>();

  const start = async (environment: Record<string, string>): Promise<ServerProcess> => {
    const model = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
    const server = await ServerProcess.start({ ...environment, ...model, LOG_LEVEL: 'warn', DATABASE_URL: database.ownerUrl });
    running.add(server);
    return server;
  };

  beforeAll(async () => {
    api = await startStandIn();
    database = await freshDatabase();
    token = await makeTenant(database.appUrl, 'crash');
  });
  afterEach(async () => {
    await Promise.all([...running].map((server) => server.kill()));
    running.clear();
    expect(await turnJobViolations(database.ownerUrl)).toEqual([]);
  });
  afterAll(async () => {
    await api.close();
    await database.drop();
  });

  it('leaves the conversation complete, with one summary, and the queue drains', async () => {
    const first = await start(HASTY);
    let client = first.client(token);
    const id = await client.session();
    const prompts: string[] = [];
    for (let turn = 1; turn <= 4; turn += 1) prompts.push((await client.ask(id, `question ${turn}`)).promptId);
    const before = await client.messages(id);
    const stream = await client.stream(id, {}, `?after=${(await client.get(`/v1/sessions/${id}`)).body.version}`);
    await stream.untilType('synced');
    api.next({ kind: 'stall', after: 20 }); // the summary streams for as long as the server lives
    const compaction = (await client.post(`/v1/sessions/${id}/compactions`, { instructions: '{{long 300}}' })).body;
    const waiting = (await client.prompt(id, 'after')).body;
    await stream.untilType('message.delta');
    await first.kill();
    stream.close();

    client = (await start(CALM)).client(token);
    expect(await client.messages(id)).toEqual(before);
    const turn = await client.settled(id, compaction.turnId);
    expect(turn).toMatchObject({
      status: 'completed',
      stopReason: 'compacted',
      requests: [{ status: 'failed', error: { code: 'worker_lost' } }, { status: 'completed' }],
    });
    expect((await client.settled(id, waiting.turnId)).status).toBe('completed');
    const messages = await client.messages(id);
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(messages.filter(({ isCompactSummary }) => isCompactSummary)).toHaveLength(1);
    await expectNothingLost(client, id, [...prompts, compaction.promptId, waiting.promptId]);
  });
});
