import { Ancestry } from './ancestry.js';
import type { PlacedLine } from './claude-lines.js';

/**
 * Finds prompts that were attached beside the conversation instead of at its end: their parent is a line that the model never sees, such as progress, a failed
 * attempt, a note or a line of a subagent. Either the newest answer is not below that line although it continues the same message, or the line belongs to a
 * subagent whose lines have their own root. Where a conversation is rewound, the newest answer is below the parent of the next prompt; below a root that
 * is no subagent's, a conversation starts again. Lines are given in order, parents first.
 */
export class LossShapes {
  readonly #ancestry = new Ancestry();
  /** Of each line the nearest line, itself included, that is part of what the model reads; without one, what is above it instead. */
  readonly #spoken: number[] = [];
  /** The newest answer, and the newest line below it that is part of what the model reads. */
  #newest: { readonly at: number; readonly line: number; end: number } | null = null;
  #found = 0;

  /** `rewinds`: numbers of the lines that say that the conversation was rewound. */
  constructor(private readonly rewinds: readonly number[]) {}

  /** Number of prompts that were attached to the newest answer, or to what follows it. */
  get found(): number {
    return this.#found;
  }

  /** The parent of the next line. */
  parentOf(line: PlacedLine): number | null | undefined {
    const at = this.#spoken.length;
    const above = this.#isLost(line) ? this.#newest!.end : line.above;
    if (above !== line.above) this.#found += 1;
    this.#ancestry.add(above ?? null);
    const isSpoken = line.entry !== null && line.entry.role !== 'companion' && line.entry.role !== 'withdrawn' && !line.entry.isOwn;
    this.#spoken.push(isSpoken ? at : this.#spokenAbove(line, above));
    if (isSpoken && line.entry?.role === 'answer') this.#newest = { at, line: line.line, end: at };
    else if (isSpoken && this.#newest !== null && this.#ancestry.isAncestor(this.#newest.at, at)) this.#newest.end = at;
    return above;
  }

  #spokenAbove({ isSidechain }: PlacedLine, above: number | null | undefined): number {
    const found = typeof above === 'number' ? this.#spoken[above]! : NONE;
    return found === NONE && isSidechain ? SUBAGENT : found;
  }

  #isLost({ entry, above, line }: PlacedLine): boolean {
    const newest = this.#newest;
    if (entry?.role !== 'prompt' || typeof above !== 'number' || newest === null) return false;
    const continued = this.#spoken[above]!;
    if (continued === above || continued === NONE || continued === newest.at) return false;
    if (continued !== SUBAGENT && !this.#ancestry.isAncestor(continued, newest.at)) return false;
    if (this.#ancestry.isAncestor(above, newest.at)) return false;
    return !this.rewinds.some((rewind) => rewind > newest.line && rewind < line);
  }
}

/** Nothing that the model reads is above a line. */
const NONE = -1;
/** The same, and the line belongs to a subagent, or is below one that does. */
const SUBAGENT = -2;
