import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client, UnknownObject } from '../support/client.js';
import { expectNothingLost } from '../support/ledger.js';
import type { ServerProcess } from '../support/process.js';
import { Chance } from '../support/random.js';
import { describeWith, LONG_TESTS, REDIS_SERVER } from '../support/needs.js';
import { turnJobViolations } from '../support/turn-jobs.js';
import { until } from '../support/until.js';
import { Deployment } from './support/deployment.js';

const SESSIONS = 8;

describe('a worker that is frozen past its lock, Postgres queue', () => frozenWorker(false));
describeWith(REDIS_SERVER, LONG_TESTS)('a worker that is frozen past its lock, Redis queue', () => frozenWorker(true));

function frozenWorker(withRedis: boolean): void {
  let deployment: Deployment;
  let client: Client;

  beforeAll(async () => {
    deployment = await Deployment.start(withRedis ? 'redis' : 'postgres');
    client = await deployment.api(new Chance(1));
  });
  afterAll(() => deployment.stop());

  const turnOf = async ({ id, turnId }: { readonly id: string; readonly turnId: string }): Promise<UnknownObject> =>
    (await client.get(`/v1/sessions/${id}/turns/${turnId}`)).body;

  it('loses its turns to another worker and, once resumed, changes nothing: each turn keeps its job until it ends', async () => {
    const [one, other] = deployment.servers('worker') as readonly [ServerProcess, ServerProcess];
    other.signal('SIGSTOP');
    const prompts = await Promise.all(
      Array.from({ length: SESSIONS }, async () => {
        const id = await client.session();
        const { promptId, turnId } = (await client.prompt(id, '{{slow 60}}{{long 150}}')).body;
        return { id, promptId: promptId as string, turnId: turnId as string };
      }),
    );
    const allHaveSent = (count: number) => async (): Promise<boolean> =>
      (await Promise.all(prompts.map(turnOf))).every(({ requests, endedAt }) => requests.length >= count || endedAt !== null);
    await until('the first worker streams all answers', allHaveSent(1));
    one.signal('SIGSTOP');
    other.signal('SIGCONT');
    await until('the second worker has taken over all turns', allHaveSent(2));
    one.signal('SIGCONT');
    expect((await Promise.all(prompts.map(turnOf))).some(({ requests }) => requests.length >= 2)).toBe(true);

    const violations: unknown[] = [];
    await until(
      'all turns have ended',
      async () => {
        violations.push(...(await turnJobViolations(deployment.databaseUrl)));
        return (await Promise.all(prompts.map(turnOf))).every(({ endedAt }) => endedAt !== null);
      },
      60,
    );
    expect(violations).toEqual([]);
    for (const { id, promptId, turnId } of prompts) {
      const requests: readonly UnknownObject[] = (await turnOf({ id, turnId })).requests;
      // More than one take-over is possible: on a busy machine the second worker may miss its own lock's renewal.
      const outcomes = requests.map(({ status, error }) => error?.code ?? status);
      expect(outcomes.toSpliced(-1)).toEqual(outcomes.slice(1).map(() => 'worker_lost'));
      expect(outcomes.at(-1)).toBe('completed');
      await expectNothingLost(client, id, [promptId]);
    }
    expect(await turnJobViolations(deployment.databaseUrl)).toEqual([]);
  });
}
