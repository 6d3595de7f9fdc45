import type { LiveSignal } from '../../core/ports.js';
import type { Note } from './message.js';

/** Of one kind there is at most one in the buffer. */
type Plain = 'nudge' | 'hello' | 'here' | 'bye';

type Entry =
  | { readonly kind: 'advanced'; readonly sessionId: string; readonly seq: number }
  | { readonly kind: 'delta'; readonly text: string; readonly bytes: number }
  | { readonly kind: 'plain'; readonly note: Plain };

/** What a hint takes on the wire, roughly. */
const HINT_BYTES = 64;

/**
 * What waits to be sent, in order. Hints are coalesced (per session only the highest seq, at the latest place) and never
 * dropped; deltas are held up to `maxBytes`, beyond that the oldest go first. Every operation is amortised constant time.
 */
export class SendBuffer {
  /** Deltas under a running number, the rest under a name. */
  readonly #entries = new Map<string | number, Entry>();
  #nextDelta = 0;
  #oldestDelta = 0;
  #deltaBytes = 0;
  #dropped = 0;

  constructor(private readonly maxBytes: number) {}

  get empty(): boolean {
    return this.#entries.size === 0;
  }

  add(signal: LiveSignal): void {
    if (signal.kind === 'advanced') return this.#addHint(signal.sessionId, signal.seq);
    // Serialised now: the buffer counts bytes, and the caller may go on changing its data.
    const text = JSON.stringify(['delta', signal.sessionId, signal.type, signal.data] satisfies Note);
    const bytes = Buffer.byteLength(text);
    this.#entries.set(this.#nextDelta, { kind: 'delta', text, bytes });
    this.#nextDelta += 1;
    this.#deltaBytes += bytes;
    while (this.#deltaBytes > this.maxBytes) this.#dropOldest();
  }

  addPlain(note: Plain): void {
    this.#entries.set(note, { kind: 'plain', note });
  }

  /** Takes the oldest entries, about `bytes` of them and at least one. */
  take(bytes: number): readonly Entry[] {
    const taken: Entry[] = [];
    let size = 0;
    for (const [key, entry] of this.#entries) {
      if (size >= bytes) break;
      taken.push(entry);
      this.#entries.delete(key);
      if (entry.kind === 'delta') this.#deltaBytes -= entry.bytes;
      size += entry.kind === 'delta' ? entry.bytes : HINT_BYTES;
    }
    return taken;
  }

  /** Sending failed. Hints come back, as they may be told twice; a delta told twice would show twice, so it goes. */
  restore(taken: readonly Entry[]): void {
    for (const entry of taken) {
      switch (entry.kind) {
        case 'advanced':
          this.#addHint(entry.sessionId, entry.seq);
          break;
        case 'plain':
          this.addPlain(entry.note);
          break;
        case 'delta':
          this.#dropped += 1;
          break;
      }
    }
  }

  /** Deltas lost since the last call. */
  countDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #addHint(sessionId: string, seq: number): void {
    const key = `advanced ${sessionId}`;
    const waiting = this.#entries.get(key);
    const highest = waiting?.kind === 'advanced' ? Math.max(waiting.seq, seq) : seq;
    this.#entries.delete(key); // so that it goes behind the deltas that were published before it
    this.#entries.set(key, { kind: 'advanced', sessionId, seq: highest });
  }

  #dropOldest(): void {
    for (; ; this.#oldestDelta += 1) {
      const oldest = this.#entries.get(this.#oldestDelta);
      if (oldest?.kind !== 'delta') continue;
      this.#entries.delete(this.#oldestDelta);
      this.#deltaBytes -= oldest.bytes;
      this.#dropped += 1;
      return;
    }
  }
}

/** The batch's text on the wire: a JSON array of notes. */
export function serialise(entries: readonly Entry[]): string {
  const notes = entries.map((entry) => {
    switch (entry.kind) {
      case 'delta':
        return entry.text;
      case 'advanced':
        return JSON.stringify(['advanced', entry.sessionId, entry.seq] satisfies Note);
      case 'plain':
        return JSON.stringify([entry.note] satisfies Note);
    }
  });
  return `[${notes.join(',')}]`;
}
