import type { ImportReport, ImportSource, SkippedLine } from '../../../packages/protocol/events/events.js';

/** Maximum number of skipped lines, and of types of retained lines, that are listed. */
export const MOST_LISTED = 200;
const MAX_NAME_LENGTH = 100;

/** Counts the lines of a file by their outcome. */
export class Report {
  readonly #retained = new Map<string, number>();
  readonly #skipped: SkippedLine[] = [];
  readonly #shortened: SkippedLine[] = [];
  #skippedTotal = 0;
  #lines = 0;

  line(): void {
    this.#lines += 1;
  }

  skip(line: number, reason: string): void {
    this.#skippedTotal += 1;
    if (this.#skipped.length < MOST_LISTED) this.#skipped.push({ line, reason });
  }

  shorten(line: number, reason: string): void {
    if (this.#shortened.length < MOST_LISTED) this.#shortened.push({ line, reason });
  }

  retain(type: string): void {
    count(this.#retained, type);
  }

  /** `uuids`: of all messages; `branch`: positions of those on the active branch; `retained`: types of retained lines besides those counted so far. */
  finish(
    source: ImportSource,
    uuids: readonly string[],
    branch: ReadonlySet<number>,
    counts: Pick<ImportReport, 'moves' | 'preserved' | 'reattached'>,
    origin: Readonly<Record<string, string>>,
    retained: Iterable<string> = [],
  ): ImportReport {
    const counted = new Map(this.#retained);
    for (const type of retained) count(counted, type);
    const offBranch = uuids.filter((_, at) => !branch.has(at));
    return {
      source,
      lines: this.#lines,
      messages: uuids.length,
      ...counts,
      offBranch: offBranch.slice(0, MOST_LISTED),
      offBranchTotal: offBranch.length,
      retained: Object.fromEntries(counted),
      skipped: this.#skipped,
      skippedTotal: this.#skippedTotal,
      shortened: this.#shortened,
      origin,
    };
  }
}

function count(counts: Map<string, number>, type: string): void {
  const short = type.slice(0, MAX_NAME_LENGTH);
  const name = counts.has(short) || counts.size < MOST_LISTED ? short : 'other';
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
