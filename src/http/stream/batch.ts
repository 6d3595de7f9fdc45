import { Chunk } from './chunk.js';
import type { Frame } from './frame.js';
import type { LiveFrame } from './stream-format.js';

export type Piece = Frame | LiveFrame;

/** What happened in a session within one tick, in order. Stored events follow each other without a gap. */
export class Batch {
  /** The stored events. */
  readonly frames: readonly Frame[];
  readonly largestFrame: number;
  #chunk: Chunk | null = null;

  constructor(readonly pieces: readonly Piece[]) {
    this.frames = pieces.filter(isStored);
    this.largestFrame = this.frames.reduce((largest, { text }) => Math.max(largest, text.length), 0);
  }

  /** The texts of all pieces, encoded once for all readers. */
  get chunk(): Chunk {
    return (this.#chunk ??= new Chunk(this.pieces.map(({ text }) => text).join('')));
  }

  /** Whether a reader that has the events up to `position` gets the batch as a whole. */
  follows(position: number): boolean {
    const [first] = this.frames;
    return first === undefined || first.event.seq === position + 1;
  }

  /** What a reader that has the events up to `position` has not seen: live frames before an event that it has are out of date. */
  after(position: number): readonly Piece[] {
    const last = this.pieces.findLastIndex((piece) => isStored(piece) && piece.event.seq <= position);
    return this.pieces.slice(last + 1);
  }
}

export function isStored(piece: Piece): piece is Frame {
  return 'event' in piece;
}
