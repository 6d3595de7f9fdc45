import { DomainError } from '../../../packages/protocol/errors.js';
import { requireNoHold } from '../../session/decide/erasure.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import type { EventStore, Helpers, Sessions } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';

/** The id of an erasure in a fork of the session in which it was asked for. */
export const erasureOfFork = (erasureId: string, fork: string): string => deriveId(erasureId, fork);

/** The forks of a session, their forks and so on, that were erased with it: a repeated command names those that it named first. */
export const forksErasedWith = (erasureId: string, store: EventStore, sessions: Sessions, tenantId: string, sessionId: string): Promise<readonly string[]> =>
  forksOf(store, sessions, tenantId, sessionId, ({ erasures }, fork) => erasures.has(erasureOfFork(erasureId, fork)));

/** The forks of a session, their forks and so on, for which `concerns` holds: those that still show something of it. Forks of one that does not may do so: an erasure can have ended before it came to them. */
export async function forksOf(
  store: EventStore,
  sessions: Sessions,
  tenantId: string,
  sessionId: string,
  concerns: (fork: SessionState, id: string) => boolean,
): Promise<readonly string[]> {
  const [found, seen] = [new Set<string>(), new Set<string>()];
  const rest = [sessionId];
  for (let parent = rest.pop(); parent !== undefined; parent = rest.pop()) {
    for (const fork of await store.forks(tenantId, parent)) {
      if (seen.has(fork)) continue;
      seen.add(fork);
      rest.push(fork);
      if (concerns(await sessions.load(tenantId, fork), fork)) found.add(fork);
    }
  }
  return [...found];
}

/** Before anything is erased: a hold of a fork protects what it shares, and one of a helper what it has. */
export async function requireErasable(sessions: Sessions, tenantId: string, { forks, helpers }: Related, includeForks: boolean): Promise<void> {
  if (forks.length > 0 && !includeForks) {
    throw new DomainError(
      'session_has_forks',
      'Forks of this session show what would be erased; repeat the request with `includeForks=true` to erase it there as well.',
      [],
      { forks },
    );
  }
  for (const fork of [...forks, ...helpers]) requireNoHold(await sessions.load(tenantId, fork));
}

/** What shows something of a session, or was made for it. */
export interface Related {
  readonly forks: readonly string[];
  readonly helpers: readonly string[];
}

/** The forks and the helpers of a session, their forks and helpers and so on, for which `concerns` holds. */
export async function relatedTo(
  { store, sessions, helpers }: { readonly store: EventStore; readonly sessions: Sessions; readonly helpers: Helpers },
  tenantId: string,
  sessionId: string,
  concerns: (session: SessionState, id: string) => boolean,
): Promise<Related> {
  const found = { forks: new Set<string>(), helpers: new Set<string>() };
  const rest = [sessionId];
  for (let of = rest.pop(); of !== undefined; of = rest.pop()) {
    const next = { forks: await store.forks(tenantId, of), helpers: await helpers.of(tenantId, of) };
    for (const kind of ['forks', 'helpers'] as const) {
      for (const id of next[kind]) {
        if (found.forks.has(id) || found.helpers.has(id) || !concerns(await sessions.load(tenantId, id), id)) continue;
        found[kind].add(id);
        rest.push(id);
      }
    }
  }
  return { forks: [...found.forks], helpers: [...found.helpers] };
}

/** A hold of a session protects its helpers, and theirs. */
export async function requireNoHoldAbove(sessions: Sessions, tenantId: string, state: SessionState): Promise<void> {
  requireNoHold(state);
  for (let { parent } = state; parent !== null;) {
    const above = await sessions.load(tenantId, parent.sessionId);
    requireNoHold(above);
    ({ parent } = above);
  }
}
