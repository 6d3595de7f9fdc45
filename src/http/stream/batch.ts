import { Chunk } from './chunk.js';
import type { Frame } from './frame.js';
import type { LiveFrame } from './stream-format.js';

export type BatchFrame = Frame | LiveFrame;

/** What happened in a session within one tick, in order. Stored events follow each other without a gap. */
export class Batch {
  /** The stored events. */
  readonly stored: readonly Frame[];
  readonly largestFrame: number;
  #chunk: Chunk | null = null;

  constructor(readonly frames: readonly BatchFrame[]) {
    this.stored = frames.filter(isStored);
    this.largestFrame = this.stored.reduce((largest, { text }) => Math.max(largest, text.length), 0);
  }

  /** The texts of all frames, encoded once for all readers. */
  get chunk(): Chunk {
    return (this.#chunk ??= new Chunk(this.frames.map(({ text }) => text).join('')));
  }

  /** Whether a reader that has the events up to `position` gets the batch as a whole. */
  follows(position: number): boolean {
    const [first] = this.stored;
    return first === undefined || first.event.seq === position + 1;
  }

  /** What a reader that has the events up to `position` has not seen: live frames before an event that it has are out of date. */
  after(position: number): readonly BatchFrame[] {
    const last = this.frames.findLastIndex((frame) => isStored(frame) && frame.event.seq <= position);
    return this.frames.slice(last + 1);
  }
}

export function isStored(frame: BatchFrame): frame is Frame {
  return 'event' in frame;
}
