import type { SessionRole, TenantRole } from './roles.js';

/** What credentials may be limited to. */
export const SCOPES = [
  'sessions:read',
  'sessions:write',
  'prompts:write',
  'tools:write',
  'audit:read',
  'people:write',
  'settings:write',
  'usage:read',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The roles that count in a session: `reader` has emergency access, `admin` is one of the tenant. */
export type RoleInSession = SessionRole | 'reader' | 'admin';

/** One row of the table of rights. `scope`: what limited credentials need; null: nothing. */
export interface Right<Role> {
  readonly scope: Scope | null;
  readonly roles: readonly Role[];
  /** For the documentation. */
  readonly allows: string;
}

/** Who may do what in a session. */
export const SESSION_ACTIONS = {
  'session.read': {
    scope: 'sessions:read',
    roles: ['owner', 'editor', 'viewer', 'reader'],
    allows: 'read content: messages, events, files, payloads, streams, exports',
  },
  'session.audit': {
    scope: 'audit:read',
    roles: ['owner', 'editor', 'viewer', 'auditor', 'reader'],
    allows: 'read structure and proofs, without content: the audit, requests, erasures, grants',
  },
  'session.accesses': { scope: 'audit:read', roles: ['owner', 'auditor'], allows: 'read who has read the session without owning it' },
  'session.prompt': { scope: 'prompts:write', roles: ['owner', 'editor'], allows: 'submit, withdraw, interrupt and schedule prompts, compact, give feedback' },
  'session.tools': { scope: 'tools:write', roles: ['owner', 'editor'], allows: 'decide tool calls, post their results, run hooks' },
  'session.rewind': { scope: 'sessions:write', roles: ['owner', 'editor'], allows: 'rewind, restore, switch branches' },
  'session.fork': { scope: 'sessions:write', roles: ['owner', 'editor'], allows: 'fork; the fork belongs to the user who made it' },
  'session.configure': { scope: 'sessions:write', roles: ['owner'], allows: 'change settings, close and reopen' },
  'session.grant': { scope: 'sessions:write', roles: ['owner'], allows: 'give and take roles, create and revoke links' },
  'session.leave': { scope: 'sessions:write', roles: ['owner', 'editor', 'viewer', 'auditor'], allows: 'give up their own role' },
  'session.erase': { scope: 'sessions:write', roles: ['owner', 'admin'], allows: 'erase the session or a message' },
  'session.hold': { scope: 'settings:write', roles: ['admin'], allows: 'place and release legal holds' },
  'session.break_glass': { scope: 'audit:read', roles: ['auditor', 'admin'], allows: 'get read access for a short time, with a reason that the owner sees' },
} as const satisfies Readonly<Record<string, Right<RoleInSession>>>;

/** Who may do what in a tenant. */
export const TENANT_ACTIONS = {
  'tenant.use': { scope: null, roles: ['member', 'admin', 'auditor'], allows: 'read who they are, commands, skills, tools; try payloads' },
  'session.create': { scope: 'sessions:write', roles: ['member', 'admin'], allows: 'create and import sessions' },
  'session.list': { scope: 'sessions:read', roles: ['member', 'admin', 'auditor'], allows: 'list and search their own and shared sessions' },
  'tenant.tokens': { scope: 'people:write', roles: ['member', 'admin', 'auditor'], allows: 'create, list and revoke their own tokens' },
  'memory.read': {
    scope: 'sessions:read',
    roles: ['member', 'admin', 'auditor'],
    allows: 'read what the model remembers for them; no other user may',
  },
  'memory.write': {
    scope: 'sessions:write',
    roles: ['member', 'admin', 'auditor'],
    allows: 'undo changes of their memory, erase it; to erase that of others needs `tenant.people`',
  },
  'tenant.people': { scope: 'people:write', roles: ['admin'], allows: 'manage users and their tokens, erase what a user owns' },
  'tenant.settings': { scope: 'settings:write', roles: ['admin'], allows: 'read and change settings of the tenant' },
  'tenant.usage': { scope: 'usage:read', roles: ['admin', 'auditor'], allows: 'read usage and quotas of the tenant' },
  'tenant.audit': { scope: 'audit:read', roles: ['admin', 'auditor'], allows: 'audit the sessions of the tenant, without content' },
} as const satisfies Readonly<Record<string, Right<TenantRole>>>;

export type SessionAction = keyof typeof SESSION_ACTIONS;
export type TenantAction = keyof typeof TENANT_ACTIONS;

/** `link.read`: what a link shows. A link may do nothing else, and nothing but a link may do it. */
export type Action = SessionAction | TenantAction | 'link.read';

export const isSessionAction = (action: Action): action is SessionAction => action in SESSION_ACTIONS;

export const isTenantAction = (action: Action): action is TenantAction => action in TENANT_ACTIONS;

/** The scope that limited credentials need for an action. */
export function scopeOf(action: Action): Scope | null {
  if (isSessionAction(action)) return SESSION_ACTIONS[action].scope;
  return isTenantAction(action) ? TENANT_ACTIONS[action].scope : null;
}
