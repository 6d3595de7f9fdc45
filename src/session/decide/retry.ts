import type { ModelError } from '../../../packages/normalizer/models/model-answer.js';

export interface RetryLimits {
  /** Consecutive failures of a request after which its turn fails. */
  readonly modelAttempts: number;
  /** Maximum delay between two attempts, in milliseconds. */
  readonly modelRetryMaxMs: number;
}

const FIRST_WAIT_MS = 500;

/**
 * Delay before the next attempt, in milliseconds; null: no retry. The provider's `retry-after` applies unless it exceeds `modelRetryMaxMs` (then no retry); otherwise
 * exponential backoff, with `jitter` (0 to 1) to spread callers that failed together.
 */
export function retryDelay(error: Pick<ModelError, 'retryable' | 'retryAfterMs'>, failedBefore: number, limits: RetryLimits, jitter: number): number | null {
  if (!error.retryable || failedBefore + 1 >= limits.modelAttempts) return null;
  if (error.retryAfterMs !== null) return error.retryAfterMs <= limits.modelRetryMaxMs ? error.retryAfterMs : null;
  const wait = Math.min(FIRST_WAIT_MS * 2 ** failedBefore, limits.modelRetryMaxMs);
  return Math.round(wait / 2 + (wait / 2) * jitter);
}
