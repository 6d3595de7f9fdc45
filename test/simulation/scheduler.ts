import { Random } from './random.js';

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** setImmediate of the real event loop: before each callback, also of one batch, every promise reaction of the last one has run. */
const macrotask = setImmediate;

/** Callbacks per iteration of the event loop, which costs as much as a step. */
const BATCH = 100;

/** Calls `step` in one macrotask after the other until it returns true; rejects when it throws. */
function inMacrotasks(step: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let over = false;
    const once = (): void => {
      if (over) return;
      try {
        over = step();
        if (over) resolve();
      } catch (error) {
        over = true;
        reject(error);
      }
    };
    const batch = (): void => {
      for (let index = 0; index < BATCH; index += 1) void macrotask(once);
      void macrotask(() => {
        if (!over) batch();
      });
    };
    batch();
  });
}

/**
 * Virtual time. One entry runs at a time, in order of time, ties in order of scheduling; between two entries all promise reactions run. With a seeded random
 * generator a whole run is therefore a function of its seed.
 */
export class Scheduler {
  readonly #heap: Entry[] = [];
  #order = 0;
  /** Milliseconds since the epoch: the reference time, which is also the database's. */
  now = Date.UTC(2030, 0, 1);

  constructor(readonly random: Random) {}

  /** Runs `run` after `delayMs`; the result cancels it. */
  after(delayMs: number, run: () => void): () => void {
    const entry: Entry = { at: this.now + Math.max(0, delayMs), order: (this.#order += 1), run, cancelled: false };
    this.#push(entry);
    return () => {
      entry.cancelled = true;
    };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Runs entries until `until` resolves; rejects when virtual time passes `limitMs` from now first. */
  async run(until: Promise<unknown>, limitMs: number, describe: () => string): Promise<void> {
    let settled = false;
    until.then(
      () => (settled = true),
      () => (settled = true),
    );
    const limit = this.now + limitMs;
    await inMacrotasks(() => {
      if (settled) return true;
      const entry = this.#pop();
      if (!entry) throw new Error(`stuck: nothing is scheduled any more. ${describe()}`);
      if (entry.cancelled) return false;
      if (entry.at > limit) throw new Error(`stuck: not finished after ${limitMs} ms of virtual time. ${describe()}`);
      this.now = entry.at;
      entry.run();
      return false;
    });
    await until;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(entry, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): Entry | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last) return null;
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
      if (!before(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

const before = (one: Entry, other: Entry): boolean => one.at < other.at || (one.at === other.at && one.order < other.order);
