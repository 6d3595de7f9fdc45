import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expectNothingLost } from '../support/ledger.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { ServerProcess } from '../support/process.js';
import { describeWith, describeWithRedis, LONG_TESTS } from '../support/needs.js';
import type { UnknownObject } from '../support/client.js';
import { type Fault, held, startStandIn } from '../support/stand-in-server.js';
import { until } from '../support/until.js';
import { makeTenant } from '../support/tenant.js';
import { turnJobViolations } from '../support/turn-jobs.js';

/** Short, so that a lost worker is noticed soon. */
const HASTY = { JOB_LOCK_MS: '1000', STALLED_AFTER_MS: '2000', LOG_LEVEL: 'warn' };

describe('kill -9', () => killed({}));
describeWith(LONG_TESTS)('kill -9, every turn through the queue', () => killed({ TURN_DISPATCH: 'queue' }));
describeWithRedis('kill -9, with Redis', (url) => killed({ REDIS_URL: url }), LONG_TESTS);

function killed(backend: Record<string, string>): void {
  let database: TestDatabase;
  let token: string;
  const running = new Set<ServerProcess>();

  const start = async (environment: Record<string, string> = {}): Promise<ServerProcess> => {
    const server = await ServerProcess.start({ ...HASTY, ...backend, DATABASE_URL: database.ownerUrl, ...environment });
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

  it('during a turn: after a restart the turn finishes, the queue drains, nothing is lost or duplicated', async () => {
    const first = await start();
    let client = first.client(token);
    const id = await client.session();
    const done = await client.ask(id, 'before');
    const stream = await client.stream(id);
    const running1 = (await client.prompt(id, '{{slow 10}}{{long 400}}')).body;
    const waiting = (await client.prompt(id, 'after')).body;
    await stream.untilType('message.delta');
    const before = await client.messages(id);
    await first.kill();
    stream.close();

    client = (await start()).client(token);
    expect((await client.messages(id)).slice(0, before.length)).toEqual(before);
    expect((await client.settled(id, running1.turnId)).status).toBe('completed');
    expect((await client.settled(id, waiting.turnId)).status).toBe('completed');
    await expectNothingLost(client, id, [done.promptId, running1.promptId, waiting.promptId]);
  });

  it('of one worker of two: the other takes its turns over', async () => {
    const api = await start({ ROLE: 'api' });
    const workers = [await start({ ROLE: 'worker' }), await start({ ROLE: 'worker' })];
    const client = api.client(token);
    const sessions = await Promise.all(Array.from({ length: 6 }, () => client.session()));
    const stream = await client.stream(sessions[0]!);
    await stream.untilType('synced');
    const prompts = await Promise.all(sessions.map(async (id) => (await client.prompt(id, '{{slow 10}}{{long 200}}')).body));
    await stream.untilType('message.delta');
    stream.close();
    await workers[0]!.kill();
    for (const [index, id] of sessions.entries()) {
      expect((await client.settled(id, prompts[index].turnId)).status).toBe('completed');
      await expectNothingLost(client, id, [prompts[index].promptId]);
    }
  });

  it('is not needed: a process that gets SIGTERM finishes what it can and returns the rest', async () => {
    const api = await startStandIn();
    const model = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
    const first = await start({ ...model, SHUTDOWN_GRACE_MS: '8000' });
    const client = first.client(token);
    const answering = async (fault: Fault): Promise<{ readonly id: string; readonly prompt: UnknownObject }> => {
      const id = await client.session();
      const stream = await client.stream(id);
      await stream.untilType('synced');
      api.next(fault);
      const prompt = (await client.prompt(id, '{{long 40}}')).body;
      await stream.untilType('message.delta');
      stream.close();
      return { id, prompt };
    };
    const written = held(20);
    const { id: short, prompt: quick } = await answering(written.fault);
    const { id: long, prompt: slow } = await answering({ kind: 'stall', after: 20 });
    first.signal('SIGTERM');
    await until('it has heard', async () => (await client.get('/health/ready')).status === 503);
    written.release();
    expect(await first.exited).toBe(0);

    const later = (await start({ ROLE: 'api' })).client(token);
    expect((await later.get(`/v1/sessions/${short}/turns/${quick.turnId}`)).body.status).toBe('completed');
    expect((await later.get(`/v1/sessions/${long}/turns/${slow.turnId}`)).body.status).toBe('running');
    await start({ ...model, ROLE: 'worker' });
    expect((await later.settled(long, slow.turnId)).status).toBe('completed');
    await expectNothingLost(later, long, [slow.promptId]);
    await api.close();
  });

  it('again and again, while prompts keep coming', async () => {
    const api = await start({ ROLE: 'api' });
    const client = api.client(token);
    const id = await client.session();
    const prompts: { promptId: string; turnId: string }[] = [];
    for (let round = 0; round < 4; round += 1) {
      const worker = await start({ ROLE: 'worker' });
      const stream = await client.stream(id, {}, `?after=${(await client.get(`/v1/sessions/${id}`)).body.version}`);
      prompts.push((await client.prompt(id, `{{slow 3}}{{long 60}} round ${round}`)).body);
      await stream.until((event) => event.event === (round % 2 === 0 ? 'message.delta' : 'request.sent'));
      stream.close();
      await worker.kill();
    }
    await start({ ROLE: 'worker' });
    for (const prompt of prompts) expect((await client.settled(id, prompt.turnId)).status).toBe('completed');
    await expectNothingLost(
      client,
      id,
      prompts.map((prompt) => prompt.promptId),
    );
  });
}

describe('a first start with nothing installed', () => {
  it('creates a database and a token, survives kill -9, and is unchanged after a restart', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'verbatim-'));
    const environment = { ...HASTY, DATA_DIR: path.join(directory, 'data'), LOG_LEVEL: 'info' };
    let server = await ServerProcess.start(environment);
    try {
      const file = path.join(directory, 'data', 'dev-token');
      const token = (await readFile(file, 'utf8')).trim();
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await server.said(/curl/);
      expect(server.printed()).toContain('offline');
      const id = await server.client(token).session();
      const prompt = (await server.client(token).prompt(id, '{{slow 10}}{{long 300}}')).body;
      await server.kill();

      server = await ServerProcess.start(environment);
      expect(server.printed()).not.toContain(token);
      await server.said(/#vbc_/);
      const [, code] = /\/console\/sign-in#(vbc_\S+)/.exec(server.printed())!;
      expect((await server.client(token).as(null).post('/v1/sign-in', { code })).body.userName).toBe('first user');
      expect((await server.client(token).settled(id, prompt.turnId)).status).toBe('completed');
      await expectNothingLost(server.client(token), id, [prompt.promptId]);
      await expect(ServerProcess.start({ ...environment, HOST: '0.0.0.0' })).rejects.toThrow('the token of the first start');
    } finally {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
