import type { ImportReport, ImportSource, SkippedLine } from '../session/events.js';

/** Maximum number of skipped lines, and of types of retained lines, that are listed. */
const MAX_LISTED = 200;
const MAX_NAME_LENGTH = 100;

/** Counts the lines of a file by their outcome. */
export class Report {
  readonly #retained = new Map<string, number>();
  readonly #skipped: SkippedLine[] = [];
  #skippedTotal = 0;
  #lines = 0;

  line(): void {
    this.#lines += 1;
  }

  skip(line: number, reason: string): void {
    this.#skippedTotal += 1;
    if (this.#skipped.length < MAX_LISTED) this.#skipped.push({ line, reason });
  }

  retain(type: string): void {
    const short = type.slice(0, MAX_NAME_LENGTH);
    const name = this.#retained.has(short) || this.#retained.size < MAX_LISTED ? short : 'other';
    this.#retained.set(name, (this.#retained.get(name) ?? 0) + 1);
  }

  finish(source: ImportSource, messages: number, origin: Readonly<Record<string, string>>): ImportReport {
    return {
      source,
      lines: this.#lines,
      messages,
      retained: Object.fromEntries(this.#retained),
      skipped: this.#skipped,
      skippedTotal: this.#skippedTotal,
      origin,
    };
  }
}
