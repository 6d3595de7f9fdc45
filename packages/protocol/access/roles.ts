/** The role of a user in a tenant. */
export type TenantRole = 'member' | 'admin' | 'auditor';

/** The role of a user in one session, by its ownership and its grants. An auditor of the tenant is one in all of its sessions. */
export type SessionRole = (typeof SESSION_ROLES)[number];

export const TENANT_ROLES: readonly TenantRole[] = ['member', 'admin', 'auditor'];
export const SESSION_ROLES = ['owner', 'editor', 'viewer', 'auditor'] as const;
