import { describe, expect, it } from '@jest/globals';
import { retryDelay } from './retry.js';

const limits = { modelAttempts: 4, modelRetryMaxMs: 10_000 };

describe('the wait before the model is retried', () => {
  it.each([
    ['nothing to gain', { retryable: false, retryAfterMs: null }, 0, 1, null],
    ['first time, no jitter', { retryable: true, retryAfterMs: null }, 0, 0, 250],
    ['first time, full jitter', { retryable: true, retryAfterMs: null }, 0, 1, 500],
    ['doubles', { retryable: true, retryAfterMs: null }, 2, 1, 2_000],
    ['the last attempt has failed', { retryable: true, retryAfterMs: null }, 3, 1, null],
    ['what the provider asks for', { retryable: true, retryAfterMs: 7_000 }, 1, 0.5, 7_000],
    ['longer than a person waits', { retryable: true, retryAfterMs: 60_000 }, 1, 0.5, null],
  ])('%s', (_, error, failedBefore, jitter, expected) => {
    expect(retryDelay(error, failedBefore, limits, jitter)).toBe(expected);
  });

  it('never grows past the limit', () => {
    expect(retryDelay({ retryable: true, retryAfterMs: null }, 20, { ...limits, modelAttempts: 100 }, 1)).toBe(10_000);
  });
});
