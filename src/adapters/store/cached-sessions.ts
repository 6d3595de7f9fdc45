import { type EventStore, Sessions } from '../../core/ports.js';
import { evolve, fold } from '../../core/session/evolve.js';
import type { SessionEvent } from '../../core/session/events.js';
import { emptyState, type SessionState } from '../../core/session/state.js';

interface Cached {
  readonly state: SessionState;
  bytes: number;
}

/**
 * Folded sessions as baselines: every load still asks the log for what is newer, so a cached session is never stale, only cheaper to bring up to date.
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
    const after = this.#cached.get(key)?.state.version ?? 0;
    const events = await this.store.load(tenantId, sessionId, after);
    return this.#follow(key, after, events) ?? fold(await this.store.load(tenantId, sessionId));
  }

  async loadAt(tenantId: string, sessionId: string, seq: number): Promise<SessionState> {
    return fold(await this.store.load(tenantId, sessionId, 0, seq));
  }

  advance(tenantId: string, sessionId: string, events: readonly SessionEvent[]): SessionState | null {
    return this.#follow(`${tenantId}/${sessionId}`, (events[0]?.seq ?? 1) - 1, events);
  }

  /** `events` follow version `after`. Null when less than that is known: the baseline they belong to has been evicted meanwhile. */
  #follow(key: string, after: number, events: readonly SessionEvent[]): SessionState | null {
    const known = this.#cached.get(key) ?? { state: emptyState(), bytes: 0 };
    if (known.state.version < after) return null;
    const bytesBefore = this.#cached.delete(key) ? known.bytes : 0;
    for (const event of events) {
      if (event.seq <= known.state.version) continue;
      evolve(known.state, event);
      known.bytes += weight(event.data);
    }
    if (known.state.version === 0) return known.state;
    this.#bytes += known.bytes - bytesBefore;
    this.#cached.set(key, known);
    this.#evict();
    return known.state;
  }

  #evict(): void {
    for (const [key, { bytes }] of this.#cached) {
      if (this.#bytes <= this.maxBytes) return;
      this.#cached.delete(key);
      this.#bytes -= bytes;
    }
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
