import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OUTCOME_UNKNOWN } from '../../packages/protocol/message/wire-texts.js';
import { itWith, SHELL } from '../support/needs.js';
import { expectStatus } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { call, resultsIn } from '../support/tool-server.js';
import { turnJobViolations } from '../support/turn-jobs.js';

const maybe = itWith(SHELL);

let database: TestDatabase;
let data: string;
let token: string;
const running: ServerProcess[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  data = await mkdtemp(path.join(tmpdir(), 'verbatim-calls-'));
  await chmod(data, 0o711); // or the accounts of sessions could not reach it
  token = await makeTenant(database.appUrl, 'calls');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.kill()));
  expect(await turnJobViolations(database.ownerUrl)).toEqual([]);
});
afterAll(async () => {
  await database.drop();
  await rm(data, { recursive: true, force: true });
});

/** The loss of a worker with a short lock is noticed soon; one with a long lock loses its turns by no pause of the machine. */
const start = async (lockMs = 60_000): Promise<ServerProcess> => {
  const server = await ServerProcess.start({
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: data,
    TOOLS: 'Bash,Read',
    JOB_LOCK_MS: String(lockMs),
    LOG_LEVEL: 'warn',
  });
  running.push(server);
  return server;
};
const bash = (command: string): string => call('Bash', { command });

maybe('calls of the model whose server is killed: what had ended is kept, what ran is closed as unknown and ran once, the turn finishes', async () => {
  const first = await start(3_000);
  let client = first.client(token);
  const id = await client.session({ permissionMode: 'bypassPermissions' });
  const stream = await client.stream(id);
  await stream.untilType('synced');
  const { turnId, promptId } = (await client.prompt(id, bash('echo run >> runs; cat runs; sleep 600') + call('Read', { file_path: 'none' }))).body;
  await stream.untilType('tool.completed');
  await stream.untilType('tool.progress');
  stream.close();
  await first.kill();

  client = (await start()).client(token);
  const turn = await client.settled(id, turnId);
  expect(turn).toMatchObject({
    status: 'completed',
    stopReason: 'end_turn',
    toolCalls: [
      { name: 'Bash', outcome: 'unknown', isError: true },
      { name: 'Read', outcome: 'finished' },
    ],
  });
  expect(resultsIn(await client.messages(id)).map(({ content }) => content)).toEqual([OUTCOME_UNKNOWN, expect.not.stringContaining('unknown')]);
  const after = await client.ask(id, 'cat runs', { mode: 'bash' });
  expect((await client.messages(id)).at(-1).content).toBe('<bash-stdout>run</bash-stdout>');
  await expectNothingLost(client, id, [promptId, after.promptId]);
});

maybe('a question to a person outlives the server, and so does the answer', async () => {
  const first = await start();
  let client = first.client(token);
  const id = await client.session();
  const { turnId, promptId, toolCalls } = await client.ask(id, bash('echo allowed'));
  expect(toolCalls).toMatchObject([{ status: 'awaiting_decision', input: { command: 'echo allowed' } }]);
  await first.kill();

  const second = await start(3_000);
  client = second.client(token);
  expect((await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body).toMatchObject({ status: 'waiting', toolCalls });
  expectStatus(await client.post(`/v1/sessions/${id}/tool-decisions`, { toolUseId: toolCalls[0].toolUseId, decision: 'allow' }), 202);
  await second.kill(); // before or after the call began

  client = (await start()).client(token);
  expect((await client.settled(id, turnId)).status).toBe('completed');
  expect(resultsIn(await client.messages(id))).toMatchObject([{ content: expect.stringMatching(/^allowed$|outcome of this tool call is unknown/) }]);
  expect((await client.events(id)).filter(({ type }) => type === 'tool.started').length).toBeLessThanOrEqual(1);
  await expectNothingLost(client, id, [promptId]);
});
