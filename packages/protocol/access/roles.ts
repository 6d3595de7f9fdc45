/** The role of a user in a tenant. */
export type TenantRole = 'member' | 'admin' | 'auditor';

/** The role of a user in one session, by its ownership and its grants. An auditor of the tenant is one in all of its sessions. */
export type SessionRole = 'owner' | 'editor' | 'viewer' | 'auditor';

export const TENANT_ROLES: readonly TenantRole[] = ['member', 'admin', 'auditor'];
export const SESSION_ROLES: readonly SessionRole[] = ['owner', 'editor', 'viewer', 'auditor'];
