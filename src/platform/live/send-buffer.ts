import type { LiveSignal } from '../../ports/index.js';
import { deltaLine, type Message } from './message.js';
import { ALL, areDeltas, deltasOf, hintsOf } from './topics.js';

/** Messages about processes: at most one of each kind is buffered. */
export type Control = Exclude<Message, readonly ['advanced', ...unknown[]]>;

type Hint = Omit<Extract<LiveSignal, { readonly kind: 'advanced' }>, 'events'>;

type Entry =
  | Hint
  | { readonly kind: 'delta'; readonly sessionId: string; readonly text: string; readonly bytes: number }
  | { readonly kind: 'control'; readonly message: Control };

/** The approximate size of a hint in a batch. */
const HINT_BYTES = 64;

/**
 * Messages that wait to be sent, in order. Hints are coalesced (per session only the highest seq, at the last position) and never dropped. Deltas are
 * buffered up to `maxBytes`; past that the oldest are dropped. Every operation takes amortized constant time.
 */
export class SendBuffer {
  /** Deltas are keyed by a counter, all others by name. */
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
    if (signal.kind === 'advanced') return this.#addHint(signal);
    // Serialized at once: the buffer counts bytes, and the caller may change its data later.
    const text = deltaLine(signal);
    const bytes = Buffer.byteLength(text);
    this.#entries.set(this.#nextDelta, { kind: 'delta', sessionId: signal.sessionId, text, bytes });
    this.#nextDelta += 1;
    this.#deltaBytes += bytes;
    while (this.#deltaBytes > this.maxBytes) this.#dropOldest();
  }

  addControl(message: Control): void {
    this.#entries.set(message[0], { kind: 'control', message });
  }

  /** Removes and returns the oldest entries, about `bytes` in all and at least one. */
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

  /** Sending failed. Hints are idempotent and return to the buffer; a delta that arrived twice would be shown twice, so deltas are dropped. */
  restore(taken: readonly Entry[]): void {
    for (const entry of taken) {
      switch (entry.kind) {
        case 'advanced':
          this.#addHint(entry);
          break;
        case 'control':
          this.addControl(entry.message);
          break;
        case 'delta':
          this.#dropped += 1;
          break;
      }
    }
  }

  /** The number of deltas dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #addHint({ sessionId, seq, stopped }: Hint): void {
    const key = `advanced ${sessionId}`;
    const waiting = this.#entries.get(key);
    this.#entries.delete(key); // so that it follows the deltas that were published before it
    if (waiting?.kind !== 'advanced') return void this.#entries.set(key, hint(sessionId, seq, stopped));
    const all = waiting.stopped && stopped ? [...waiting.stopped, ...stopped] : undefined;
    this.#entries.set(key, hint(sessionId, Math.max(waiting.seq, seq), all));
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

const hint = (sessionId: string, seq: number, stopped: readonly string[] | undefined): Hint => ({
  kind: 'advanced',
  sessionId,
  seq,
  ...(stopped ? { stopped } : {}),
});

export interface Batch {
  readonly topic: string;
  readonly body: string;
}

/** The entries by topic, in as few batches as keep the order within a bucket. `buckets`: the numbers of buckets in use, usually one. */
export function toBatches(entries: readonly Entry[], buckets: Iterable<number>): readonly Batch[] {
  const runs: { readonly topic: string; readonly texts: string[] }[] = [];
  const last = new Map<string, (typeof runs)[number]>();
  const add = (topic: string, text: string): void => {
    const bucket = topic.slice(0, topic.indexOf('}'));
    const run = last.get(bucket);
    if (run?.topic === topic) return void run.texts.push(text);
    const next = { topic, texts: [text] };
    runs.push(next);
    last.set(bucket, next);
  };
  for (const entry of entries) for (const topic of topicsOf(entry, buckets)) add(topic, textOf(entry));
  return runs.map(({ topic, texts }) => ({ topic, body: areDeltas(topic) ? texts.join('\n') : `[${texts.join(',')}]` }));
}

function topicsOf(entry: Entry, buckets: Iterable<number>): ReadonlySet<string> {
  if (entry.kind === 'control') return new Set([ALL]);
  const of = entry.kind === 'delta' ? deltasOf : hintsOf;
  return new Set(Array.from(buckets, (count) => of(entry.sessionId, count)));
}

function textOf(entry: Entry): string {
  switch (entry.kind) {
    case 'delta':
      return entry.text;
    case 'advanced':
      return JSON.stringify(['advanced', entry.sessionId, entry.seq, ...(entry.stopped ? [entry.stopped] : [])]);
    case 'control':
      return JSON.stringify(entry.message);
  }
}
