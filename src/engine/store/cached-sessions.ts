import { type EventLog, type EventStore, type KnownVersion, type ReadSessions, Sessions, type VerifiedPlace } from '../../ports/index.js';
import type { ForkedFrom, SessionEvent } from '../../../packages/protocol/events/events.js';
import { emptyState, type SessionState } from '../../session/state/state.js';
import { faultIn, logTampered } from '../../../packages/protocol/events/tampered.js';
import { advance, type FoldedState, forkedFrom, forkStart } from './folded-state.js';
import { LogErasures } from './log-erasures.js';

import { type OnRefusal, Refusals } from './refusals.js';
import { SharedSessions } from './shared-sessions.js';

export interface CacheLimits {
  /** Milliseconds that a session is kept after its last use. */
  readonly idleMs: number;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Gets the number of cached sessions and their approximate size when they have changed. */
  readonly measure?: (sessions: number, bytes: number) => void;
  readonly onRefusal?: OnRefusal;
}

const NO_LIMITS: CacheLimits = { idleMs: Infinity, clock: () => 0 };

/** Events per read. */
const PAGE = 500;

/**
 * Cached session states. Every load still reads newer events from the log, so a cached state is never stale, only cheaper to update; after an erasure it
 * is folded again. The state of a fork starts from the state of its parent at the forked version. Bounded by the approximate size of the folded events; the least recently used sessions are evicted first,
 * and those that are not used for a time, so that erased content leaves the memory of a process that was not told of the erasure.
 */
export class CachedSessions extends Sessions {
  readonly #cached = new Map<string, FoldedState>();
  #bytes = 0;
  readonly #refusals: Refusals;
  readonly #listeners: ((state: SessionState) => void)[] = [];
  /** Logs that are being folded, and whether content of theirs was erased meanwhile. */
  readonly #folding = new Map<string, { folds: number; forgotten: boolean }>();

  constructor(
    private readonly store: EventStore,
    private readonly maxBytes: number,
    private readonly limits: CacheLimits = NO_LIMITS,
  ) {
    super();
    this.#refusals = new Refusals(limits.onRefusal);
  }

  load(tenantId: string, sessionId: string): Promise<SessionState> {
    return this.#refusals.of(() => this.#load(this.store, tenantId, sessionId));
  }

  /** The same sessions for reads: what is not cached is folded from `log`, which may be that of standbys. */
  reading(log: EventLog): ReadSessions {
    return new SharedSessions(this, {
      load: (tenantId, sessionId) => this.#refusals.of(() => this.#load(log, tenantId, sessionId)),
      loadAt: async (tenantId, sessionId, seq) => (await this.#refusals.of(() => this.#foldConfirmed(log, tenantId, sessionId, seq))).state,
    });
  }

  async #load(log: EventLog, tenantId: string, sessionId: string): Promise<SessionState> {
    const key = `${tenantId}/${sessionId}`;
    for (let known = this.#cached.get(key); known; known = this.#cached.get(key)) {
      const { version } = known.state;
      const { events, place } = await this.store.follow(tenantId, sessionId, known.place, version + PAGE);
      const state = this.#apply(key, version, events, place);
      if (state && events.length < PAGE) return state;
    }
    return this.#folded(key, () => this.#foldConfirmed(log, tenantId, sessionId));
  }

  known(tenantId: string, sessionId: string): SessionState | null {
    return this.#cached.get(`${tenantId}/${sessionId}`)?.state ?? null;
  }

  place(tenantId: string, sessionId: string): VerifiedPlace | null {
    return this.#cached.get(`${tenantId}/${sessionId}`)?.place ?? null;
  }

  async loadAt(tenantId: string, sessionId: string, seq: number): Promise<SessionState> {
    return (await this.#refusals.of(() => this.#fold(this.store, tenantId, sessionId, seq))).state;
  }

  advance(tenantId: string, sessionId: string, events: readonly SessionEvent[], headHash: string | null): SessionState | null {
    const [first, last] = [events[0], events.at(-1)];
    if (!first || !last || headHash === null) return this.known(tenantId, sessionId);
    if (forkedFrom(events)) return null; // the state of the parent would have to be loaded
    return this.#apply(`${tenantId}/${sessionId}`, first.seq - 1, events, { seq: last.seq, hash: headHash });
  }

  forget(tenantId: string, sessionId: string): void {
    const key = `${tenantId}/${sessionId}`;
    const folding = this.#folding.get(key);
    if (folding) folding.forgotten = true;
    this.#remove(key);
  }

  onEvicted(listener: (state: SessionState) => void): void {
    this.#listeners.push(listener);
  }

  async evictStale(): Promise<readonly KnownVersion[]> {
    this.#evictIdle();
    const known = [...this.#cached].map(([key, { state }]) => {
      const [tenantId = '', sessionId = ''] = key.split('/');
      return { tenantId, sessionId, version: state.version };
    });
    const erased: KnownVersion[] = [];
    for (let at = 0; at < known.length; at += PAGE) erased.push(...(await this.store.erasedSince(known.slice(at, at + PAGE))));
    for (const { tenantId, sessionId } of erased) this.forget(tenantId, sessionId);
    return erased;
  }

