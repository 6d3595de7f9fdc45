import { describe, expect, it } from '@jest/globals';
import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import type { EventStore } from '../../src/ports/index.js';
import type { NewEvent } from '../../packages/protocol/events/events.js';
import { skeletonOf } from '../../packages/protocol/events/skeleton.js';
import { append, appended, closed, erasureOf, type Ids, ids, numbered } from '../support/appends.js';
import { memoryStore } from '../support/memory-store.js';

const HASH = 'of memory';
const ROOMY = 1_000_000_000;
/** Holds one session of this log, not two. */
const TIGHT = 1_500;

describe('cached sessions', () => {
  it('include every committed event, cached or not, at any length of the log', async () => {
    const { events } = memoryStore();
    const sessions = new CachedSessions(events, ROOMY);
    const of = ids();
    for (const [from, count] of [
      [0, 1],
      [1, 499],
      [500, 500],
      [1_000, 1_501],
    ] as const) {
      await events.append(append(of, from, { events: numbered(count) }));
      const version = from + count;
      for (const reader of [sessions, new CachedSessions(events, ROOMY)]) expect((await reader.load(of.tenantId, of.sessionId)).version).toBe(version);
    }
    for (const seq of [1, 499, 500, 501, 1_000, 2_501, 9_999])
      expect((await sessions.loadAt(of.tenantId, of.sessionId, seq)).version).toBe(Math.min(seq, 2_501));
    expect((await sessions.load(of.tenantId, ids().sessionId)).version).toBe(0);
  });

  it('loaded concurrently include every committed event', async () => {
    const { events } = memoryStore();
    const sessions = new CachedSessions(events, ROOMY);
    const of = ids();
    await events.append(append(of, 0, { events: numbered(1_200) }));
    const versions = async (): Promise<readonly number[]> =>
      (await Promise.all(Array.from({ length: 5 }, () => sessions.load(of.tenantId, of.sessionId)))).map(({ version }) => version);
    expect(await versions()).toEqual(Array(5).fill(1_200));
    await events.append(append(of, 1_200, { events: numbered(700) }));
    expect(await versions()).toEqual(Array(5).fill(1_900));
  });

  it('are loaded from the start when they are evicted during a load', async () => {
    const { events } = memoryStore();
    let meanwhile = async (): Promise<void> => {};
    const slow = Object.assign(Object.create(events) as EventStore, {
      follow: async (...given: Parameters<EventStore['follow']>) => {
        const found = await events.follow(...given);
        const pause = meanwhile;
        meanwhile = async () => {};
        await pause();
        return found;
      },
    });
    const sessions = new CachedSessions(slow, TIGHT);
    const [of, other] = [ids(), ids()];
    for (const each of [of, other]) await events.append(append(each, 0, { events: [closed('x'.repeat(400))] }));
    await sessions.load(of.tenantId, of.sessionId);
    meanwhile = async () => void (await sessions.load(other.tenantId, other.sessionId));
    expect((await sessions.load(of.tenantId, of.sessionId)).version).toBe(1);
  });

  it('of forks start with the shared events, whichever session is cached, and without later ones of the parent', async () => {
    const { events } = memoryStore();
    const of = ids();
    const [fork, deeper] = [
      { ...ids(), tenantId: of.tenantId },
      { ...ids(), tenantId: of.tenantId },
    ];
    const message = (uuid: string, parentUuid: string | null): NewEvent => ({
      type: 'message.appended',
      data: { message: { type: 'user', uuid, parentUuid, timestamp: '', content: uuid }, turnId: null },
    });
    const created = async (sessionId: string, at: string, seq: number): Promise<NewEvent> => ({
      type: 'session.created',
      data: { settings: { model: sessionId } as never, forkedFrom: { sessionId, at, seq, headHash: (await events.hashAt(of.tenantId, sessionId, seq))! } },
    });
    await events.append(append(of, 0, { events: [message('a', null), message('b', 'a'), message('c', 'b')] }));
    for (const limit of [ROOMY, 1]) {
      const sessions = new CachedSessions(events, limit);
      const before = await sessions.load(of.tenantId, of.sessionId);
      expect([...before.messages.keys()].slice(0, 3)).toEqual(['a', 'b', 'c']);
      if (limit === ROOMY) {
        const news = appended(await events.append(append(fork, 0, { events: [await created(of.sessionId, 'b', 3), message('x', 'b')] })));
        expect(sessions.advance(fork.tenantId, fork.sessionId, news, HASH)).toBeNull();
        await events.append(append(deeper, 0, { events: [await created(fork.sessionId, 'x', 2), message('y', 'x')] }));
        await events.append(append(of, 3, { events: [message('d', 'c')] }));
      }
      const keys = async ({ tenantId, sessionId }: Ids): Promise<readonly string[]> => [...(await sessions.load(tenantId, sessionId)).messages.keys()];
      expect(await keys(fork)).toEqual(['a', 'b', 'x']);
      expect(await keys(deeper)).toEqual(['a', 'b', 'x', 'y']);
      expect(await keys(of)).toEqual(['a', 'b', 'c', 'd']);
      expect((await sessions.load(deeper.tenantId, deeper.sessionId)).version).toBe(2);
      expect([...(await sessions.loadAt(deeper.tenantId, deeper.sessionId, 1)).messages.keys()]).toEqual(['a', 'b', 'x']);
    }
  });

  it('are dropped when content of them is erased, also when they are being folded, and when they were not used for a time', async () => {
    const { events } = memoryStore();
    let during = (): void => {};
    const watched = Object.assign(Object.create(events) as EventStore, {
      follow: async (...given: Parameters<EventStore['follow']>) => {
        const found = await events.follow(...given);
        during();
        return found;
      },
      erasedSince: (...given: Parameters<EventStore['erasedSince']>) => events.erasedSince(...given),
    });
    let now = 0;
    const sizes: (readonly [number, number])[] = [];
    const sessions = new CachedSessions(watched, ROOMY, { idleMs: 100, clock: () => now, measure: (...size) => sizes.push(size) });
    const evicted: unknown[] = [];
    sessions.onEvicted((state) => evicted.push(state));
    const [of, other] = [ids(), ids()];
    for (const each of [of, other]) await events.append(append(each, 0, { events: numbered(2) }));
    const isKnown = ({ tenantId, sessionId }: Ids): boolean => sessions.known(tenantId, sessionId) !== null;

    const state = await sessions.load(of.tenantId, of.sessionId);
    sessions.forget(of.tenantId, of.sessionId);
    expect([isKnown(of), evicted, sizes.at(-1)]).toEqual([false, [state], [0, 0]]);

    during = () => sessions.forget(of.tenantId, of.sessionId);
    expect((await sessions.load(of.tenantId, of.sessionId)).version).toBe(2);
    expect([isKnown(of), sizes.at(-1)]).toEqual([false, [0, 0]]);
    during = () => {};

    await sessions.load(of.tenantId, of.sessionId);
    await sessions.load(other.tenantId, other.sessionId);
    now = 60;
    await sessions.load(of.tenantId, of.sessionId);
    now = 120;
    await sessions.evictStale();
    expect([isKnown(of), isKnown(other)]).toEqual([true, false]);
    now = 160;
    await sessions.evictStale();
    expect([isKnown(of), sizes.at(-1)]).toEqual([false, [0, 0]]);

    // An announcement that got lost.
    for (const each of [of, other]) await sessions.load(each.tenantId, each.sessionId);
    await events.append(append(of, 2, { events: [erasureOf([{ seq: 1, data: { reason: null } }])] }));
    await events.append(append(other, 2, { events: numbered(1) }));
    await sessions.evictStale();
    expect([isKnown(of), isKnown(other)]).toEqual([false, true]);
    await sessions.load(of.tenantId, of.sessionId);
    await sessions.evictStale();
    expect(isKnown(of)).toBe(true);
  });

  it('contain nothing that an erasure took, at any moment of a load', async () => {
    const { events } = memoryStore();
    let between = async (): Promise<void> => {};
    const watched = Object.assign(Object.create(events) as EventStore, {
      follow: async (...given: Parameters<EventStore['follow']>) => {
        const found = await events.follow(...given);
        const act = between;
        between = async () => {};
        await act();
        return found;
      },
    });
    const said = (content: string): NewEvent => ({
      type: 'message.appended',
      data: { message: { type: 'user', uuid: 'a', parentUuid: null, timestamp: '', content }, turnId: null },
    });
    const sessions = new CachedSessions(watched, ROOMY);
    const texts = ({ tenantId, sessionId }: Ids): string => JSON.stringify([...sessions.known(tenantId, sessionId)!.messages.values()]);
    // Two pages, and the log of a session that is cached.
    for (const [count, isCached] of [
      [600, false],
      [3, true],
    ] as const) {
      const of = ids();
      await events.append(append(of, 0, { events: [said('secret'), ...numbered(count)] }));
      const erase = async (): Promise<void> =>
        void (await events.append(append(of, count + 1, { events: [erasureOf([{ seq: 1, data: skeletonOf(said('secret')) as object }])] })));
      if (isCached) {
        await sessions.load(of.tenantId, of.sessionId);
        expect(texts(of)).toContain('secret');
        await erase();
      } else between = erase;
      expect((await sessions.load(of.tenantId, of.sessionId)).version).toBe(count + 2);
      expect(texts(of)).not.toContain('secret');
    }
  });

  it('that were not used for the longest time make room for others', async () => {
    const { events } = memoryStore();
    const sizes: (readonly [number, number])[] = [];
    const sessions = new CachedSessions(events, TIGHT, { idleMs: Infinity, clock: () => 0, measure: (...size) => sizes.push(size) });
    const all = [ids(), ids(), ids()] as const;
    for (const of of all) {
      await events.append(append(of, 0, { events: [closed('x'.repeat(400))] }));
      await sessions.load(of.tenantId, of.sessionId);
    }
    expect(all.map(({ tenantId, sessionId }) => sessions.known(tenantId, sessionId) !== null)).toEqual([false, false, true]);
    expect(sizes.at(-1)![0]).toBe(1);
    expect(sizes.at(-1)![1]).toBeLessThanOrEqual(TIGHT);
  });

  it('are updated by an append when cached', async () => {
    const { events } = memoryStore();
    const sessions = new CachedSessions(events, ROOMY);
    const of = ids();
    await events.append(append(of, 0, { events: numbered(2) }));
    const news = appended(await events.append(append(of, 2)));
    expect(sessions.advance(of.tenantId, of.sessionId, news, HASH)).toBeNull();
    await sessions.load(of.tenantId, of.sessionId);
    expect(sessions.advance(of.tenantId, of.sessionId, appended(await events.append(append(of, 3))), HASH)?.version).toBe(4);
  });
});
