import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import net from 'node:net';
import { withConnection } from '../../src/platform/postgres/connect.js';
import type { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { expectNothingLost } from '../support/ledger.js';
import { ServerProcess } from '../support/process.js';
import { type Fault, held, type StandIn, startStandIn } from '../support/stand-in-server.js';
import { isListening } from '../support/port.js';
import { makeTenant } from '../support/tenant.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let token: string;
let api: StandIn;
const running = new Set<ServerProcess>();

beforeAll(async () => {
  api = await startStandIn();
  database = await freshDatabase();
  token = await makeTenant(database.appUrl, 'shutdown');
});
afterEach(async () => {
  await Promise.all([...running].map((server) => server.kill()));
  running.clear();
});
afterAll(async () => {
  await api.close();
  await database.drop();
});

/** Of an answer that is never whole: whatever ends it is not its end. */
const ENDLESS: Fault = { kind: 'stall', after: 20 };

async function start(environment: Record<string, string> = {}): Promise<ServerProcess> {
  const model = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
  const server = await ServerProcess.start({ ...model, LOG_LEVEL: 'warn', DATABASE_URL: database.ownerUrl, ...environment });
  running.add(server);
  return server;
}

const readiness = (client: Client) => client.get('/health/ready');

describe('a worker that gets SIGTERM', () => {
  it('returns a streaming turn at once to another worker, which repeats the request; nothing is lost, and no lock has to expire', async () => {
    // A lock that outlasts the test: the turn continues only if it was returned.
    const environment = { ROLE: 'worker', JOB_LOCK_MS: '600000', STALLED_AFTER_MS: '600000', SHUTDOWN_GRACE_MS: '200' };
    const client = (await start({ ROLE: 'api' })).client(token);
    const first = await start(environment);
    const id = await client.session();
    const stream = await client.stream(id);
    api.next(ENDLESS);
    const prompt = (await client.prompt(id, '{{long 150}}')).body;
    const next = (await client.prompt(id, 'and then this')).body;
    await stream.untilType('message.delta');
    expect(await first.stop()).toBe(0);
    await start(environment);
    expect((await client.settled(id, prompt.turnId)).requests.map((request: { status: string }) => request.status)).toEqual(['failed', 'completed']);
    expect((await client.settled(id, next.turnId)).status).toBe('completed');
    stream.close();
    await expectNothingLost(client, id, [prompt.promptId, next.promptId]);
  });

  it('returns the turns that it runs without the queue, and those that wait for them', async () => {
    const environment = { TURN_DISPATCH: 'direct', JOB_LOCK_MS: '600000', STALLED_AFTER_MS: '600000', SHUTDOWN_GRACE_MS: '200' };
    const [first, second] = [await start(environment), await start(environment)];
    const client = first.client(token);
    const id = await client.session();
    const stream = await client.stream(id);
    api.next(ENDLESS);
    const prompt = (await client.prompt(id, '{{long 250}}')).body;
    const next = (await client.prompt(id, 'and then this')).body;
    await stream.untilType('message.delta');
    const held = "SELECT count(*)::int AS held FROM outbox WHERE holder IS NOT NULL AND job_id = '" + prompt.turnId + "'";
    const { rows } = await withConnection(database.ownerUrl, 60_000, (owner) => owner.query<{ held: number }>(held));
    expect(rows).toEqual([{ held: 1 }]);
    expect(await first.stop()).toBe(0);
    const after = second.client(token);
    expect((await after.settled(id, prompt.turnId)).requests.map((request: { status: string }) => request.status)).toEqual(['failed', 'completed']);
    expect((await after.settled(id, next.turnId)).status).toBe('completed');
    stream.close();
    await expectNothingLost(after, id, [prompt.promptId, next.promptId]);
  });

  it('is not ready, finishes its turn, and accepts prompts for the next process', async () => {
    const server = await start({ SHUTDOWN_GRACE_MS: '60000' });
    const client = server.client(token);
    expect((await readiness(client)).status).toBe(200);
    const [id, other] = [await client.session(), await client.session()];
    const stream = await client.stream(id);
    const answer = held(20);
    api.next(answer.fault);
    const prompt = (await client.prompt(id, '{{long 150}}')).body;
    await stream.untilType('message.delta');
    server.signal('SIGTERM');
    await until('it is not ready', async () => (await readiness(client)).status === 503);
    expect((await readiness(client)).body).toMatchObject({ code: 'unavailable', draining: true });
    expect((await client.get('/health/live')).status).toBe(200);
    const late = (await client.prompt(other, 'a late one')).body;
    answer.release();
    expect((await stream.untilType('turn.completed')).data.data.turnId).toBe(prompt.turnId);
    expect(await server.exited).toBe(0);

    const after = (await start()).client(token);
    expect((await after.settled(other, late.turnId)).status).toBe('completed');
    await expectNothingLost(after, id, [prompt.promptId]);
    await expectNothingLost(after, other, [late.promptId]);
  });

  it('treats two signals at once, as from npm and the terminal, as one', async () => {
    const server = await start({ SHUTDOWN_GRACE_MS: '60000' });
    const client = server.client(token);
    const id = await client.session();
    const stream = await client.stream(id);
    const answer = held(20);
    api.next(answer.fault);
    const prompt = (await client.prompt(id, '{{long 150}}')).body;
    await stream.untilType('message.delta');
    // Of two kinds: the kernel makes one of two that are pending of the same kind.
    server.signal('SIGINT');
    server.signal('SIGTERM');
    await until('it is not ready', async () => (await readiness(client)).status === 503);
    answer.release();
    expect((await stream.untilType('turn.completed')).data.data.turnId).toBe(prompt.turnId);
    expect(await server.exited).toBe(0);
  });

  it('ends at once on a second signal', async () => {
    const server = await start({ SHUTDOWN_GRACE_MS: '600000', JOB_LOCK_MS: '1000' });
    const client = server.client(token);
    const id = await client.session();
    const stream = await client.stream(id);
    api.next(ENDLESS);
    const prompt = (await client.prompt(id, '{{long 300}}')).body;
    await stream.untilType('message.delta');
    server.signal('SIGTERM');
    await until('it has heard', async () => (await readiness(client)).status === 503);
    const again = setInterval(() => server.signal('SIGTERM'), 100); // the first of them may still count as the same request
    expect(await server.exited.finally(() => clearInterval(again))).toBe(1);
    const after = (await start({ JOB_LOCK_MS: '1000' })).client(token);
    expect((await after.settled(id, prompt.turnId)).status).toBe('completed');
    await expectNothingLost(after, id, [prompt.promptId]);
  });
});

describe('an api that gets SIGTERM', () => {
  it('finishes the running request, ends its streams, and accepts no more connections', async () => {
    const [server, other] = [await start({ ROLE: 'api' }), await start()];
    const client = server.client(token);
    const id = await client.session();
    await client.ask(id, 'before');
    const followed = await client.stream(id);
    await followed.untilType('synced');

    // Half of a request has arrived when the signal comes.
    const { hostname, port } = new URL(server.url);
    const socket = net.connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    const body = JSON.stringify({ input: 'sent slowly' });
    const head = [
      `POST /v1/sessions/${id}/prompts HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await until('the request is under way', async () => answer === 'HTTP/1.1 100 Continue\r\n\r\n');
    answer = '';
    socket.write(body.slice(0, 5));
    server.signal('SIGTERM');
    await followed.ended;
    expect(followed.cutOff).toBe(false);
    await until('the port is closed', async () => !(await isListening(Number(port))));
    socket.write(body.slice(5));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 202 /);
    const accepted = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    expect(await server.exited).toBe(0);

    // A reader resumes at another process after its last event.
    const last = followed.stored().at(-1)!.id!;
    const resumed = await other.client(token).stream(id, { 'last-event-id': last });
    await resumed.until((event) => event.event === 'turn.completed' && event.data.data.turnId === accepted.turnId);
    const seqs = [...followed.stored(), ...resumed.stored()].map((event) => Number(event.id));
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    resumed.close();
  });
});
