import { type Action, isSessionAction, isTenantAction, type RoleInSession, scopeOf, SESSION_ACTIONS, TENANT_ACTIONS } from './actions.js';
import type { Principal } from './principal.js';
import type { SessionRole, TenantRole } from './roles.js';

/** What decides about a session; a folded session has it. */
export interface SessionRights {
  readonly kind: 'session';
  readonly ownerId: string | null;
  /** By principal: `user:<id>` or `group:<name>`. */
  readonly grants: ReadonlyMap<string, SessionRole>;
  /** Users with emergency access, and until when, milliseconds since the epoch. */
  readonly readers: ReadonlyMap<string, number>;
  readonly now: number;
}

export type Resource = { readonly kind: 'tenant' } | SessionRights | { readonly kind: 'link' };

export const TENANT: Resource = { kind: 'tenant' };

export const userGrant = (userId: string): string => `user:${userId}`;
export const groupGrant = (group: string): string => `group:${group}`;

/**
 * The only place that decides who may do what. The resource is of the principal's tenant: no query finds one of another.
 * A link may read what it shows, and nothing else; limited credentials may do what both their scopes and the roles of their user allow.
 */
export function may(principal: Principal, action: Action, resource: Resource): boolean {
  if (principal.role === 'system') return true;
  if (principal.link !== null || action === 'link.read') return principal.link !== null && action === 'link.read' && resource.kind === 'link';
  if (!hasScope(principal, action)) return false;
  if (resource.kind === 'session') {
    return isSessionAction(action) && rolesIn(principal, resource).some((role) => (SESSION_ACTIONS[action].roles as readonly RoleInSession[]).includes(role));
  }
  return resource.kind === 'tenant' && isTenantAction(action) && (TENANT_ACTIONS[action].roles as readonly TenantRole[]).includes(principal.role);
}

export function hasScope({ scopes, role }: Pick<Principal, 'scopes' | 'role'>, action: Action): boolean {
  const needed = scopeOf(action);
  return role === 'system' || needed === null || scopes === null || scopes.includes(needed);
}

/** All roles of a user in a session: of several grants, each counts. */
export function rolesIn(principal: Principal, session: SessionRights): readonly RoleInSession[] {
  const roles: RoleInSession[] = grantedRoles(principal, session).slice();
  // Who has emergency access reads as an admin or auditor, and so no longer after they are made a member.
  if (principal.role !== 'member' && (session.readers.get(principal.userId) ?? 0) > session.now) roles.push('reader');
  if (principal.role === 'admin') roles.push('admin');
  if (principal.role === 'auditor') roles.push('auditor');
  return roles;
}

/** Those by ownership and grants. */
export function grantedRoles(
  { userId, groups }: Pick<Principal, 'userId' | 'groups'>,
  { ownerId, grants }: Pick<SessionRights, 'ownerId' | 'grants'>,
): SessionRole[] {
  const granted = [userGrant(userId), ...groups.map(groupGrant)].flatMap((name) => grants.get(name) ?? []);
  return ownerId === userId ? ['owner', ...granted] : granted;
}
