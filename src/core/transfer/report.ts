import type { ImportReport, ImportSource, SkippedLine } from '../session/events.js';

/** How many skipped lines, and how many kinds of unsent lines, are named one by one. */
const MOST_NAMED = 200;
const MOST_CHARACTERS = 100;

/** Counts what becomes of the lines of a file. */
export class Report {
  readonly #kept = new Map<string, number>();
  readonly #skipped: SkippedLine[] = [];
  #skippedTotal = 0;
  #lines = 0;

  line(): void {
    this.#lines += 1;
  }

  skip(line: number, reason: string): void {
    this.#skippedTotal += 1;
    if (this.#skipped.length < MOST_NAMED) this.#skipped.push({ line, reason });
  }

  keep(kind: string): void {
    const short = kind.slice(0, MOST_CHARACTERS);
    const name = this.#kept.has(short) || this.#kept.size < MOST_NAMED ? short : 'other';
    this.#kept.set(name, (this.#kept.get(name) ?? 0) + 1);
  }

  finish(source: ImportSource, messages: number, origin: Readonly<Record<string, string>>): ImportReport {
    return { source, lines: this.#lines, messages, kept: Object.fromEntries(this.#kept), skipped: this.#skipped, skippedTotal: this.#skippedTotal, origin };
  }
}
