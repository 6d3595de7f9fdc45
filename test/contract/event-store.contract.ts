import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EventStore } from '../../src/ports/index.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import { append, appended, closed, erasureOf, ids, numbered } from '../support/appends.js';

/** Of the request that `append` describes. */
const HASH = append(ids(), 0).requestHash;

/** The behavior of every event store. `age` makes all receipts two days older; without it nothing can be that old. */
export function eventStoreContract(open: () => Promise<EventStore>, age?: () => Promise<unknown>): void {
  let store: EventStore;

  beforeAll(async () => {
    store = await open();
  });

  describe('append', () => {
    it('records events in order, numbered from 1, and returns what later readers get', async () => {
      const of = ids();
      const given = append(of, 0, { events: [closed('one'), closed('two')], actor: { kind: 'system', id: 'worker' } });
      const events = appended(await store.append(given));
      expect(events.map(({ id, seq, type, sessionId, actor, data }) => ({ id, seq, type, sessionId, actor, data }))).toEqual([
        { id: given.events[0]!.id, seq: 1, type: 'session.closed', sessionId: of.sessionId, actor: { kind: 'system', id: 'worker' }, data: { reason: 'one' } },
        { id: given.events[1]!.id, seq: 2, type: 'session.closed', sessionId: of.sessionId, actor: { kind: 'system', id: 'worker' }, data: { reason: 'two' } },
      ]);
      expect(await store.load(of.tenantId, of.sessionId)).toStrictEqual(events);
    });

    it('assigns UTC times that never decrease within a session', async () => {
      const of = ids();
      const times: string[] = [];
      for (let version = 0; version < 20; version += 1) times.push(appended(await store.append(append(of, version)))[0]!.time);
      for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(times.toSorted()).toEqual(times);
    });

    it('appends at the expected version', async () => {
      const of = ids();
      await store.append(append(of, 0, { events: numbered(3) }));
      expect(appended(await store.append(append(of, 3)))[0]!.seq).toBe(4);
    });

    it('returns a conflict with the version found for another expected version, and writes nothing', async () => {
      const of = ids();
      expect(await store.append(append(of, 1))).toEqual({ kind: 'conflict', version: 0 });
      await store.append(append(of, 0, { events: numbered(2) }));
      for (const expected of [0, 1, 3]) {
        const rejected = append(of, expected);
        expect(await store.append(rejected)).toEqual({ kind: 'conflict', version: 2 });
        expect(await store.receipt(of.tenantId, rejected.commandId, HASH)).toBeNull();
      }
      expect(await store.load(of.tenantId, of.sessionId)).toHaveLength(2);
    });

    it('accepts a thousand events in one call', async () => {
      const of = ids();
      const events = appended(await store.append(append(of, 0, { events: numbered(1_000) })));
      expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
      expect(await store.load(of.tenantId, of.sessionId)).toStrictEqual(events);
    });

    it('accepts an event of 20 MB', async () => {
      const of = ids();
      const reason = 'a long paste, ünd ä bit more. '.repeat(700_000);
      await store.append(append(of, 0, { events: [closed(reason)] }));
      const [event] = await store.load(of.tenantId, of.sessionId);
      expect(JSON.stringify(event?.data) === JSON.stringify({ reason })).toBe(true); // not toEqual, which would print both
      expect(await store.verify(of.tenantId, of.sessionId)).toMatchObject({ events: 1, valid: true });
    });

    it('records only the receipt of a command without events', async () => {
      const of = ids();
      await store.append(append(of, 0, { events: numbered(2) }));
      const nothing = append(of, 2, { events: [], summary: { title: 'unchanged' } });
      expect(await store.append(nothing)).toMatchObject({ kind: 'appended', events: [] });
      expect(await store.append(nothing)).toEqual({ kind: 'duplicate', firstSeq: 3, lastSeq: 2 });
      expect(await store.append({ ...nothing, requestHash: 'b'.repeat(64) })).toEqual({ kind: 'key_reused' });
      expect(await store.append(append(of, 1, { events: [] }))).toEqual({ kind: 'conflict', version: 2 });
      expect(await store.receipt(of.tenantId, nothing.commandId, HASH)).toMatchObject({ firstSeq: 3, lastSeq: 2 });
      expect(await store.load(of.tenantId, of.sessionId)).toHaveLength(2);
      expect(await store.verify(of.tenantId, of.sessionId)).toMatchObject({ events: 2, valid: true });
    });

    it('rejects a title or a model that cannot be stored, and writes nothing', async () => {
      const of = ids();
      for (const summary of [{ title: 'a\0b' }, { title: '\ud800' }, { model: 'm\0' }]) {
        await expect(store.append(append(of, 0, { summary }))).rejects.toMatchObject({ name: 'DomainError', code: 'invalid_input' });
      }
      expect(await store.load(of.tenantId, of.sessionId)).toEqual([]);
    });
  });

  describe('stored data', () => {
    it('is returned unchanged: any string, any number, any order of members', async () => {
      const of = ids();
      const odd = ['\0', 'a\0b', '\ud800', '\udc00\ud800', '\u2028\u2029', '\uffff', '\\u0000', '"\\/\b\f\n\r\t', '👩‍👩‍👧', 'é', 'e\u0301', '__proto__', ''];
      const data = { z: 1, a: 2, '10': 3, '9': 4, big: 1e308, small: 5e-324, precise: 0.1 + 0.2, wide: 2 ** 53, odd, empty: {}, nothing: null, nested: [[[]]] };
      await store.append(
        append(of, 0, { events: [closed(JSON.stringify(data)), { type: 'session.created', data: { settings: { metadata: data } } } as never] }),
      );
      const [text, whole] = await store.load(of.tenantId, of.sessionId);
      expect(text?.data).toEqual({ reason: JSON.stringify(data) });
      expect(JSON.stringify(whole?.data)).toBe(JSON.stringify({ settings: { metadata: data } }));
    });

    it('is returned unchanged, for any JSON', async () => {
      const of = ids();
      const values = fc.sample(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), 200);
      const strings = fc.sample(fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }), 100);
      const events = [...values, ...strings].map((value) => closed(value as never));
      await store.append(append(of, 0, { events }));
      const loaded = await store.load(of.tenantId, of.sessionId);
      expect(loaded.map((event) => JSON.stringify(event.data))).toEqual(events.map((event) => JSON.stringify(event.data)));
      expect(await store.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true });
    });
  });

  describe('large events', () => {
    it.each([1, 4, 5])('are stored byte for byte, %i of them in one append', async (count) => {
      const of = ids();
      const text = 'a"b\\c\0\ud800é🧵{}\n,'.repeat(20_000);
      const events = Array.from({ length: count }, (_, index) => closed(`${index} ${text}`));
      await store.append(append(of, 0, { events }));
      const loaded = await store.load(of.tenantId, of.sessionId);
      expect(loaded.map(({ data }) => data)).toEqual(events.map(({ data }) => data));
      expect(await store.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true });
    });
  });

  describe('the hash chain', () => {
    it('keeps the hash of each event when its content is erased', async () => {
      const of = ids();
      await store.append(append(of, 0, { events: numbered(3) }));
      const hashes = () => Promise.all([1, 2, 3].map((seq) => store.hashAt(of.tenantId, of.sessionId, seq)));
      const before = await hashes();
      await store.append(append(of, 3, { events: [erasureOf([1, 2, 3].map((seq) => ({ seq, data: { reason: null } })))], erasedFiles: [] }));
      expect((await store.load(of.tenantId, of.sessionId, 1, 2))[0]).toMatchObject({ seq: 2, erased: true });
      expect(await hashes()).toEqual(before);
    });

    it('has a hash for each event, which later events do not change', async () => {
      const of = ids();
      await store.append(append(of, 0, { events: numbered(3) }));
      const links = await Promise.all([1, 2, 3].map((seq) => store.hashAt(of.tenantId, of.sessionId, seq)));
      expect(new Set(links).size).toBe(3);
      expect(links.every((link) => /^[0-9a-f]{64}$/.test(link ?? ''))).toBe(true);
      expect((await store.verify(of.tenantId, of.sessionId))?.headHash).toBe(links[2]);
      await store.append(append(of, 3));
      expect(await store.hashAt(of.tenantId, of.sessionId, 2)).toBe(links[1]);
      for (const [tenantId, sessionId, seq] of [
        [of.tenantId, of.sessionId, 5],
        [of.tenantId, of.sessionId, 0],
        [randomUUID(), of.sessionId, 1],
        [of.tenantId, 'none', 1],
      ] as const) {
        expect(await store.hashAt(tenantId, sessionId, seq)).toBeNull();
      }
    });
  });

  describe('receipts', () => {
    it('are deleted past the given age, oldest first, and a limited number at a time', async () => {
      const of = ids();
      const first = append(of, 0);
      await store.append(first);
      expect(await store.pruneReceipts(3_600_000, 1_000)).toBe(0);
      expect(await store.receipt(of.tenantId, first.commandId, HASH)).not.toBeNull();
      await store.append(append(of, 1));
      expect(await store.pruneReceipts(-3_600_000, 1_000)).toBe(0); // never within a day
      if (!age) return;
      await age();
      expect(await store.pruneReceipts(3 * 86_400_000, 1_000)).toBe(0);
      expect(await store.pruneReceipts(3_600_000, 1)).toBe(1);
      while ((await store.pruneReceipts(3_600_000, 1_000)) > 0);
      expect(await store.receipt(of.tenantId, first.commandId, HASH)).toBeNull();
      expect(await store.verify(of.tenantId, of.sessionId)).toMatchObject({ events: 2, valid: true });
    });
  });

  describe('a command', () => {
    it('is executed once: a repeat changes nothing and returns the events of the first execution', async () => {
      const of = ids();
      await store.append(append(of, 0));
      const once = append(of, 1, { events: numbered(2) });
      appended(await store.append(once));
      await store.append(append(of, 3));
      expect(await store.append(once)).toEqual({ kind: 'duplicate', firstSeq: 2, lastSeq: 3 });
      expect(await store.append({ ...once, expectedVersion: 4 })).toEqual({ kind: 'duplicate', firstSeq: 2, lastSeq: 3 });
      expect(await store.load(of.tenantId, of.sessionId)).toHaveLength(4);
    });

    it('has a receipt, in its own tenant', async () => {
      const of = ids();
      const given = append(of, 0, { events: numbered(3) });
      await store.append(given);
      expect(await store.receipt(of.tenantId, given.commandId, HASH)).toEqual({ sessionId: of.sessionId, sameRequest: true, firstSeq: 1, lastSeq: 3 });
      expect(await store.receipt(of.tenantId, given.commandId, 'ff'.repeat(32))).toMatchObject({ sameRequest: false });
      expect(await store.receipt(randomUUID(), given.commandId, HASH)).toBeNull();
      expect(await store.receipt(of.tenantId, randomUUID(), HASH)).toBeNull();
    });

    it('is rejected when it reuses the id of another one', async () => {
      const of = ids();
      const given = append(of, 0);
      await store.append(given);
      expect(await store.append({ ...given, requestHash: 'ff'.repeat(32) })).toEqual({ kind: 'key_reused' });
      expect(await store.append({ ...given, sessionId: randomUUID() })).toEqual({ kind: 'key_reused' });
      expect(await store.load(of.tenantId, of.sessionId)).toHaveLength(1);
    });

    it('may have the id of a command of another tenant', async () => {
      const given = append(ids(), 0);
      appended(await store.append(given));
      appended(await store.append({ ...given, ...ids() }));
    });
  });

  describe('another tenant', () => {
    it('cannot read a session or append to it: a session with the same id is its own', async () => {
      const of = ids();
      await store.append(append(of, 0));
      const foreign = { ...of, tenantId: randomUUID() };
      expect(await store.load(foreign.tenantId, of.sessionId)).toEqual([]);
      expect(await store.page(foreign.tenantId, of.sessionId, 0, 10)).toEqual([]);
      expect(await store.verify(foreign.tenantId, of.sessionId)).toBeNull();
      expect(await store.append(append(foreign, 1))).toEqual({ kind: 'conflict', version: 0 });
      expect(appended(await store.append(append(foreign, 0, { events: numbered(2) }))).map(({ seq }) => seq)).toEqual([1, 2]);
      expect(await store.load(of.tenantId, of.sessionId)).toHaveLength(1);
      expect(await store.load(foreign.tenantId, of.sessionId)).toHaveLength(2);
      for (const { tenantId } of [of, foreign]) expect(await store.verify(tenantId, of.sessionId)).toMatchObject({ valid: true });
    });
  });

  describe('reading', () => {
    it('loads any segment of a log', async () => {
      const of = ids();
      await store.append(append(of, 0, { events: numbered(10) }));
      const seqs = async (...range: readonly number[]): Promise<readonly number[]> =>
        (await store.load(of.tenantId, of.sessionId, ...range)).map((event) => event.seq);
      expect(await seqs(7)).toEqual([8, 9, 10]);
      expect(await seqs(2, 5)).toEqual([3, 4, 5]);
      expect(await seqs(0, 1)).toEqual([1]);
      expect(await seqs(5, 5)).toEqual([]);
      expect(await seqs(10)).toEqual([]);
    });

    it('pages through a log', async () => {
      const of = ids();
      await store.append(append(of, 0, { events: numbered(7) }));
      const seen: SessionEvent[] = [];
      for (;;) {
        const page = await store.page(of.tenantId, of.sessionId, seen.length, 3);
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(3);
        seen.push(...page);
      }
      expect(seen).toStrictEqual(await store.load(of.tenantId, of.sessionId));
    });

    it('reports whether a log exceeds a number of events or bytes', async () => {
      const of = ids();
      const exceeds = (events: number, bytes: number): Promise<boolean> => store.exceeds(of.tenantId, of.sessionId, { events, bytes });
      expect(await exceeds(1, 1)).toBe(false);
      const events = numbered(3);
      await store.append(append(of, 0, { events }));
      const bytes = events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);
      expect([await exceeds(2, 1_000), await exceeds(3, 1_000), await exceeds(3, bytes), await exceeds(3, bytes - 1)]).toEqual([true, false, false, true]);
      expect(await store.exceeds(randomUUID(), of.sessionId, { events: 0, bytes: 0 })).toBe(false);
    });

    it('counts the events after a seq that stay within a number of events and bytes', async () => {
      const of = ids();
      const within = (after: number, events: number, bytes: number): Promise<number> => store.within(of.tenantId, of.sessionId, after, { events, bytes });
      expect(await within(0, 10, 10)).toBe(1);
      const events = [closed('x'.repeat(100_000)), ...numbered(3), closed('x'.repeat(100_000))];
      await store.append(append(of, 0, { events }));
      const sizes = events.map(({ data }) => JSON.stringify(data).length);
      for (const after of [0, 1, 2]) {
        for (let most = 1; most <= 6; most += 1) {
          const fitting = sizes.slice(after, after + most);
          const bytes = fitting.reduce((sum, size) => sum + size, 0);
          expect([await within(after, 10, bytes), await within(after, most, 1_000_000)]).toEqual([fitting.length, fitting.length]);
          expect(await within(after, 10, bytes - 1)).toBe(Math.max(1, fitting.length - 1));
        }
      }
      expect(await store.within(randomUUID(), of.sessionId, 0, { events: 10, bytes: 1_000_000 })).toBe(1);
    });

    it('counts uncompressed bytes', async () => {
      const of = ids();
      await store.append(append(of, 0, { events: [closed('x'.repeat(1_000_000))] }));
      expect(await store.exceeds(of.tenantId, of.sessionId, { events: 10, bytes: 999_999 })).toBe(true);
      expect(await store.exceeds(of.tenantId, of.sessionId, { events: 10, bytes: 1_000_100 })).toBe(false);
    });

    it('finds nothing for unknown and malformed ids', async () => {
      for (const sessionId of [randomUUID(), 'nonsense', '', '\0']) {
        expect(await store.load(randomUUID(), sessionId)).toEqual([]);
        expect(await store.verify(randomUUID(), sessionId)).toBeNull();
      }
      expect(await store.receipt(randomUUID(), 'nonsense', HASH)).toBeNull();
    });
  });

  it('reports an unchanged log as valid', async () => {
    const of = ids();
    await store.append(append(of, 0, { events: numbered(3) }));
    const before = await store.verify(of.tenantId, of.sessionId);
    expect(before).toMatchObject({ events: 3, headHash: expect.stringMatching(/^[0-9a-f]{64}$/), valid: true, erased: 0 });
    expect(Buffer.from(before!.hashes).subarray(64).toString('hex')).toBe(before!.headHash);
    await store.append(append(of, 3));
    const after = await store.verify(of.tenantId, of.sessionId);
    expect(after).toMatchObject({ events: 4, valid: true });
    expect(after?.headHash).not.toBe(before?.headHash);
  });

  it('names the forks of a session by their ids, those of its tenant only', async () => {
    const [parent, other] = [ids(), ids()];
    const fork = { ...ids(), tenantId: parent.tenantId };
    const forked = (from: string) => ({ type: 'session.forked' as const, data: { from, at: randomUUID(), seq: 1 } });
    for (const of of [parent, other]) await store.append(append(of, 0));
    await store.append(append(fork, 0, { events: [forked(parent.sessionId)] }));
    await store.append(append({ ...ids(), tenantId: other.tenantId }, 0, { events: [forked(parent.sessionId)] }));
    expect(await store.forks(parent.tenantId, parent.sessionId)).toEqual([fork.sessionId]);
    expect(await store.forks(parent.tenantId, fork.sessionId)).toEqual([]);
  });

  it('names the sessions with an erasure after a version', async () => {
    const [erased, other, foreign] = [ids(), ids(), ids()];
    for (const of of [erased, other, foreign]) await store.append(append(of, 0, { events: numbered(2) }));
    const erasedFiles: readonly string[] = [];
    const erasure = () => erasureOf([1, 2].map((seq) => ({ seq, data: { reason: null } })));
    await store.append(append(erased, 2, { events: [erasure()], erasedFiles }));
    await store.append(append(foreign, 2, { events: [erasure()], erasedFiles }));
    await store.append(append(other, 2));
    const known = [erased, other, { ...foreign, tenantId: erased.tenantId }].map((of) => ({ ...of, version: 2 }));
    expect(await store.erasedSince(known)).toEqual([{ ...erased, version: 2 }]);
    expect(await store.erasedSince([{ ...erased, version: 3 }])).toEqual([]);
    expect(await store.erasedSince([])).toEqual([]);
  });
}
