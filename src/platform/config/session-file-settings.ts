import { count } from './kinds.js';

/** Limits of session files that clients keep here. */
export const SESSION_FILE_SETTINGS = {
  SESSION_FILE_LINES: count(20_000, 10_000_000),
  SESSION_FILE_APPEND_BYTES: count(32 * 1024 * 1024, 256 * 1024 * 1024),
  SESSION_FILE_SUMMARY_BYTES: count(64 * 1024, 16 * 1024 * 1024),
  SESSION_FILE_CACHE_BYTES: count(64 * 1024 * 1024, 16 * 1024 * 1024 * 1024),
  SESSION_FILE_PAGE_BYTES: count(8 * 1024 * 1024, 256 * 1024 * 1024),
};
