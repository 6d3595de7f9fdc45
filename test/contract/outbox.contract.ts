import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { EventStore, Job, Outbox } from '../../src/core/ports.js';
import { append, appended, type Ids, ids, job } from '../support/appends.js';

type Stores = { readonly events: EventStore; readonly outbox: Outbox };

const LONG = 60_000;
const MANY = 1_000;

/** Jobs on their way from an append to their end. */
export function outboxContract(open: () => Promise<Stores>): void {
  let events: EventStore;
  let outbox: Outbox;

  beforeAll(async () => {
    ({ events, outbox } = await open());
  });
  beforeEach(async () => {
    await outbox.redeliver();
    for (let left = await outbox.lease(MANY, MANY, LONG); left.length > 0; left = await outbox.lease(MANY, MANY, LONG))
      await outbox.finish(left.map(({ id }) => id));
  });

  const lease = async (limit = MANY, perTenant = MANY, leaseMs = LONG): Promise<readonly Job[]> => outbox.lease(limit, perTenant, leaseMs);
  const idsOf = (jobs: readonly Job[]): readonly string[] => jobs.map(({ id }) => id);
  /** A session of that tenant with so many jobs. */
  const waiting = async (tenantId: string, count: number): Promise<readonly Job[]> => {
    const of = { ...ids(), tenantId };
    const jobs = Array.from({ length: count }, () => job(of));
    await events.append(append(of, 0, { jobs }));
    return jobs;
  };

  it('lets out the jobs of an append, in order', async () => {
    const jobs = await waiting(randomUUID(), 12);
    expect(await lease()).toEqual(jobs);
    expect(await lease()).toEqual([]);
  });

  it('knows no jobs of an append that was refused or repeated', async () => {
    const of = ids();
    const given = append(of, 0, { jobs: [job(of)] });
    await events.append(given);
    await outbox.finish(idsOf(await lease()));
    await events.append(given);
    await events.append(append(of, 0, { jobs: [job(of)] }));
    await events.append(append({ ...of, tenantId: randomUUID() }, 1, { jobs: [job(of)] }));
    expect(await lease()).toEqual([]);
  });

  it('lets a job out again when it was not done in time, and when the queue may have lost it', async () => {
    const jobs = await waiting(randomUUID(), 3);
    expect(await lease(MANY, MANY, 0)).toEqual(jobs);
    expect(idsOf(await lease()).toSorted()).toEqual(idsOf(jobs).toSorted());
    expect(await lease()).toEqual([]);
    await outbox.redeliver();
    expect(idsOf(await lease()).toSorted()).toEqual(idsOf(jobs).toSorted());
  });

  it('shares jobs out among takers who come at once', async () => {
    const jobs = await waiting(randomUUID(), 60);
    const shares = await Promise.all(Array.from({ length: 8 }, () => lease(10)));
    const handed = [...shares.flat(), ...(await lease())];
    expect(idsOf(handed).toSorted()).toEqual(idsOf(jobs).toSorted());
  });

  it('forgets a job that is done, and only that', async () => {
    const [first, second] = await waiting(randomUUID(), 2);
    await lease(MANY, MANY, 0);
    await outbox.finish([first!.id]);
    await outbox.finish([first!.id]);
    await outbox.finish([]);
    expect(await lease()).toEqual([second]);
  });

  it('takes a job that waits already for the same job', async () => {
    const of = ids();
    const same = job(of);
    await events.append(append(of, 0, { jobs: [same] }));
    await events.append(append(of, 1, { jobs: [same, job(of)] }));
    expect(await lease()).toHaveLength(2);
  });

  it('lets only so many jobs of a tenant out at a time, and the next as places come free', async () => {
    const tenant = randomUUID();
    const jobs = await waiting(tenant, 7);
    const shares = await Promise.all(Array.from({ length: 5 }, () => lease(MANY, 3)));
    expect(shares.flat()).toEqual(jobs.slice(0, 3));
    expect(await outbox.finish([jobs[1]!.id, jobs[2]!.id])).toBe(true);
    expect(await lease(MANY, 3)).toEqual(jobs.slice(3, 5));
    expect(await outbox.finish(idsOf(jobs.slice(0, 4)))).toBe(true);
    expect(await lease(MANY, 3)).toEqual(jobs.slice(5));
    expect(await outbox.finish(idsOf(jobs.slice(4)))).toBe(false);
  });

  it('lets the tenant with the fewest jobs out come first, however many another has waiting', async () => {
    const [busy, calm, other] = [randomUUID(), randomUUID(), randomUUID()];
    const flood = await waiting(busy, 50);
    expect(await lease(4)).toEqual(flood.slice(0, 4));
    const [single] = await waiting(calm, 1);
    const pair = await waiting(other, 2);
    const next = await lease(5);
    expect(
      next
        .slice(0, 2)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([single!.id, pair[0]!.id].toSorted());
    expect(next.slice(2)).toEqual([pair[1], flood[4], flood[5]]);
  });

  it('gives a job to running turns that have none and have made no step, the longest waiting first', async () => {
    const running = async (jobs: (of: Ids, turnId: string) => readonly Job[]): Promise<{ readonly job: Job; readonly time: number; readonly of: Ids }> => {
      const of = ids();
      const turnId = randomUUID();
      const [event] = appended(await events.append(append(of, 0, { summary: { status: 'running', turnId }, jobs: jobs(of, turnId) })));
      return { job: { ...job(of, turnId), id: `${turnId}.requeued` }, time: Date.parse(event!.time), of };
    };
    const [lost, other] = [await running(() => []), await running(() => [])];
    const resumed = await running((of, turnId) => [{ ...job(of, turnId), id: `${turnId}.7` }]);
    await events.append(append(ids(), 0));
    await outbox.requeueOrphaned(lost.time, MANY); // sessions of earlier tests may be among them
    expect(idsOf(await lease())).not.toContain(lost.job.id);
    expect(await outbox.requeueOrphaned(resumed.time + 1, 1)).toBe(1);
    expect(await outbox.requeueOrphaned(resumed.time + 1, MANY)).toBe(1);
    expect(await outbox.requeueOrphaned(resumed.time + 1, MANY)).toBe(0);
    expect(idsOf(await lease()).toSorted()).toEqual([lost.job.id, other.job.id].toSorted());
    await outbox.finish([lost.job.id]);
    await events.append(append(lost.of, 1, { summary: { status: 'idle' } }));
    expect(await outbox.requeueOrphaned(resumed.time + 1_000, MANY)).toBe(0);
  });
}
