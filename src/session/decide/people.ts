import { grantedRoles, userGrant } from '../../../packages/protocol/access/may.js';
import { lookOf } from '../../../packages/protocol/access/names.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { UserCommand } from '../state/commands.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import { accessKey, grantsAfter } from '../state/evolve-access.js';
import type { SessionState } from '../state/state.js';

type Of<Type extends UserCommand['type']> = Extract<UserCommand, { readonly type: Type }>;

/** Who has which role in a session. A session always has an owner, and owners are users: the members of a group may change. */
export function decideGrant({ principal, role, limit }: Of<'GrantRole'>, state: SessionState): readonly NewEvent[] {
  if (role === 'owner' && !principal.startsWith('user:')) {
    throw new DomainError('invalid_input', 'Only a user can own a session; give the group another role.', [
      { pointer: '/role', text: 'must not be owner for a group' },
    ]);
  }
  const isFirst = state.ownerId !== null && principal === userGrant(state.ownerId);
  if (isFirst ? role === 'owner' : state.grants.get(principal) === role) return [];
  if (!isFirst && !state.grants.has(principal) && state.grants.size >= limit) {
    throw new DomainError('limit_reached', `This session has ${limit} grants, which is the limit; revoke one, or grant a group.`);
  }
  const alike = [...state.grants.keys()].find((other) => other !== principal && lookOf(other) === lookOf(principal));
  if (alike !== undefined) {
    throw new DomainError('invalid_input', `The name looks like that of a group that has a role here, ${JSON.stringify(alike.slice('group:'.length))}.`, [
      { pointer: '/principal', text: 'looks like the name of another group' },
    ]);
  }
  return requireOwner(state, [{ type: 'session.granted', data: { principal, role } }]);
}

/** Owners take any role away, everybody else their own. */
export function decideRevocation({ principal, by }: Of<'RevokeGrant'>, state: SessionState): readonly NewEvent[] {
  if (principal !== userGrant(by) && !grantedRoles({ userId: by, groups: [] }, state).includes('owner')) {
    throw new DomainError('forbidden', 'Only an owner of the session takes a role away from another user; you can give up your own.');
  }
  const isFirst = state.ownerId !== null && principal === userGrant(state.ownerId);
  if (!isFirst && !state.grants.has(principal)) return [];
  return requireOwner(state, [{ type: 'session.grant_revoked', data: { principal } }]);
}

function requireOwner(state: SessionState, events: readonly NewEvent[]): readonly NewEvent[] {
  if (grantsAfter(state, events)?.ownerId !== null) return events;
  throw new DomainError('last_owner', 'This is the only owner of the session; make another user owner first, or erase the session.');
}

/** Empty when the reader has been recorded for this hour, and in an erased session, which has nothing to read. */
export function decideAccess({ type: _, ...access }: Of<'RecordAccess'>, state: SessionState): readonly NewEvent[] {
  return state.erased || state.accesses.has(accessKey(access)) ? [] : [{ type: 'session.accessed', data: access }];
}
