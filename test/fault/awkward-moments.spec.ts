import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { BullJobQueue } from '../../src/platform/queue/bull-job-queue.js';
import { postgresBackend } from '../../src/platform/queue/postgres-backend.js';
import { redisBackend } from '../../src/platform/queue/redis-backend.js';
import { Chance } from '../support/random.js';
import type { Client, UnknownObject } from '../support/client.js';
import { expectLedger, expectNothingLost } from '../support/ledger.js';
import { describeWith, LONG_TESTS, REDIS_SERVER } from '../support/needs.js';
import { turnJobViolations } from '../support/turn-jobs.js';
import { until } from '../support/until.js';
import { Deployment } from './support/deployment.js';
import { Follower } from './support/follower.js';
import { Patient } from './support/patient.js';

describe('faults in the middle of a turn, Postgres queue', () => moments(false));
describeWith(REDIS_SERVER, LONG_TESTS)('faults in the middle of a turn, Redis queue', () => moments(true));

function moments(withRedis: boolean): void {
  const chance = new Chance(1);
  let deployment: Deployment;
  let patient: Patient;

  beforeAll(async () => {
    deployment = await Deployment.start(withRedis ? 'redis' : 'postgres');
    patient = new Patient(deployment, chance);
  });
  afterEach(async () => expect(await turnJobViolations(deployment.databaseUrl)).toEqual([]));
  afterAll(() => deployment.stop());

  const client = (): Promise<Client> => deployment.api(chance);
  const settled = async (id: string, turnId: string): Promise<UnknownObject> => {
    for (;;) {
      const { body } = await patient.get(`/v1/sessions/${id}/turns/${turnId}?wait=5`);
      if (body.endedAt !== null) return body;
    }
  };
  /** BullMQ's own, on whatever the deployment uses. */
  const withQueue = async <Result>(use: (queue: BullJobQueue) => Promise<Result>): Promise<Result> => {
    const backend = deployment.redis ? redisBackend({ url: deployment.redis.url }) : postgresBackend({ url: deployment.appUrl });
    const queue = new BullJobQueue({ backend, lockMs: 1_000, report: () => undefined });
    try {
      return await use(queue);
    } finally {
      await queue.stop(0);
    }
  };
  const workers = (signal: NodeJS.Signals): void => deployment.servers('worker').forEach((worker) => worker.signal(signal));

  it('a worker that is frozen past its lock and resumes while another has its turn does no harm', async () => {
    const api = await client();
    const id = await api.session();
    const stream = await api.stream(id);
    const { promptId, turnId } = (await api.prompt(id, '{{slow 15}}{{long 150}}')).body;
    await stream.untilType('message.delta');
    // Whichever has the turn: one sleeps until the turn has been asked for again.
    const [one, other] = deployment.servers('worker');
    for (const worker of [one!, other!]) {
      worker.signal('SIGSTOP');
      const sent = (await api.get(`/v1/sessions/${id}/requests`)).body.data.length;
      await until(
        'the turn continues, here or there',
        async () => {
          const turn = (await api.get(`/v1/sessions/${id}/turns/${turnId}`)).body;
          return turn.endedAt !== null || turn.requests.length > sent || stream.events.length > 400;
        },
        60,
      );
      worker.signal('SIGCONT');
    }
    expect((await settled(id, turnId)).status).toBe('completed');
    const next = await api.ask(id, 'and on');
    expect(next.status).toBe('completed');
    stream.close();
    await expectNothingLost(api, id, [promptId, next.promptId]);
  });

  it('jobs of the queue that have no row in the outbox run nothing', async () => {
    const api = await client();
    const id = await api.session();
    const stream = await api.stream(id);
    const { promptId, turnId } = (await api.prompt(id, '{{slow 10}}{{long 100}}')).body;
    const tenantId = (await api.get('/v1/me')).body.tenantId;
    await stream.untilType('message.delta');
    await withQueue((queue) =>
      queue.add([1, 2, 3].map((copy) => ({ queue: 'turns', id: `${turnId}.copy${copy}`, payload: { tenantId, sessionId: id, turnId } }))),
    );
    expect((await settled(id, turnId)).status).toBe('completed');
    stream.close();
    await expectNothingLost(api, id, [promptId]);
  });

  it('Postgres crashes while an answer streams: the turn completes and its reader misses no event', async () => {
    const api = await client();
    const id = await api.session();
    const follower = new Follower(deployment, id, chance);
    const { promptId, turnId } = (await api.prompt(id, '{{slow 15}}{{long 150}}')).body;
    await follower.events.until((events) => events.some((event) => event.type === 'request.sent'));
    await deployment.killPostgres();
    expect((await settled(id, turnId)).status).toBe('completed');
    await follower.events.until((events) => events.some((event) => event.type === 'turn.completed'));
    await follower.close();
    await expectLedger(await client(), id, { prompts: [{ promptId, sentAt: 0, acceptedAt: 1 }], followed: follower.events.items.map((event) => event.seq) });
  });

  it('both API processes are killed while a client follows: it resumes after its last event', async () => {
    const api = await client();
    const id = await api.session();
    const follower = new Follower(deployment, id, chance);
    const { promptId, turnId } = (await api.prompt(id, '{{slow 15}}{{long 150}}')).body;
    await follower.events.until((events) => events.some((event) => event.type === 'request.sent'));
    await deployment.killAll('api');
    expect((await settled(id, turnId)).status).toBe('completed');
    await follower.events.until((events) => events.some((event) => event.type === 'turn.completed'));
    await follower.close();
    const events = await (await client()).events(id);
    // The turn never noticed: no client has to be there for it.
    expect(events.filter((event) => event.type === 'request.sent')).toHaveLength(1);
    await expectLedger(await client(), id, { prompts: [{ promptId, sentAt: 0, acceptedAt: 1 }], followed: follower.events.items.map((event) => event.seq) });
  });

  if (!withRedis) return;

  it('Redis is emptied while turns are queued: all of them run', async () => {
    const api = await client();
    const ids = await Promise.all(Array.from({ length: 12 }, () => api.session()));
    workers('SIGSTOP');
    const prompts = await Promise.all(ids.map(async (id) => (await api.prompt(id, 'waiting')).body));
    await withQueue((queue) => until('all wait', async () => (await (await queue.inner()).getJobCounts('waiting'))['waiting'] === ids.length));
    await deployment.redis!.flush();
    workers('SIGCONT');
    for (const [index, id] of ids.entries()) {
      expect((await settled(id, prompts[index].turnId)).status).toBe('completed');
      await expectNothingLost(api, id, [prompts[index].promptId]);
    }
  });
}
