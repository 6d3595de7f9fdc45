import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import type { EventStore, Sessions } from '../../ports/index.js';
import { emptyState, type SessionState } from '../../session/state/state.js';
import { SETTINGS } from '../../../test/support/planned-import.js';
import { FileSessions } from './file-sessions.js';
import { StoredTexts } from './stored-texts.js';
import { KeptFiles } from './kept-files.js';
import { sessionOfFile } from './store-ids.js';

const TENANT = 't';
const LIMIT = 8_000_000;

/** Sessions whose logs have lines of a session file, an event of them after another. */
class Logs {
  readonly states = new Map<string, SessionState>();
  readonly events = new Map<string, SessionEvent[]>();
  loads = 0;
  /** Characters of the longest page. */
  longest = 0;
  evict: (state: SessionState) => void = () => undefined;

  readonly files = new KeptFiles(this as unknown as EventStore, this as unknown as Sessions, {
    ...{ MODEL: SETTINGS.model, MAX_IMPORT_LINE_BYTES: 100_000_000, REFUSED_PROMPTS: 'keep', SESSION_FILE_CACHE_BYTES: LIMIT },
  });

  onEvicted(listener: (state: SessionState) => void): void {
    this.evict = listener;
  }

  append(id: string, lines: readonly string[]): SessionEvent {
    const events = this.events.get(id) ?? [];
    const data = { lines, uuids: lines.map(() => null), batch: null, messages: [], head: null, summary: null };
    const event = { type: 'lines.appended', seq: events.length + 1, data } as unknown as SessionEvent;
    const state = this.states.get(id) ?? emptyState();
    state.version = event.seq;
    this.states.set(id, state);
    this.events.set(id, [...events, event]);
    return event;
  }

  known(_: string, id: string): SessionState | null {
    return this.states.get(id) ?? null;
  }

  async load(_: string, id: string, after?: number, upTo?: number): Promise<SessionState | readonly SessionEvent[]> {
    this.loads += 1;
    return after === undefined ? (this.states.get(id) ?? emptyState()) : this.events.get(id)!.slice(after, upTo);
  }

  async within(_: string, id: string, after: number, most: { readonly events: number; readonly bytes: number }): Promise<number> {
    let bytes = 0;
    const over = this.events
      .get(id)!
      .slice(after)
      .findIndex(({ data }) => (bytes += JSON.stringify(data).length) > most.bytes);
    return Math.max(1, over === -1 ? most.events : over);
  }

  async page(_: string, id: string, after: number, limit: number): Promise<readonly SessionEvent[]> {
    this.longest = Math.max(this.longest, JSON.stringify(this.events.get(id)!.slice(after, after + limit)).length);
    return this.events.get(id)!.slice(after, after + limit);
  }

  async write(id: string, texts: readonly string[]): Promise<void> {
    const file = await this.files.take(TENANT, id, this.states.get(id) ?? emptyState());
    for (const text of texts) file.add({ text, value: JSON.parse(text) });
    file.stored([this.append(id, texts)], this.states.get(id)!.version);
    this.files.give(TENANT, id, file);
  }
}

const line = (characters: number): string => JSON.stringify({ type: 'x', text: 'x'.repeat(characters) });

describe('what is known of session files', () => {
  it('takes no more memory than it may, however long the lines are', async () => {
    const logs = new Logs();
    for (let n = 0; n < 20; n += 1)
      await logs.write(
        `s${n}`,
        Array.from({ length: 4 }, () => line(400_000)),
      );
    expect(logs.files.bytes).toBeGreaterThan(1_000_000);
    expect(logs.files.bytes).toBeLessThanOrEqual(LIMIT);
    await logs.write('long', [line(5_000_000)]);
    expect(logs.files.bytes).toBeLessThanOrEqual(LIMIT);
  });

  it('leaves the memory with the state of the session', async () => {
    const logs = new Logs();
    await logs.write('s', [line(100)]);
    expect(logs.files.bytes).toBeGreaterThan(0);
    logs.evict(logs.states.get('s')!);
    expect(logs.files.bytes).toBe(0);
    const file = await logs.files.take(TENANT, 's', logs.states.get('s')!);
    logs.append('s', [line(100)]); // another process
    logs.files.give(TENANT, 's', file);
    expect(logs.files.bytes).toBe(0);
    logs.states.delete('s');
    logs.files.give(TENANT, 's', file);
    expect(logs.files.bytes).toBe(0);
  });

  it('reads no more at once than some MiB, however many events there are', async () => {
    const logs = new Logs();
    for (let n = 0; n < 40; n += 1) logs.append('s', [line(n % 2 === 0 ? 10 : 1_000_000)]);
    expect((await logs.files.take(TENANT, 's', logs.states.get('s')!)).count).toBe(40);
    expect(logs.longest).toBeLessThan(5_000_000);
  });

  it('reads an event once for all its lines', async () => {
    const logs = new Logs();
    const lines = Array.from({ length: 300 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(10_000) }));
    for (const at of [0, 100, 200]) logs.append('s', lines.slice(at, at + 100));
    const file = await logs.files.take(TENANT, 's', logs.states.get('s')!);
    const texts = new StoredTexts(logs as unknown as EventStore, { tenantId: TENANT, sessionId: 's' });
    for (const [at, text] of lines.entries()) expect(await texts.text(file, at + 1)).toBe(text);
    expect(logs.loads).toBeLessThanOrEqual(3);
  });

  it.each([0, 1, 2, 3, 7, 8, 100, 4_000])('finds the session of a file that was erased %i times', async (erased) => {
    const logs = new Logs();
    const owner = { tenantId: TENANT, userId: 'u' };
    const key = { projectKey: 'p', sessionId: 's', subpath: null };
    for (let n = 0; n < erased; n += 1) {
      const state = emptyState();
      state.erased = {} as SessionState['erased'];
      logs.states.set(sessionOfFile(owner, key, n), state);
    }
    expect((await new FileSessions(logs as unknown as Sessions).find(owner, key)).id).toBe(sessionOfFile(owner, key, erased));
    expect(logs.loads).toBeLessThan(30);
  });
});
