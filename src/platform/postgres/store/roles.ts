import { TENANT_ROLES, type TenantRole } from '../../../../packages/protocol/access/roles.js';

export function roleOf(role: string): TenantRole {
  return TENANT_ROLES.find((known) => known === role) ?? 'member';
}

/** A credential counts as far as its user has the role: an admin's may be for less, of every other role the user has it or is a member. */
export function effectiveRole(user: string, credential: string): TenantRole {
  return roleOf(user === 'admin' || user === credential ? credential : 'member');
}
