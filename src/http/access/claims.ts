import type { TenantRole } from '../../core/access/roles.js';
import type { Settings } from '../../config/env.js';

export type ClaimSettings = Pick<
  Settings,
  | 'AUTH_JWT_USER_CLAIM'
  | 'AUTH_JWT_TENANT_CLAIM'
  | 'AUTH_JWT_ROLE_CLAIM'
  | 'AUTH_JWT_GROUPS_CLAIM'
  | 'AUTH_JWT_MAX_GROUPS'
  | 'AUTH_JWT_ADMIN_ROLES'
  | 'AUTH_JWT_AUDITOR_ROLES'
  | 'AUTH_JWT_MEMBER_ROLES'
>;

/** Who the claims of a trusted issuer name. */
export interface Identity {
  readonly tenant: string;
  readonly user: string;
  /** Null: the claims name no role, the user keeps the one they have. */
  readonly role: TenantRole | null;
  readonly groups: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;

/** Stands for every other value in a list of role values. */
const ANY = '*';

/** The identity in the claims of a signed token or a sign-in, or why they are not accepted. `tenant`: the tenant of everybody; null: the claims name it. */
export function identityIn(claims: Claims, settings: ClaimSettings, tenant: string | null = null): Identity | string {
  const user = claimOf(claims, settings.AUTH_JWT_USER_CLAIM);
  const named = tenant ?? claimOf(claims, settings.AUTH_JWT_TENANT_CLAIM);
  if (!isName(user)) return `the claim ${settings.AUTH_JWT_USER_CLAIM} is not a text of 1 to 255 characters`;
  if (!isName(named)) return `the claim ${settings.AUTH_JWT_TENANT_CLAIM} is not a text of 1 to 255 characters`;
  const role = roleIn(claimOf(claims, settings.AUTH_JWT_ROLE_CLAIM), settings);
  if (role === undefined)
    return `the claim ${settings.AUTH_JWT_ROLE_CLAIM} has no value that AUTH_JWT_ADMIN_ROLES, AUTH_JWT_AUDITOR_ROLES or AUTH_JWT_MEMBER_ROLES lists`;
  const listed = listOf(claimOf(claims, settings.AUTH_JWT_GROUPS_CLAIM) ?? []);
  const groups = listed && [...new Set(listed)];
  if (groups === null) return `the claim ${settings.AUTH_JWT_GROUPS_CLAIM} is not a list of texts of 1 to 255 characters`;
  if (groups.length > settings.AUTH_JWT_MAX_GROUPS) return `the claim ${settings.AUTH_JWT_GROUPS_CLAIM} has more than AUTH_JWT_MAX_GROUPS groups`;
  return { tenant: named, user, role, groups };
}

/** A claim by its name; a name with dots that is no claim itself is a path, such as `realm_access.roles`. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined;
  let value: unknown = claims;
  for (const member of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    value = (value as Claims)[member];
  }
  return value ?? undefined;
}

/** The highest role that a value of the claim stands for; null without the claim, undefined when no value is known. */
function roleIn(claim: unknown, settings: ClaimSettings): TenantRole | null | undefined {
  if (claim === undefined) return null;
  const values = listOf(claim);
  if (values === null) return undefined;
  const mapped: readonly (readonly [TenantRole, readonly string[]])[] = [
    ['admin', settings.AUTH_JWT_ADMIN_ROLES],
    ['auditor', settings.AUTH_JWT_AUDITOR_ROLES],
    ['member', settings.AUTH_JWT_MEMBER_ROLES],
  ];
  const found = mapped.find(([, known]) => values.some((value) => known.includes(value)));
  return found?.[0] ?? (settings.AUTH_JWT_MEMBER_ROLES.includes(ANY) ? 'member' : undefined);
}

function listOf(value: unknown): readonly string[] | null {
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  return list.every(isName) ? list : null;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 255;
}
