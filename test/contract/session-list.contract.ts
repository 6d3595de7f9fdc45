import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import type { EventStore, SessionFilter, SessionList } from '../../src/ports/index.js';
import { append, appended, ids } from '../support/appends.js';

const ALL: SessionFilter = { userId: null, archived: false };

const NO_CONVERSATION = {
  archived: false,
  messageCount: 0,
  firstText: null,
  lastText: null,
  folder: null,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 },
};

type Stores = { readonly events: EventStore; readonly sessions: SessionList };

/** The session list as a projection of appends. */
export function sessionListContract(open: () => Promise<Stores>): void {
  let events: EventStore;
  let sessions: SessionList;

  beforeAll(async () => {
    ({ events, sessions } = await open());
  });

  it('shows a session after its latest append', async () => {
    const of = ids();
    const userId = randomUUID();
    const turnId = randomUUID();
    const [first] = appended(await events.append(append(of, 0, { summary: { userId, title: 'Before' } })));
    const summary = { userId, title: 'After', model: 'another', status: 'running', queueLength: 2, turnId } as const;
    const [second] = appended(await events.append(append(of, 1, { summary })));
    const page = await sessions.list(of.tenantId, ALL, 10, null);
    expect(page).toEqual({
      data: [{ id: of.sessionId, version: 2, ...summary, ...NO_CONVERSATION, createdAt: first!.time, updatedAt: second!.time }],
      nextCursor: null,
    });
  });

  it('shows an imported session once it is complete', async () => {
    const of = ids();
    await events.append(append(of, 0, { summary: { status: 'importing' } }));
    expect((await sessions.list(of.tenantId, ALL, 10, null)).data).toEqual([]);
    await events.append(append(of, 1, { summary: { status: 'idle' } }));
    expect((await sessions.list(of.tenantId, ALL, 10, null)).data.map(({ id }) => id)).toEqual([of.sessionId]);
  });

  it('is not changed by a rejected or repeated append', async () => {
    const of = ids();
    const given = append(of, 0, { summary: { title: 'First' } });
    await events.append(given);
    const before = await sessions.list(of.tenantId, ALL, 10, null);
    await events.append({ ...given, summary: { ...given.summary, title: 'Repeated' } });
    await events.append(append(of, 0, { summary: { title: 'Too late' } }));
    await events.append(append({ ...of, tenantId: randomUUID() }, 1, { summary: { title: 'Not theirs' } }));
    expect(await sessions.list(of.tenantId, ALL, 10, null)).toEqual(before);
  });

  it('pages through a tenant or a user, newest activity first, each session once', async () => {
    const tenantId = randomUUID();
    const [one, other] = [randomUUID(), randomUUID()];
    const made: { readonly id: string; readonly userId: string }[] = [];
    for (let index = 0; index < 23; index += 1) {
      const of = { tenantId, sessionId: randomUUID() };
      const userId = index % 3 === 0 ? one : other;
      await events.append(append(of, 0, { summary: { userId } }));
      made.push({ id: of.sessionId, userId });
    }
    await events.append(append({ tenantId, sessionId: made[0]!.id }, 1, { summary: { userId: one } }));
    await events.append(append(ids(), 0));

    const walk = async (userId: string | null) => {
      const seen: { readonly id: string; readonly updatedAt: string }[] = [];
      let cursor: string | null = null;
      do {
        const page = await sessions.list(tenantId, { ...ALL, userId }, 5, cursor);
        expect(page.data.length).toBeLessThanOrEqual(5);
        seen.push(...page.data);
        cursor = page.nextCursor;
      } while (cursor !== null);
      const times = seen.map((session) => session.updatedAt);
      expect(times).toEqual(times.toSorted().toReversed());
      return seen.map((session) => session.id);
    };
    expect((await walk(null)).toSorted()).toEqual(made.map((session) => session.id).toSorted());
    expect((await walk(one)).toSorted()).toEqual(
      made
        .filter((session) => session.userId === one)
        .map((session) => session.id)
        .toSorted(),
    );
    expect(await walk(randomUUID())).toEqual([]);
  });

  it('has no next page after a full last page', async () => {
    const tenantId = randomUUID();
    for (let index = 0; index < 4; index += 1) await events.append(append({ tenantId, sessionId: randomUUID() }, 0));
    const first = await sessions.list(tenantId, ALL, 2, null);
    const second = await sessions.list(tenantId, ALL, 2, first.nextCursor);
    expect(second.data).toHaveLength(2);
    expect(second.nextCursor).toBeNull();
  });

  it('rejects an invalid cursor', async () => {
    const place = (text: string): string => Buffer.from(text).toString('base64url');
    for (const cursor of [
      '',
      'x',
      '\0',
      place('2000-13-01T00:00:00.000Z ' + randomUUID()),
      place('2000-01-01T00:00:00.000Z x'),
      place(`now ${randomUUID()}`),
    ]) {
      await expect(sessions.list(randomUUID(), ALL, 5, cursor)).rejects.toMatchObject({ name: 'DomainError', code: 'invalid_input' });
    }
  });

  it('finds waiting turns that have been idle for a time, longest idle first, with the time of their last change', async () => {
    const waiting = async () => {
      const of = ids();
      const turnId = randomUUID();
      const [event] = appended(await events.append(append(of, 0, { summary: { status: 'waiting', turnId } })));
      return { ...of, turnId, updatedAt: event!.time };
    };
    const pair = [await waiting(), await waiting()];
    const idle = append(ids(), 0);
    await events.append(idle);
    const own = new Set([...pair.map(({ sessionId }) => sessionId), idle.sessionId]);
    const found = async (idleMs: number) => (await sessions.expiredWaits(idleMs, 100)).filter(({ sessionId }) => own.has(sessionId));

    expect(await found(60_000)).toEqual([]);
    const all = await found(-60_000);
    expect(all).toEqual(expect.arrayContaining(pair));
    expect(all).toHaveLength(2);
    expect(all.map(({ updatedAt }) => updatedAt)).toEqual(pair.map(({ updatedAt }) => updatedAt));
    expect(await sessions.expiredWaits(-60_000, 1)).toHaveLength(1);

    const [first, second] = pair as [(typeof pair)[0], (typeof pair)[0]];
    await events.append(append(first, 1, { summary: { status: 'running', turnId: first.turnId } }));
    expect(await found(-60_000)).toEqual([second]);
  });
}
