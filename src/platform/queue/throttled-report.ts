import { performance } from 'node:perf_hooks';

const INTERVAL_MS = 1_000;

/** Reports the same problem at most once a second: while a backend is down, hundreds of calls a second fail. */
export class ThrottledReport {
  readonly #last = new Map<string, number>();

  constructor(private readonly log: (problem: string, error: unknown) => void) {}

  report(problem: string, error: unknown): void {
    const now = performance.now();
    if (now - (this.#last.get(problem) ?? -Infinity) < INTERVAL_MS) return;
    if (this.#last.size > 1_000) this.#last.clear();
    this.#last.set(problem, now);
    this.log(problem, error);
  }
}
