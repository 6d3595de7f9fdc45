import { DomainError } from '../../../packages/protocol/errors.js';
import { requireNoHold } from '../../session/decide/erasure.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import type { EventStore, Sessions } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';

/** The id of an erasure in a fork of the session in which it was asked for. */
export const erasureOfFork = (erasureId: string, fork: string): string => deriveId(erasureId, fork);

/** The forks of a session, their forks and so on, that were erased with it: a repeated command names those that it named first. */
export const forksErasedWith = (erasureId: string, store: EventStore, sessions: Sessions, tenantId: string, sessionId: string): Promise<readonly string[]> =>
  forksOf(store, sessions, tenantId, sessionId, ({ erasures }, fork) => erasures.has(erasureOfFork(erasureId, fork)));

/** The forks of a session, their forks and so on, for which `concerns` holds: those that still show something of it. */
export async function forksOf(
  store: EventStore,
  sessions: Sessions,
  tenantId: string,
  sessionId: string,
  concerns: (fork: SessionState, id: string) => boolean,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const rest = [sessionId];
  for (let parent = rest.pop(); parent !== undefined; parent = rest.pop()) {
    for (const fork of await store.forks(tenantId, parent)) {
      if (found.has(fork) || !concerns(await sessions.load(tenantId, fork), fork)) continue;
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
