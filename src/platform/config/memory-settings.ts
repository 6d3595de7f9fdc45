import { count } from './kinds.js';

/** Limits of the memory of a user, where the tenant has switched it on. */
export const MEMORY_SETTINGS = {
  MEMORY_FILE_BYTES: count(64 * 1024, 1024 * 1024),
  MEMORY_FILES: count(100, 10_000),
  MEMORY_BYTES: count(1024 * 1024, 64 * 1024 * 1024),
  MEMORY_LISTING_CHARACTERS: count(4_000),
};
