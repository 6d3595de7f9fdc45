import { afterAll, beforeAll, expect } from '@jest/globals';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { itWith, SHELL } from '../support/needs.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';
import { call } from '../support/tool-server.js';

let database: TestDatabase;
let data: string;
let token: string;
const running: ServerProcess[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  data = await mkdtemp(path.join(tmpdir(), 'verbatim-snapshots-'));
  await chmod(data, 0o711); // for the accounts of sessions
  token = await makeTenant(database.appUrl, 'snapshots');
});
afterAll(async () => {
  await Promise.all(running.map((server) => server.kill()));
  await database.drop();
  await rm(data, { recursive: true, force: true });
});

const start = async (disk: string): Promise<ServerProcess> => {
  const server = await ServerProcess.start({
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: path.join(data, disk),
    WORKSPACES_DIR: path.join(data, `${disk}-workspaces`),
    TOOLS: 'Bash',
    WORKSPACE_HISTORY: 'true',
    JOB_LOCK_MS: '3000',
    LOG_LEVEL: 'warn',
  });
  running.push(server);
  return server;
};

const STEPS = 6;
/** When the worker is killed: at the first, second or later event of the type. After `tool.progress` a step is over whose files are not recorded yet. */
const MOMENTS = [
  ['tool.progress', 3],
  ['workspace.changed', 2],
  ['tool.completed', 4],
] as const;

itWith(SHELL)('of a worker that is killed with its disk, every step whose end is in the log has its files there, and the next worker has them', async () => {
  for (const [round, [type, step]] of MOMENTS.entries()) {
    const first = await start(`disk-${round}`);
    let client = first.client(token);
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    const stream = await client.stream(id);
    await stream.untilType('synced');
    // The calls of one answer run at the same time: each ends a little later than the one before.
    const prompt = Array.from({ length: STEPS }, (_, n) => call('Bash', { command: `sleep ${n * 0.4}; printf 'step ${n}' > made-${n}; echo over` })).join('');
    const { turnId, promptId } = (await client.prompt(id, prompt)).body;
    let seen = 0;
    await stream.until((event) => event.event === type && (seen += 1) === step);
    stream.close();
    await first.kill();
    await rm(path.join(data, `disk-${round}-workspaces`), { recursive: true, force: true });

    const second = await start(`disk-${round}-of-another`);
    client = second.client(token);
    expect((await client.settled(id, turnId)).status).toBe('completed');
    const calls = (await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body.toolCalls as readonly UnknownObject[];
    const made = calls.filter(({ outcome }) => outcome === 'finished').map(({ input }) => /made-\d/.exec(input.command)![0]);
    const listed = (await client.get(`/v1/sessions/${id}/files`)).body.data.map((file: UnknownObject) => file.path);
    expect(listed).toEqual(expect.arrayContaining(made));
    expect((type === 'tool.completed' ? made : listed).length).toBeGreaterThanOrEqual(type === 'tool.progress' ? 0 : step);
    const after = await client.ask(id, `cat /dev/null ${made.join(' ')}; echo .`, { mode: 'bash' });
    expect((await client.messages(id)).at(-1)!.content).toBe(`<bash-stdout>${made.map((name) => `step ${name.slice(-1)}`).join('')}.</bash-stdout>`);
    await expectNothingLost(client, id, [promptId, after.promptId]);
    await second.stop();
  }
});
