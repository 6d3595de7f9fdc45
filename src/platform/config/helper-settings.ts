import { count } from './kinds.js';

/** Limits of sessions that carry out calls of other sessions. */
export const HELPER_SETTINGS = {
  HELPER_DEPTH: count(3, 100),
  HELPER_CONCURRENCY: count(4, 1_000),
  HELPER_REQUESTS: count(50),
  HELPER_TOKENS: count(2_000_000, 1_000_000_000),
};
