import { performance } from 'node:perf_hooks';

const SILENCE_MS = 1_000;

/** The same problem at most once a second: a backend that is away fails hundreds of times in that time. */
export class ThrottledReport {
  readonly #last = new Map<string, number>();

  constructor(private readonly report: (problem: string, error: unknown) => void) {}

  tell(problem: string, error: unknown): void {
    const now = performance.now();
    if (now - (this.#last.get(problem) ?? -Infinity) < SILENCE_MS) return;
    if (this.#last.size > 1_000) this.#last.clear();
    this.#last.set(problem, now);
    this.report(problem, error);
  }
}
