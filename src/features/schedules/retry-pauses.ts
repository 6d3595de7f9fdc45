import type { DueSchedule } from '../../ports/index.js';

const FIRST_PAUSE_MS = 500;

/** A run that can be made again is late by at most this. */
const MAX_PAUSE_MS = 600_000;

interface Attempts {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly pausedUntil: number;
}

/**
 * When runs are tried again that are still due after an attempt, in this process: each attempt doubles the pause, up to ten minutes. Times are milliseconds since the epoch, by one
 * clock. What a whole look at the schedules that are due has not found is forgotten, so there are never more entries than schedules that are due.
 */
export class RetryPauses {
  #attempts = new Map<string, Attempts>();
  #found = new Map<string, Attempts>();

  /** A look begins. */
  begin(): void {
    this.#found = new Map();
  }

  /** The look has found all schedules that are due. */
  end(): void {
    this.#attempts = this.#found;
  }

  /** Whether the run may be tried now: the milliseconds until it may be tried again if it is still due then; null: its pause is not over. */
  take(due: DueSchedule, now: number): number | null {
    const key = keyOf(due);
    const known = this.#attempts.get(key);
    const isPaused = known !== undefined && now < known.pausedUntil;
    const count = known?.count ?? 0;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** count, MAX_PAUSE_MS);
    const attempts = isPaused ? known : { count: count + 1, pausedUntil: now + pauseMs };
    this.#attempts.set(key, attempts);
    this.#found.set(key, attempts);
    return isPaused ? null : pauseMs;
  }
}

/** A schedule that is due at another time has no pause. */
const keyOf = ({ tenantId, sessionId, scheduleId, dueAt }: DueSchedule): string => `${tenantId} ${sessionId} ${scheduleId} ${dueAt}`;
