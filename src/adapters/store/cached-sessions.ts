import { type EventStore, Sessions } from '../../core/ports.js';
import { evolve } from '../../core/session/evolve.js';
import type { ForkedFrom, SessionEvent } from '../../core/session/events.js';
import { inherited } from '../../core/decide/fork.js';
import { emptyState, type SessionState } from '../../core/session/state.js';

interface Cached {
  readonly state: SessionState;
  bytes: number;
}

/** Events read at once. */
const PAGE = 500;

/**
 * Folded sessions as baselines: every load still asks the log for what is newer, so a cached session is never stale, only cheaper to bring up to date.
 * A fork is folded onto what it shares with the session it was made of, which is loaded like any other; what that does later is of no effect on it.
 * Bounded by the rough size of the events folded in; the least recently used sessions go first.
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
      const state = this.#follow(key, after, events);
      if (state && events.length < PAGE) return state;
    }
    return this.#keep(key, await this.#fold(tenantId, sessionId));
  }

  known(tenantId: string, sessionId: string): SessionState | null {
    return this.#cached.get(`${tenantId}/${sessionId}`)?.state ?? null;
  }

  async loadAt(tenantId: string, sessionId: string, seq: number): Promise<SessionState> {
    return (await this.#fold(tenantId, sessionId, seq)).state;
  }

  advance(tenantId: string, sessionId: string, events: readonly SessionEvent[]): SessionState | null {
    if (forkedFrom(events)) return null; // what it goes on from is not at hand
    return this.#follow(`${tenantId}/${sessionId}`, (events[0]?.seq ?? 1) - 1, events);
  }

  /** Page by page: everybody else has their turn in between. */
  async #fold(tenantId: string, sessionId: string, upTo = Infinity): Promise<Cached> {
    let folded: Cached = { state: emptyState(), bytes: 0 };
    for (;;) {
      const after = folded.state.version;
      const events = await this.store.load(tenantId, sessionId, after, Math.min(after + PAGE, upTo));
      const from = forkedFrom(events);
      if (from) folded = begun(await this.load(tenantId, from.sessionId), from);
      advance(folded, events);
      if (events.length < PAGE) return folded;
    }
  }

  /** `events` follow version `after`. Null when less than that is known: the baseline they belong to has been evicted meanwhile. */
  #follow(key: string, after: number, events: readonly SessionEvent[]): SessionState | null {
    const known = this.#cached.get(key) ?? { state: emptyState(), bytes: 0 };
    if (known.state.version < after) return null;
    const bytesBefore = this.#cached.delete(key) ? known.bytes : 0;
    advance(known, events);
    if (known.state.version > 0) this.#cached.set(key, known);
    this.#bytes += known.bytes - bytesBefore;
    this.#evict();
    return known.state;
  }

  /** Of two that were folded at the same time the one that is further on stays. */
  #keep(key: string, folded: Cached): SessionState {
    const known = this.#cached.get(key);
    if (known && known.state.version >= folded.state.version) return known.state;
    if (folded.state.version === 0) return folded.state;
    this.#cached.delete(key); // to the end of the line
    this.#cached.set(key, folded);
    this.#bytes += folded.bytes - (known?.bytes ?? 0);
    this.#evict();
    return folded.state;
  }

  /** The session in use stays, whatever its size: folding it anew at each step of its turn would cost far more. */
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

/** A fork before its own first event. The messages count in full: they stay in memory when the session they come from goes. */
function begun(parent: SessionState, from: ForkedFrom): Cached {
  const state = inherited(parent, from);
  let bytes = 0;
  for (const record of state.messages.values()) bytes += weight(record);
  return { state, bytes };
}

/** Passes over what is known already. */
function advance(known: Cached, events: readonly SessionEvent[]): void {
  for (const event of events) {
    if (event.seq <= known.state.version) continue;
    evolve(known.state, event);
    known.bytes += weight(event.data);
  }
}

const OVERHEAD = 64;

/** Roughly what a value occupies in memory: two bytes a character, a flat price per object. */
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
