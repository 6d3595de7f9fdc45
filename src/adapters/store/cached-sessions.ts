import { type EventStore, Sessions } from '../../core/ports.js';
import { evolve } from '../../core/session/evolve.js';
import type { ForkedFrom, SessionEvent } from '../../core/session/events.js';
import { inherited } from '../../core/decide/fork.js';
import { emptyState, type SessionState } from '../../core/session/state.js';

interface Cached {
  readonly state: SessionState;
  bytes: number;
}

/** Events per read. */
const PAGE = 500;

/**
 * Cached session states. Every load still reads newer events from the log, so a cached state is never stale, only cheaper to update; after an erasure it
 * is folded again. The state of a fork starts from the state of its parent at the forked version. Bounded by the approximate size of the folded events; the least recently used sessions are evicted first.
 */
export class CachedSessions extends Sessions {
  readonly #cached = new Map<string, Cached>();
  #bytes = 0;

  constructor(
    private readonly store: EventStore,
    private readonly maxBytes: number,
  ) {
    super();
  }

  async load(tenantId: string, sessionId: string): Promise<SessionState> {
    const key = `${tenantId}/${sessionId}`;
    for (let known = this.#cached.get(key); known; known = this.#cached.get(key)) {
      const after = known.state.version;
      const events = await this.store.load(tenantId, sessionId, after, after + PAGE);
      const state = this.#apply(key, after, events);
      if (state && events.length < PAGE) return state;
    }
    return this.#store(key, await this.#fold(tenantId, sessionId));
  }

  known(tenantId: string, sessionId: string): SessionState | null {
    return this.#cached.get(`${tenantId}/${sessionId}`)?.state ?? null;
  }

  async loadAt(tenantId: string, sessionId: string, seq: number): Promise<SessionState> {
    return (await this.#fold(tenantId, sessionId, seq)).state;
  }

  advance(tenantId: string, sessionId: string, events: readonly SessionEvent[]): SessionState | null {
    if (forkedFrom(events)) return null; // the state of the parent would have to be loaded
    return this.#apply(`${tenantId}/${sessionId}`, (events[0]?.seq ?? 1) - 1, events);
  }

  /** Page by page, so that other work runs in between. */
  async #fold(tenantId: string, sessionId: string, upTo = Infinity): Promise<Cached> {
    let folded: Cached = { state: emptyState(), bytes: 0 };
    const erased = new Set<number>();
    for (;;) {
      const after = folded.state.version;
      const events = await this.store.load(tenantId, sessionId, after, Math.min(after + PAGE, upTo));
      const from = forkedFrom(events);
      if (from) folded = forkStart(await this.load(tenantId, from.sessionId), from);
      for (const event of events) if (event.erased) erased.add(event.seq);
      // An erasure between two pages: the pages before it were read with what it has erased.
      if (events.some((event) => event.type === 'content.erased' && event.data.events.some(({ seq }) => !erased.has(seq)))) {
        folded = { state: emptyState(), bytes: 0 };
        erased.clear();
        continue;
      }
      advance(folded, events);
      if (events.length < PAGE) return folded;
    }
  }

  /** Applies `events`, which follow version `after`, to the cached state. Null when the cached state is older than that, because it was evicted meanwhile, or has content that was erased. */
  #apply(key: string, after: number, events: readonly SessionEvent[]): SessionState | null {
    const known = this.#cached.get(key) ?? { state: emptyState(), bytes: 0 };
    if (known.state.version < after) return null;
    const bytesBefore = this.#cached.delete(key) ? known.bytes : 0;
    if (events.some((event) => event.type === 'content.erased' && event.seq > known.state.version)) {
      this.#bytes -= bytesBefore;
      return null;
    }
    advance(known, events);
    if (known.state.version > 0) this.#cached.set(key, known);
    this.#bytes += known.bytes - bytesBefore;
    this.#evict();
    return known.state;
  }

  /** Caches a state, unless a concurrent load has cached a later version. */
  #store(key: string, folded: Cached): SessionState {
    const known = this.#cached.get(key);
    if (known && known.state.version >= folded.state.version) return known.state;
    if (folded.state.version === 0) return folded.state;
    this.#cached.delete(key); // moves it to the end of the eviction order
    this.#cached.set(key, folded);
    this.#bytes += folded.bytes - (known?.bytes ?? 0);
    this.#evict();
    return folded.state;
  }

  /** Never evicts the last session, whatever its size: folding it again at each step of its turn would cost far more. */
  #evict(): void {
    for (const [key, { bytes }] of this.#cached) {
      if (this.#bytes <= this.maxBytes || this.#cached.size === 1) return;
      this.#cached.delete(key);
      this.#bytes -= bytes;
    }
  }
}

function forkedFrom([first]: readonly SessionEvent[]): ForkedFrom | null {
  return first?.type === 'session.created' ? (first.data.forkedFrom ?? null) : null;
}

/** The state of a fork before its own first event. Shared messages count in full, because they stay in memory when the parent is evicted. */
function forkStart(parent: SessionState, from: ForkedFrom): Cached {
  const state = inherited(parent, from);
  let bytes = 0;
  for (const record of state.messages.values()) bytes += weight(record);
  return { state, bytes };
}

/** Skips events that are already applied. */
function advance(known: Cached, events: readonly SessionEvent[]): void {
  for (const event of events) {
    if (event.seq <= known.state.version) continue;
    evolve(known.state, event);
    known.bytes += weight(event.data);
  }
}

const OVERHEAD = 64;

/** The approximate size of a value in memory: two bytes per character and a fixed overhead per object. */
function weight(value: unknown): number {
  let total = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string') total += OVERHEAD + 2 * next.length;
    else if (typeof next === 'object' && next !== null) {
      total += OVERHEAD;
      for (const member of Object.values(next)) rest.push(member);
    }
  }
  return total;
}
