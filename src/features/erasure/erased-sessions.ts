import type { KnownVersion, Encryption, Sessions } from '../../ports/index.js';

/** How often within SESSION_CACHE_IDLE_MS a process compares what it keeps with the log. */
const CHECKS_PER_IDLE_TIME = 4;

/** Milliseconds between two calls of `dropErased`. */
export const checkEvery = (idleMs: number): number => idleMs / CHECKS_PER_IDLE_TIME;

/** Drops from memory what was not used for so many milliseconds, and sessions with content that was erased since they were cached. Returns the latter. */
export async function dropErased(sessions: Sessions, encryption: Encryption, idleMs: number): Promise<readonly KnownVersion[]> {
  encryption.dropUnused(idleMs);
  const erased = await sessions.evictStale();
  for (const { sessionId } of erased) encryption.drop(sessionId);
  return erased;
}
