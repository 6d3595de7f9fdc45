import { afterAll, beforeAll, expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OUTCOME_UNKNOWN } from '../../packages/protocol/message/wire-texts.js';
import { itWith, SHELL } from '../support/needs.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';
import { turnJobViolations } from '../support/turn-jobs.js';

let database: TestDatabase;
let data: string;

beforeAll(async () => {
  database = await freshDatabase();
  data = await mkdtemp(path.join(tmpdir(), 'verbatim-shell-'));
  await chmod(data, 0o711); // or the accounts of sessions could not reach it
});
afterAll(async () => {
  await database.drop();
  await rm(data, { recursive: true, force: true });
});

itWith(SHELL)('ends a typed command with its worker, does not rerun it, and records its outcome as unknown', async () => {
  const start = (lockMs: number) =>
    ServerProcess.start({ DATABASE_URL: database.ownerUrl, DATA_DIR: data, TOOLS: 'Bash', JOB_LOCK_MS: String(lockMs), LOG_LEVEL: 'warn' });
  const first = await start(3_000); // its loss is noticed soon
  const token = await makeTenant(database.appUrl, 'shell');
  let client = first.client(token);
  const id = await client.session();
  const mark = randomUUID();
  const stream = await client.stream(id);
  await stream.untilType('synced');
  const { body } = await client.prompt(id, `echo run >> runs; cat runs; sleep 600; : ${mark}`, { mode: 'bash' });
  await stream.untilType('tool.progress');
  await first.kill();
  stream.close();

  const second = await start(60_000); // which no pause of the machine makes lose its turns
  client = second.client(token);
  expect(await client.settled(id, body.turnId)).toMatchObject({ status: 'completed', requests: [] });
  expect((await client.messages(id)).map((message) => message.content)[1]).toBe(`<bash-stdout>${OUTCOME_UNKNOWN}</bash-stdout>`);
  await until('the command has ended', async () => !execFileSync('ps', ['axo', 'args']).toString().includes(mark));
  const after = await client.ask(id, 'cat runs', { mode: 'bash' });
  expect((await client.messages(id)).at(-1).content).toBe('<bash-stdout>run</bash-stdout>');
  await expectNothingLost(client, id, [body.promptId, after.promptId]);
  await second.kill();
  expect(await turnJobViolations(database.ownerUrl)).toEqual([]);
});
