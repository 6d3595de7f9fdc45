import { DomainError } from '../../core/errors.js';
import { requireNoHold } from '../../core/decide/erasure.js';
import type { EventStore, Sessions } from '../../core/ports.js';
import type { SessionState } from '../../core/session/state.js';

/** The forks of a session, their forks and so on, that still show something of it: those for which `shows` holds. */
export async function forksOf(
  store: EventStore,
  sessions: Sessions,
  tenantId: string,
  sessionId: string,
  shows: (fork: SessionState) => boolean,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const rest = [sessionId];
  for (let parent = rest.pop(); parent !== undefined; parent = rest.pop()) {
    for (const fork of await store.forks(tenantId, parent)) {
      if (found.has(fork) || !shows(await sessions.load(tenantId, fork))) continue;
      found.add(fork);
      rest.push(fork);
    }
  }
  return [...found];
}

/** Before anything is erased: a hold of a fork protects what it shares. */
export async function requireErasable(sessions: Sessions, tenantId: string, forks: readonly string[], includeForks: boolean): Promise<void> {
  if (forks.length > 0 && !includeForks) {
    throw new DomainError(
      'session_has_forks',
      'Forks of this session show what would be erased; repeat the request with `includeForks=true` to erase it there as well.',
      [],
      { forks },
    );
  }
  for (const fork of forks) requireNoHold(await sessions.load(tenantId, fork));
}
