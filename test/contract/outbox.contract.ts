import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventStore, Job, Outbox, TurnClaim } from '../../src/ports/index.js';
import { append, closed, type Ids, ids, job } from '../support/appends.js';

type Stores = { readonly events: EventStore; readonly outbox: Outbox };

const LONG = 60_000;
const MANY = 1_000;

/** Jobs from the append that adds them to the append that completes them. */
export function outboxContract(open: () => Promise<Stores>): void {
  let events: EventStore;
  let outbox: Outbox;

  beforeAll(async () => {
    ({ events, outbox } = await open());
  });
  beforeEach(async () => {
    await outbox.redeliver();
    for (let left = await lease(); left.length > 0; left = await lease()) {
      for (const { id, payload } of left) await complete(payload.tenantId, [id]);
    }
  });

  const lease = async (limit = MANY, perTenant = MANY, leaseMs = LONG): Promise<readonly Job[]> => (await outbox.lease(limit, perTenant, leaseMs)).jobs;
  /** An append that ends the turns of these jobs. Whether the tenant has pending jobs. */
  const complete = async (tenantId: string, completedJobs: readonly string[]): Promise<boolean> => {
    const outcome = await events.append(append({ ...ids(), tenantId }, 0, { completedJobs }));
    return outcome.kind === 'appended' && outcome.jobsPending;
  };
  const idsOf = (jobs: readonly Job[]): readonly string[] => jobs.map(({ id }) => id);
  /** A session of that tenant with so many jobs. */
  const waiting = async (tenantId: string, count: number): Promise<readonly Job[]> => {
    const of = { ...ids(), tenantId };
    const jobs = Array.from({ length: count }, () => job(of));
    await events.append(append(of, 0, { jobs }));
    return jobs;
  };

  it('leases the jobs of an append, in order', async () => {
    const jobs = await waiting(randomUUID(), 12);
    expect(await lease()).toEqual(jobs);
    expect(await lease()).toEqual([]);
  });

  it('has no jobs of an append that was rejected or repeated', async () => {
    const of = ids();
    const given = append(of, 0, { jobs: [job(of)] });
    await events.append(given);
    await complete(of.tenantId, idsOf(await lease()));
    await events.append(given);
    await events.append(append(of, 0, { jobs: [job(of)] }));
    await events.append(append({ ...of, tenantId: randomUUID() }, 1, { jobs: [job(of)] }));
    expect(await lease()).toEqual([]);
  });

  it('leases a job again when its lease has expired', async () => {
    const jobs = await waiting(randomUUID(), 3);
    expect(await lease(MANY, MANY, 0)).toEqual(jobs);
    expect(idsOf(await lease()).toSorted()).toEqual(idsOf(jobs).toSorted());
    expect(await lease()).toEqual([]);
    await outbox.redeliver();
    expect(idsOf(await lease()).toSorted()).toEqual(idsOf(jobs).toSorted());
  });

  it('says when the next lease ends', async () => {
    await waiting(randomUUID(), 1);
    expect((await outbox.lease(MANY, MANY, 40_000)).nextMs).toBeNull(); // of those that existed before
    await waiting(randomUUID(), 1);
    await outbox.lease(MANY, MANY, 90_000);
    const { jobs, nextMs } = await outbox.lease(MANY, MANY, LONG);
    expect(jobs).toEqual([]);
    expect(nextMs).toBeGreaterThan(0);
    expect(nextMs).toBeLessThanOrEqual(40_000);
  });

  it('leases each job to one of several concurrent callers', async () => {
    const jobs = await waiting(randomUUID(), 60);
    const shares = await Promise.all(Array.from({ length: 8 }, () => lease(10)));
    const handed = [...shares.flat(), ...(await lease())];
    expect(idsOf(handed).toSorted()).toEqual(idsOf(jobs).toSorted());
  });

  it('removes completed jobs only', async () => {
    const tenant = randomUUID();
    const [first, second] = await waiting(tenant, 2);
    await lease(MANY, MANY, 0);
    await complete(tenant, [first!.id]);
    await complete(tenant, [first!.id]);
    await complete(tenant, []);
    expect(await lease()).toEqual([second]);
  });

  it('adds a job with the id of a pending one once', async () => {
    const of = ids();
    const same = job(of);
    await events.append(append(of, 0, { jobs: [same] }));
    await events.append(append(of, 1, { jobs: [same, job(of)] }));
    expect(await lease()).toHaveLength(2);
  });

  it('removes no job of another tenant', async () => {
    const jobs = await waiting(randomUUID(), 1);
    await complete(randomUUID(), idsOf(jobs));
    expect(await lease()).toEqual(jobs);
  });

  it('limits the leases of a tenant, and reports pending jobs when leases become free', async () => {
    const tenant = randomUUID();
    const jobs = await waiting(tenant, 7);
    const shares = await Promise.all(Array.from({ length: 5 }, () => lease(MANY, 3)));
    expect(shares.flat()).toEqual(jobs.slice(0, 3));
    expect(await complete(tenant, [jobs[1]!.id, jobs[2]!.id])).toBe(true);
    expect(await lease(MANY, 3)).toEqual(jobs.slice(3, 5));
    expect(await complete(tenant, idsOf(jobs.slice(0, 4)))).toBe(true);
    expect(await lease(MANY, 3)).toEqual(jobs.slice(5));
    expect(await complete(tenant, idsOf(jobs.slice(4)))).toBe(false);
  });

  describe('an append by a process with room', () => {
    const left: { readonly holder: string; readonly given: Job }[] = [];
    afterEach(async () => {
      for (const { holder, given } of left.splice(0)) await outbox.release(holder, [given]);
    });

    /** A session with a job, appended by `holder`; null: the job is pending. */
    const handedOver = async (
      tenantId: string,
      holder: string,
      perTenant = MANY,
      leaseMs = LONG,
    ): Promise<{ readonly of: Ids; readonly given: Job; readonly claim: TurnClaim }> => {
      const of = { ...ids(), tenantId };
      const given = job(of);
      const outcome = await events.append(append(of, 0, { jobs: [given], dispatch: { holder, perTenant, leaseMs } }));
      if (outcome.kind !== 'appended') throw new Error(outcome.kind);
      if (outcome.claim) left.push({ holder, given });
      return { of, given, claim: outcome.claim! };
    };

    it('leases its job to the process, which reports under the claim; it renews the lease until it ends the turn', async () => {
      const [tenant, holder] = [randomUUID(), randomUUID()];
      const { of, given, claim } = await handedOver(tenant, holder);
      expect(await lease()).toEqual([]);
      await outbox.redeliver();
      expect(await lease()).toEqual([]);
      expect(await outbox.renew(holder, [given], LONG)).toEqual([claim.jobId]);
      expect(await outbox.renew(randomUUID(), [given], LONG)).toEqual([]);
      expect(await events.append(append(of, 1, { claim: { ...claim, fence: claim.fence - 1 } }))).toEqual({ kind: 'fenced' });
      expect(await events.append(append(of, 1, { claim, completedJobs: [claim.jobId] }))).toMatchObject({ kind: 'appended' });
      expect(await outbox.renew(holder, [given], LONG)).toEqual([]);
    });

    it('gives the job to the queue when the lease has expired, and rejects its reports once a worker has claimed the turn', async () => {
      const [tenant, holder] = [randomUUID(), randomUUID()];
      const { of, given, claim } = await handedOver(tenant, holder, MANY, 0);
      const [found] = await lease();
      expect(found).toMatchObject({ id: claim.jobId });
      expect(await outbox.renew(holder, [given], LONG)).toEqual([]);
      expect(await outbox.claim(found!)).toBeGreaterThan(claim.fence);
      expect(await events.append(append(of, 1, { claim }))).toEqual({ kind: 'fenced' });
    });

    it('keeps nothing once a worker has claimed its turn: it can neither renew nor release the lease', async () => {
      const [tenant, holder] = [randomUUID(), randomUUID()];
      const { given, claim } = await handedOver(tenant, holder);
      expect(await outbox.claim(given)).toBeGreaterThan(claim.fence);
      expect(await outbox.renew(holder, [given], LONG)).toEqual([]);
      await outbox.release(holder, [given]);
      expect(await lease()).toEqual([]);
    });

    it('gives the job to the queue when the process releases it; others cannot', async () => {
      const [tenant, holder] = [randomUUID(), randomUUID()];
      const { given, claim } = await handedOver(tenant, holder);
      await outbox.release(randomUUID(), [given]);
      expect(await lease()).toEqual([]);
      await outbox.release(holder, [given]);
      expect(idsOf(await lease())).toEqual([claim.jobId]);
      await outbox.release(holder, [given]);
      expect(await lease()).toEqual([]);
    });

    it('leaves the job pending when the tenant has its share of leases, or older pending jobs', async () => {
      const [tenant, holder] = [randomUUID(), randomUUID()];
      for (let held = 0; held < 3; held += 1) expect((await handedOver(tenant, holder, 3)).claim).not.toBeNull();
      expect((await handedOver(tenant, holder, 3)).claim).toBeNull();
      expect((await handedOver(tenant, holder, 4)).claim).toBeNull();
      expect((await handedOver(randomUUID(), holder, 3)).claim).not.toBeNull();
      expect(await lease(MANY, 4)).toHaveLength(1);
    });

    it('gets no claim on a job that was there before', async () => {
      const [tenant, holder] = [randomUUID(), randomUUID()];
      const { of, given, claim } = await handedOver(tenant, holder);
      const again = append(of, 1, { jobs: [given], dispatch: { holder: randomUUID(), perTenant: MANY, leaseMs: LONG } });
      expect(await events.append(again)).toMatchObject({ kind: 'appended', claim: null });
      expect(await events.append(append(of, 2, { claim }))).toMatchObject({ kind: 'appended' });
    });

    it('takes the place of the turn that it ends', async () => {
      const [tenant, holder] = [randomUUID(), randomUUID()];
      const { of, claim } = await handedOver(tenant, holder, 1);
      const terms = { holder, perTenant: 1, leaseMs: LONG };
      expect(await events.append(append(of, 1, { claim, completedJobs: [claim.jobId], jobs: [job(of)], dispatch: terms }))).toMatchObject({
        claim: { fence: expect.any(Number) },
      });
      expect(await lease()).toEqual([]);
    });

    it('never exceeds the share, however many processes append and lease at the same time', async () => {
      const [tenant, share] = [randomUUID(), 5];
      const leased = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          if (index % 8 === 7) return (await lease(MANY, share)).length;
          return (await handedOver(tenant, randomUUID(), share)).claim === null ? 0 : 1;
        }),
      );
      expect(leased.reduce((sum, count) => sum + count, 0) + (await lease(MANY, share)).length).toBe(share);
    });

    it('hands over nothing when it is rejected or repeated', async () => {
      const of = ids();
      const given = append(of, 0, { jobs: [job(of)], dispatch: { holder: randomUUID(), perTenant: MANY, leaseMs: LONG } });
      expect(await events.append(given)).toMatchObject({ kind: 'appended', claim: { jobId: given.jobs[0]!.id } });
      expect(await events.append(given)).toMatchObject({ kind: 'duplicate' });
      expect(await events.append({ ...given, commandId: randomUUID() })).toMatchObject({ kind: 'conflict' });
    });
  });

  it('leases jobs of the tenants with the fewest leases first', async () => {
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

  it('adds a job for each orphaned turn, longest idle first, under the id of its current segment', async () => {
    const running = async (type: 'turn.started' | 'turn.resumed', hasJob: boolean): Promise<{ readonly id: string; readonly of: Ids }> => {
      const of = ids();
      const turnId = randomUUID();
      const begin = { type: 'turn.started', data: { turnId, promptId: randomUUID() } } as const;
      const given = type === 'turn.started' ? [begin, closed()] : [begin, { type, data: { turnId } } as const, closed()];
      const id = type === 'turn.started' ? turnId : `${turnId}.2`;
      await events.append(append(of, 0, { events: given, summary: { status: 'running', turnId }, jobs: hasJob ? [{ ...job(of, turnId), id }] : [] }));
      return { id, of };
    };
    await passed(2);
    await outbox.requeueOrphaned(0, MANY); // sessions of earlier tests
    await lease();
    const first = await running('turn.started', false);
    const second = await running('turn.resumed', false);
    const owned = await running('turn.resumed', true);
    await events.append(append(ids(), 0));
    expect(await outbox.requeueOrphaned(LONG, MANY)).toBe(0);
    await passed(2);
    expect(await outbox.requeueOrphaned(0, 1)).toBe(1);
    expect(idsOf(await lease())).toEqual([owned.id, first.id]);
    expect(await outbox.requeueOrphaned(0, MANY)).toBe(1);
    expect(idsOf(await lease())).toEqual([second.id]);
    expect(await outbox.requeueOrphaned(0, MANY)).toBe(0);
  });

  it('numbers the claims on a job in ascending order, also when the job is added again, and none without a job', async () => {
    const tenant = randomUUID();
    const of = { ...ids(), tenantId: tenant };
    const one = job(of);
    expect(await outbox.claim(one)).toBeNull();
    await events.append(append(of, 0, { jobs: [one] }));
    const claims = [await outbox.claim(one), await outbox.claim(one)];
    await complete(tenant, [one.id]);
    expect(await outbox.claim(one)).toBeNull();
    await events.append(append(of, 1, { jobs: [one] }));
    claims.push(await outbox.claim(one));
    expect(claims).toEqual(claims.toSorted((a, b) => a! - b!));
    expect(new Set(claims).size).toBe(3);
  });

  it('rejects an append under any but the latest claim, whatever version it expects; a command that was recorded stays a duplicate', async () => {
    const of = ids();
    const one = job(of);
    await events.append(append(of, 0, { jobs: [one] }));
    const first = { jobId: one.id, fence: (await outbox.claim(one))! };
    const recorded = append(of, 1, { claim: first });
    expect(await events.append(recorded)).toMatchObject({ kind: 'appended' });
    const second = { jobId: one.id, fence: (await outbox.claim(one))! };
    expect(await events.append(append(of, 2, { claim: first }))).toEqual({ kind: 'fenced' });
    expect(await events.append(append(of, 1, { claim: first }))).toEqual({ kind: 'fenced' });
    expect(await events.append(recorded)).toMatchObject({ kind: 'duplicate' });
    expect(await events.append(append(of, 2, { claim: second, completedJobs: [one.id] }))).toMatchObject({ kind: 'appended' });
    expect(await events.append(append(of, 3, { claim: second }))).toEqual({ kind: 'fenced' });
    expect(await events.load(of.tenantId, of.sessionId)).toHaveLength(3);
  });
}

/** Resolves when the clocks of this process and the database show a later time. */
const passed = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