  #evictIdle(): void {
    const before = this.limits.clock() - this.limits.idleMs;
    for (const [key, { usedAt }] of this.#cached) {
      if (usedAt > before) return;
      this.#remove(key);
    }
  }

  /** Caches the state, unless content of it was erased while its events were read. */
  async #folded(key: string, fold: () => Promise<FoldedState>): Promise<SessionState> {
    const folding = this.#folding.get(key) ?? { folds: 0, forgotten: false };
    this.#folding.set(key, folding);
    folding.folds += 1;
    try {
      const folded = await fold();
      if (!folding.forgotten) return this.#store(key, folded);
      this.#evicted(folded.state); // it was never cached
      return folded.state;
    } finally {
      folding.folds -= 1;
      if (folding.folds === 0) this.#folding.delete(key);
    }
  }

  /**
   * What is kept, or depended on by later reads, is confirmed by the primary, which has the hash of its last event: see `ConfirmedEventLog`. What is wrong with it is asked of the primary as
   * well.
   */
  async #foldConfirmed(log: EventLog, tenantId: string, sessionId: string, upTo = Infinity): Promise<FoldedState> {
    if (log !== this.store) {
      const folded = await this.#fold(log, tenantId, sessionId, upTo).catch((error: unknown) => {
        if (!faultIn(error)) throw error;
        return null;
      });
      if (folded && (await this.#isConfirmed(tenantId, sessionId, folded))) return folded;
    }
    return this.#fold(this.store, tenantId, sessionId, upTo);
  }

  async #isConfirmed(tenantId: string, sessionId: string, { place, state }: FoldedState): Promise<boolean> {
    return place === null ? state.version === 0 : (await this.store.hashAt(tenantId, sessionId, place.seq)) === place.hash;
  }

  /** Again when content was erased meanwhile. What an erasure has taken that was there at the beginning must be gone: or else the log was changed. */
  async #fold(log: EventLog, tenantId: string, sessionId: string, upTo = Infinity): Promise<FoldedState> {
    for (let known = 0; ;) {
      const erasures = new LogErasures(sessionId, known);
      const folded = await this.#foldPages(log, tenantId, sessionId, upTo, erasures);
      if (folded) return folded;
      known = erasures.last;
    }
  }

  /** Page by page, so that other work runs in between. Null: the pages before were read with content that was erased since. */
  async #foldPages(log: EventLog, tenantId: string, sessionId: string, upTo: number, erasures: LogErasures): Promise<FoldedState | null> {
    let folded = this.#empty();
    if (upTo !== Infinity) folded.state.bodies = new Map();
    for (let isLast = false; !isLast;) {
      const { version } = folded.state;
      const { events, place } = await log.follow(tenantId, sessionId, folded.place, Math.min(version + PAGE, upTo));
      const from = forkedFrom(events);
      if (from) folded = { ...folded, ...forkStart(await this.#parent(log, tenantId, sessionId, from), from, folded.state.bodies) };
      if (!erasures.add(events)) return null;
      advance(folded, events, place);
      isLast = events.length < PAGE;
    }
    // What erased these events may come after the version that was asked for.
    for (let place = upTo === Infinity ? null : folded.place; place && erasures.isOpen;) {
      const next = await log.follow(tenantId, sessionId, place, place.seq + PAGE);
      if (!erasures.add(next.events)) return null;
      place = next.events.length < PAGE ? null : next.place;
    }
    erasures.end();
    return folded;
  }

  /** The parent of a fork. What was changed in it after the event that was forked does not concern the fork. */
  async #parent(log: EventLog, tenantId: string, sessionId: string, { sessionId: parent, seq, headHash }: ForkedFrom): Promise<SessionState> {
    if ((await log.hashAt(tenantId, parent, seq)) !== headHash) throw logTampered(sessionId, { seq: 1, kind: 'parent' });
    try {
      return await this.#load(log, tenantId, parent);
    } catch (error) {
      if (!faultIn(error)) throw error;
      return (await this.#foldConfirmed(log, tenantId, parent, seq)).state;
    }
  }

  /** Applies `events`, which follow version `after`, to the cached state. Null when the cached state is older than that, because it was evicted meanwhile, or has content that was erased. */
  #apply(key: string, after: number, events: readonly SessionEvent[], place: VerifiedPlace | null): SessionState | null {
    const known = this.#cached.get(key) ?? this.#empty();
    if (known.state.version < after) return null;
    if (events.some((event) => (event.type === 'content.erased' || event.erased) && event.seq > known.state.version)) {
      this.#remove(key);
      return null;
    }
    const bytesBefore = this.#cached.delete(key) ? known.bytes : 0;
    advance(known, events, place);
    known.usedAt = this.limits.clock();
    if (known.state.version > 0) this.#cached.set(key, known);
    this.#bytes += known.bytes - bytesBefore;
    this.#evict();
    this.#measure();
    return known.state;
  }

  /** Caches a state, unless a concurrent load has cached a later version. */
  #store(key: string, folded: FoldedState): SessionState {
    const known = this.#cached.get(key);
    if (known && known.state.version >= folded.state.version) return known.state;
    if (folded.state.version === 0) return folded.state;
    this.#remove(key); // the new one is at the end of the eviction order
    this.#cached.set(key, folded);
    this.#bytes += folded.bytes;
    this.#evict();
    this.#measure();
    return folded.state;
  }

  /** Never evicts the last session, whatever its size: folding it again at each step of its turn would cost far more. */
  #evict(): void {
    for (const key of this.#cached.keys()) {
      if (this.#bytes <= this.maxBytes || this.#cached.size === 1) return;
      this.#remove(key);
    }
  }

  #remove(key: string): void {
    const known = this.#cached.get(key);
    if (!known) return;
    this.#cached.delete(key);
    this.#bytes -= known.bytes;
    this.#evicted(known.state);
    this.#measure();
  }

  #evicted(state: SessionState): void {
    for (const listener of this.#listeners) listener(state);
  }

  #measure(): void {
    this.limits.measure?.(this.#cached.size, this.#bytes);
  }

  #empty(): FoldedState {
    return { state: emptyState(), place: null, bytes: 0, usedAt: this.limits.clock() };
  }
}
