import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { EventStore, Outbox } from '../../src/core/ports.js';
import { append, ids, job } from '../support/appends.js';

type Stores = { readonly events: EventStore; readonly outbox: Outbox };

const LONG = 60_000;

/** Jobs on their way from an append to the queue. */
export function outboxContract(open: () => Promise<Stores>): void {
  let events: EventStore;
  let outbox: Outbox;

  beforeAll(async () => {
    ({ events, outbox } = await open());
  });
  beforeEach(async () => {
    await outbox.confirm((await outbox.claim(1_000, LONG)).map(({ claim }) => claim));
  });

  it('hands out the jobs of an append, in order', async () => {
    const of = ids();
    const jobs = Array.from({ length: 12 }, () => job(of));
    await events.append(append(of, 0, { jobs }));
    const claimed = await outbox.claim(100, LONG);
    expect(claimed).toEqual(jobs.map((waiting) => ({ ...waiting, claim: expect.any(String) })));
  });

  it('knows no jobs of an append that was refused or repeated', async () => {
    const of = ids();
    const given = append(of, 0, { jobs: [job(of)] });
    await events.append(given);
    await outbox.confirm((await outbox.claim(10, LONG)).map(({ claim }) => claim));
    await events.append(given);
    await events.append(append(of, 0, { jobs: [job(of)] }));
    await events.append(append({ ...of, tenantId: randomUUID() }, 1, { jobs: [job(of)] }));
    expect(await outbox.claim(10, LONG)).toEqual([]);
  });

  it('gives a job to one taker at a time, and to the next when the lease is over', async () => {
    const of = ids();
    await events.append(append(of, 0, { jobs: [job(of), job(of), job(of)] }));
    const taken = await outbox.claim(2, 0);
    expect(taken).toHaveLength(2);
    const again = await outbox.claim(10, LONG);
    expect(again.map(({ id }) => id).toSorted()).toEqual(expect.arrayContaining(taken.map(({ id }) => id)));
    expect(again).toHaveLength(3);
    expect(await outbox.claim(10, LONG)).toEqual([]);
  });

  it('shares jobs out among takers who come at once', async () => {
    const of = ids();
    const jobs = Array.from({ length: 60 }, () => job(of));
    await events.append(append(of, 0, { jobs }));
    const shares = await Promise.all(Array.from({ length: 8 }, () => outbox.claim(10, LONG)));
    const rest = await outbox.claim(100, LONG);
    const handed = [...shares.flat(), ...rest].map(({ id }) => id);
    expect(handed.toSorted()).toEqual(jobs.map(({ id }) => id).toSorted());
  });

  it('forgets a job that was confirmed, and only that', async () => {
    const of = ids();
    await events.append(append(of, 0, { jobs: [job(of), job(of)] }));
    const [first, second] = await outbox.claim(10, 0);
    await outbox.confirm([first!.claim]);
    await outbox.confirm([first!.claim]);
    await outbox.confirm([]);
    expect((await outbox.claim(10, LONG)).map(({ id }) => id)).toEqual([second!.id]);
  });

  it('takes a job that waits already for the same job', async () => {
    const of = ids();
    const same = job(of);
    await events.append(append(of, 0, { jobs: [same] }));
    await events.append(append(of, 1, { jobs: [same, job(of)] }));
    expect(await outbox.claim(10, LONG)).toHaveLength(2);
  });
}
