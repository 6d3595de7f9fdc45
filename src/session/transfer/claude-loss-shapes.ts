import { Ancestry } from './ancestry.js';
import type { PlacedLine } from './claude-lines.js';

/**
 * Finds prompts that were attached beside the conversation instead of at its end: their parent is a line that the model never sees, such as progress, a failed
 * attempt or a note, and the newest answer is not below that line although it continues the same message. Where a conversation is rewound, the newest answer is
 * below the parent of the next prompt. Lines are given in order, parents first.
 */
export class LossShapes {
  readonly #ancestry = new Ancestry();
  /** Of each line the nearest line, itself included, that is part of what the model reads. */
  readonly #spoken: number[] = [];
  #newest: { readonly at: number; readonly line: number; readonly answerId: string | null } | null = null;
  #found = 0;

  /** `rewinds`: numbers of the lines that say that the conversation was rewound. */
  constructor(private readonly rewinds: readonly number[]) {}

  /** Number of prompts that were attached to the newest answer. */
  get found(): number {
    return this.#found;
  }

  /** The parent of the next line. */
  parentOf(line: PlacedLine): number | null | undefined {
    const at = this.#spoken.length;
    const above = this.#isLost(line) ? this.#newest!.at : line.above;
    if (above !== line.above) this.#found += 1;
    this.#ancestry.add(above ?? null);
    const isSpoken = line.entry !== null && line.entry.role !== 'companion' && line.entry.role !== 'withdrawn' && !line.entry.isOwn;
    this.#spoken.push(isSpoken ? at : typeof above === 'number' ? this.#spoken[above]! : NONE);
    if (isSpoken && line.entry?.role === 'answer') this.#newest = { at, line: line.line, answerId: line.entry.answerId };
    return above;
  }

  #isLost({ entry, above, line }: PlacedLine): boolean {
    const newest = this.#newest;
    if (entry?.role !== 'prompt' || typeof above !== 'number' || newest === null) return false;
    const continued = this.#spoken[above]!;
    if (continued === above || continued === NONE || continued === newest.at) return false;
    if (!this.#ancestry.isAncestor(continued, newest.at) || this.#ancestry.isAncestor(above, newest.at)) return false;
    return !this.rewinds.some((rewind) => rewind > newest.line && rewind < line);
  }
}

const NONE = -1;
