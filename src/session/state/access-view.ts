import { userGrant } from '../../../packages/protocol/access/may.js';
import type { SessionRole } from '../../../packages/protocol/access/roles.js';
import type { AccessRecord, GlassRecord, SessionState } from './state.js';

export interface GrantsView {
  readonly version: number;
  readonly data: readonly { readonly principal: string; readonly role: SessionRole }[];
}

export interface AccessesView {
  readonly version: number;
  /** Newest first. */
  readonly data: readonly AccessRecord[];
  readonly brokenGlass: readonly GlassRecord[];
  readonly nextCursor: string | null;
}

/** Who has a role in the session; the first owner first. */
export function grantsView({ version, ownerId, grants }: SessionState): GrantsView {
  const owner = ownerId === null ? [] : [{ principal: userGrant(ownerId), role: 'owner' as const }];
  return { version, data: [...owner, ...[...grants].map(([principal, role]) => ({ principal, role }))] };
}

/** `after`: number of entries to skip. */
export function accessesView({ version, accesses, brokenGlass }: SessionState, after: number, limit: number): AccessesView {
  const newest = [...accesses.values()].reverse();
  const data = newest.slice(after, after + limit);
  return { version, data, brokenGlass: brokenGlass.toReversed(), nextCursor: after + limit < newest.length ? String(after + limit) : null };
}
