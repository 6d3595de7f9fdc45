import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Membership } from '../../src/platform/live/membership.js';

const HEARTBEAT_MS = 5_000;
const BUCKETS = 64;

/** A process of the group: it ticks with each heartbeat, at its own phase. */
class Member {
  readonly membership: Membership;
  said = 0;
  wasStale = false;

  constructor(
    readonly id: string,
    private readonly group: Group,
    /** Of an older build: it does not state its pace, and speaks with each heartbeat. */
    private readonly isOld: boolean,
  ) {
    this.membership = new Membership({ id, isWorker: true, buckets: BUCKETS }, HEARTBEAT_MS);
    this.membership.startListening();
    group.each((other) => {
      other.membership.recordMessage(id);
      if (other === this) return;
      other.membership.recordTerms(id, true, BUCKETS, null);
      other.say();
    });
  }

  tick(): void {
    const { isReceivingStale, isDue } = this.membership.tick();
    this.wasStale ||= isReceivingStale;
    if (isDue || this.isOld) this.say();
  }

  say(): void {
    this.said += 1;
    const pace = this.isOld ? null : this.membership.statePace();
    this.group.each((other) => {
      other.membership.recordMessage(this.id);
      if (other !== this) other.membership.recordTerms(this.id, true, BUCKETS, pace);
    });
  }
}

class Group {
  readonly members = new Map<Member, number>();
  #heartbeats = 0;

  each(tell: (member: Member) => void): void {
    for (const member of this.members.keys()) tell(member);
  }

  join(id: string, phase: number, isOld = false): Member {
    const member = new Member(id, this, isOld);
    this.members.set(member, phase);
    return member;
  }

  /** Every process ticks once in each heartbeat, in the order of the phases. */
  pass(heartbeats: number, setNow: (now: number) => void): void {
    for (let count = 0; count < heartbeats; count += 1) {
      this.#heartbeats += 1;
      for (const [member, phase] of [...this.members].toSorted(([, one], [, other]) => one - other)) {
        setNow((this.#heartbeats + phase) * HEARTBEAT_MS);
        member.tick();
      }
    }
  }

  get leaders(): readonly Member[] {
    return [...this.members.keys()].filter(({ membership }) => membership.leads);
  }
}

const ids = fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 10 });
const phases = fc.array(fc.double({ min: 0, max: 0.99, noNaN: true }), { minLength: 10, maxLength: 10 });

describe('the membership of a group of processes', () => {
  let now = 0;
  const setNow = (to: number): void => void (now = to);
  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => void jest.restoreAllMocks());

  const formed = (all: readonly string[], at: readonly number[], old = 0): Group => {
    now = 0;
    const group = new Group();
    all.forEach((id, index) => group.join(id, at[index]!, index < old));
    group.pass(20, setNow);
    return group;
  };

  it('has one that leads and knows all others, none of whom takes its connection for dead, while only that one speaks with each heartbeat', () => {
    fc.assert(
      fc.property(ids, phases, (all, at) => {
        const group = formed(all, at);
        const before = [...group.members.keys()].map(({ said }) => said);
        group.pass(60, setNow);
        expect(group.leaders.map(({ id }) => id)).toEqual([all.toSorted()[0]]);
        for (const [index, { id, membership, said, wasStale }] of [...group.members.keys()].entries()) {
          expect(membership.rank).toBe(all.toSorted().indexOf(id));
          expect(wasStale).toBe(false);
          expect(said - before[index]!).toBe(membership.leads ? 60 : 10);
        }
      }),
    );
  });

  it('notices within four heartbeats that the one that leads is gone', () => {
    fc.assert(
      fc.property(ids, phases, (all, at) => {
        const group = formed(all, at);
        group.members.delete(group.leaders[0]!);
        group.pass(Membership.HEARTBEATS_TO_EXPIRE + 1, setNow);
        expect(group.leaders.map(({ id }) => id)).toEqual([all.toSorted()[1]]);
      }),
    );
  });

  it('speaks with each heartbeat as long as a process of an older build is among them, which takes silence for an end', () => {
    fc.assert(
      fc.property(ids, phases, (all, at) => {
        const group = formed(all, at, 1);
        const before = [...group.members.keys()].map(({ said }) => said);
        group.pass(30, setNow);
        for (const [index, { said }] of [...group.members.keys()].entries()) expect(said - before[index]!).toBe(30);
      }),
    );
  });

  it('takes a connection for dead on which nothing arrives, not even what it says itself', () => {
    const lonely = new Membership({ id: 'a', isWorker: true, buckets: BUCKETS }, HEARTBEAT_MS);
    lonely.startListening();
    const said: boolean[] = [];
    for (let heartbeat = 1; heartbeat <= 4; heartbeat += 1) {
      now = heartbeat * HEARTBEAT_MS;
      const { isReceivingStale, isDue } = lonely.tick();
      said.push(isDue);
      expect(isReceivingStale).toBe(heartbeat > Membership.HEARTBEATS_TO_EXPIRE);
    }
    expect(said).toContain(true);
  });
});
