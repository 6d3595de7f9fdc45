import type { ModelError } from '../models/model-answer.js';

export interface RetryLimits {
  /** Requests in a row that may fail before the turn does. */
  readonly modelAttempts: number;
  /** The longest wait between two of them, milliseconds. */
  readonly modelRetryMaxMs: number;
}

const FIRST_WAIT_MS = 500;

/**
 * How long to wait before the model is asked again, in milliseconds; null when it is not. The provider's own `retry-after` counts unless it is longer
 * than a person would wait; otherwise the wait doubles with each failure, and `jitter` (0 to 1) spreads callers that failed together.
 */
export function retryDelay(error: Pick<ModelError, 'retryable' | 'retryAfterMs'>, failedBefore: number, limits: RetryLimits, jitter: number): number | null {
  if (!error.retryable || failedBefore + 1 >= limits.modelAttempts) return null;
  if (error.retryAfterMs !== null) return error.retryAfterMs <= limits.modelRetryMaxMs ? error.retryAfterMs : null;
  const wait = Math.min(FIRST_WAIT_MS * 2 ** failedBefore, limits.modelRetryMaxMs);
  return Math.round(wait / 2 + (wait / 2) * jitter);
}
