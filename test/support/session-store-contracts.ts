import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from '../../clients/session-store/dist/index.js';

/** What the Agent SDK needs of a store. */
export interface Store {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  listSessionSummaries?: ((projectKey: string) => Promise<SessionSummaryEntry[]>) | undefined;
  delete(key: SessionKey): Promise<void>;
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}

const entry = (n: number, more: object = {}): SessionStoreEntry => ({ type: 'x', uuid: randomUUID(), n, ...more });
const keyOf = (more: Partial<SessionKey> = {}): SessionKey => ({ projectKey: `project ${randomUUID()}`, sessionId: randomUUID(), ...more });
const ids = (listed: readonly { readonly sessionId: string }[]): readonly string[] => listed.map(({ sessionId }) => sessionId).toSorted();

/** The contracts of a store, each a function of a store that may hold anything else. */
export const CONTRACTS: Readonly<Record<string, (store: Store) => Promise<void>>> = {
  async 'gives back what was appended, in order'(store) {
    const key = keyOf();
    const entries = [entry(1, { text: 'ü 😀 \u0000 \ud83d', deep: [{ a: null, b: [1.5, 1e21, true] }] }), { type: 'mode', mode: 'plan' }, entry(2)];
    await store.append(key, entries);
    expect(await store.load(key)).toEqual(JSON.parse(JSON.stringify(entries)));
  },
  async 'has null for what was never written'(store) {
    const key = keyOf();
    expect([await store.load(key), await store.load({ ...key, subpath: 'subagents/agent-1' })]).toEqual([null, null]);
  },
  async 'keeps the order of appends'(store) {
    const key = keyOf();
    const entries = Array.from({ length: 30 }, (_, n) => entry(n));
    await Promise.all(entries.map((one) => store.append(key, [one])));
    expect(await store.load(key)).toEqual(entries);
  },
  async 'takes an append of nothing'(store) {
    const key = keyOf();
    await store.append(key, [entry(1)]);
    await store.append(key, []);
    expect((await store.load(key))?.length).toBe(1);
  },
  async 'keeps files of subagents apart, also without a main file'(store) {
    const key = keyOf();
    const [main, one, two] = [entry(1), entry(2), entry(3)];
    await store.append({ ...key, subpath: 'subagents/agent-1' }, [one]);
    expect(await store.load(key)).toBeNull();
    await store.append(key, [main]);
    await store.append({ ...key, subpath: 'subagents/agent-2' }, [two]);
    expect(await Promise.all([key, { ...key, subpath: 'subagents/agent-1' }, { ...key, subpath: 'subagents/agent-2' }].map((of) => store.load(of)))).toEqual([
      [main],
      [one],
      [two],
    ]);
  },
  async 'keeps projects apart'(store) {
    const key = keyOf();
    const other = { ...key, projectKey: `${key.projectKey} other` };
    await store.append(key, [entry(1)]);
    expect(await store.load(other)).toBeNull();
    expect(await store.listSessions(other.projectKey)).toEqual([]);
  },
  async 'lists the sessions of a project with whole milliseconds'(store) {
    const [one, two] = [keyOf(), keyOf()];
    two.projectKey = one.projectKey;
    for (const key of [one, two]) await store.append(key, [entry(1)]);
    await store.append({ ...one, subpath: 'subagents/agent-1' }, [entry(1)]);
    const listed = await store.listSessions(one.projectKey);
    expect(ids(listed)).toEqual([one.sessionId, two.sessionId].toSorted());
    for (const { mtime } of listed) expect(Number.isInteger(mtime) && mtime > 1e12).toBe(true);
  },
  async 'lists nothing of a project that it does not know'(store) {
    expect(await store.listSessions(keyOf().projectKey)).toEqual([]);
  },
  async 'deletes a session with the files of its subagents, and no other'(store) {
    const [key, other] = [keyOf(), keyOf()];
    other.projectKey = key.projectKey;
    const sub = { ...key, subpath: 'subagents/agent-1' };
    for (const one of [key, sub, other]) await store.append(one, [entry(1)]);
    await store.delete(key);
    expect([await store.load(key), await store.load(sub)]).toEqual([null, null]);
    expect([ids(await store.listSessions(key.projectKey)), await store.listSubkeys(key)]).toEqual([[other.sessionId], []]);
    const again = entry(2);
    await store.append(key, [again]);
    expect(await store.load(key)).toEqual([again]);
  },
  async 'deletes the file of one subagent alone'(store) {
    const key = keyOf();
    for (const subpath of [undefined, 'subagents/agent-1', 'subagents/agent-2']) await store.append(subpath ? { ...key, subpath } : key, [entry(1)]);
    await store.delete({ ...key, subpath: 'subagents/agent-1' });
    expect([await store.listSubkeys(key), (await store.load(key))?.length]).toEqual([['subagents/agent-2'], 1]);
  },
  async 'deletes what it does not know'(store) {
    await store.delete(keyOf());
    await store.delete(keyOf({ subpath: 'subagents/agent-1' }));
  },
  async 'lists the files of the subagents of one session'(store) {
    const [key, other] = [keyOf(), keyOf()];
    other.projectKey = key.projectKey;
    for (const subpath of ['subagents/agent-1', 'a/b c/ü']) await store.append({ ...key, subpath }, [entry(1)]);
    await store.append({ ...other, subpath: 'subagents/agent-3' }, [entry(1)]);
    expect((await store.listSubkeys(key)).toSorted()).toEqual(['a/b c/ü', 'subagents/agent-1']);
    expect(await store.listSubkeys(keyOf())).toEqual([]);
  },
  async 'keeps summaries of the same time as its list'(store) {
    const key = keyOf();
    const at = '2026-01-01T00:00:00.000Z';
    const prompt = (content: string) => entry(1, { type: 'user', parentUuid: null, timestamp: at, cwd: '/home/me', message: { role: 'user', content } });
    await store.append(key, [prompt('the first question')]);
    await store.append(key, [{ type: 'custom-title', customTitle: 'A title', sessionId: key.sessionId }]);
    await store.append({ ...key, subpath: 'subagents/agent-1' }, [prompt('of a subagent')]);
    const [listed] = await store.listSessions(key.projectKey);
    const summaries = await store.listSessionSummaries!(key.projectKey);
    expect(summaries.map(({ sessionId, mtime }) => ({ sessionId, mtime }))).toEqual([listed]);
    expect(JSON.stringify(summaries[0]!.data)).toContain('the first question');
    expect(JSON.stringify(summaries[0]!.data)).toContain('A title');
  },
};
