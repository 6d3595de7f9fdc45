import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { turnJobViolations } from '../support/turn-jobs.js';

/** Short, so that a lost worker is noticed soon. */
const HASTY = { JOB_LOCK_MS: '1000', STALLED_AFTER_MS: '2000', LOG_LEVEL: 'warn' };

describe('kill -9 while a conversation is compacted', () => {
  let database: TestDatabase;
  let token: string;
  const running = new Set<ServerProcess>();

  const start = async (): Promise<ServerProcess> => {
    const server = await ServerProcess.start({ ...HASTY, DATABASE_URL: database.ownerUrl });
    running.add(server);
    return server;
  };

  beforeAll(async () => {
    database = await freshDatabase();
    token = await makeTenant(database.appUrl, 'crash');
  });
  afterEach(async () => {
    await Promise.all([...running].map((server) => server.kill()));
    running.clear();
    expect(await turnJobViolations(database.ownerUrl)).toEqual([]);
  });
  afterAll(() => database.drop());

  it('leaves the conversation complete, with one summary, and the queue drains', async () => {
    const first = await start();
    let client = first.client(token);
    const id = await client.session();
    const prompts: string[] = [];
    for (let turn = 1; turn <= 4; turn += 1) prompts.push((await client.ask(id, `question ${turn}`)).promptId);
    const before = await client.messages(id);
    const compaction = (await client.post(`/v1/sessions/${id}/compactions`, { instructions: '{{slow 10}}{{long 300}}' })).body;
    const waiting = (await client.prompt(id, 'after')).body;
    const stream = await client.stream(id, {}, `?after=${compaction.version}`);
    await stream.untilType('message.delta');
    await first.kill();
    stream.close();

    client = (await start()).client(token);
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
