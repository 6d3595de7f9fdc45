import { count, milliseconds } from './kinds.js';

/** Limits of prompts that are submitted by time. */
export const SCHEDULE_SETTINGS = {
  SCHEDULES_PER_SESSION: count(20, 100),
  SCHEDULE_LEAST_SECONDS: count(60, 86_400),
  SCHEDULE_LATEST_MS: milliseconds(86_400_000),
  SCHEDULE_MAX_FAILURES: count(10, 1_000),
};
