import type { StandbyFailure } from './standby-failure.js';

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

/** A standby that only lags is reported when it has been so often in a row: for about eight seconds. */
const LAGGING_TIMES = 5;

/** Whether a standby is tried: after a failure not for a while, which doubles, and then by one read. Nothing is asked while there are no reads. */
export class StandbyHealth {
  #failures = 0;
  #pausedUntil = 0;
  #isProbed = false;
  #isReported = false;

  constructor(
    private readonly place: string,
    private readonly report: (problem: string, error: unknown) => void,
    /** Milliseconds, monotonic. */
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Whether the caller may try it. The first one after a pause is alone until it knows. */
  take(): boolean {
    if (this.#failures === 0) return true;
    const now = this.clock();
    if (now < this.#pausedUntil) return false;
    this.#pausedUntil = now + this.#pause();
    this.#isProbed = true;
    return true;
  }

  failed({ fault, cause, isLasting }: StandbyFailure): void {
    const isLate = this.#failures > 0 && !this.#isProbed; // of a read that began before the pause
    if (!isLasting || isLate) return;
    this.#isProbed = false;
    this.#failures += 1;
    this.#pausedUntil = this.clock() + this.#pause();
    if (this.#isReported || this.#failures < (fault === 'lagging' ? LAGGING_TIMES : 1)) return;
    this.#isReported = true;
    this.report(`The standby at ${this.place} is not used for reads (${fault}); the primary answers them, and the standby is tried again`, cause);
  }

  works(): void {
    this.#failures = 0;
    this.#pausedUntil = 0;
    if (!this.#isReported) return;
    this.#isReported = false;
    this.report(`The standby at ${this.place} is used for reads again`, null);
  }

  #pause(): number {
    return Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS);
  }
}
