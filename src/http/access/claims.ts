import { lookOf } from '../../../packages/protocol/access/names.js';
import type { TenantRole } from '../../../packages/protocol/access/roles.js';
import type { Identity } from '../../ports/index.js';
import type { Settings } from '../../platform/config/env.js';

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

/** Who the claims of a trusted issuer name, and the groups. */
export interface ClaimedIdentity extends Identity {
  readonly groups: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;

/** Tolerated difference between the clocks of issuer and server. */
export const CLOCK_TOLERANCE_MS = 5_000;

/** Stands for every other value in a list of role values. */
const ANY = '*';

/** The identity in the claims of a signed token or a sign-in, or why they are not accepted. `tenant`: the tenant of everybody; null: the claims name it. */
export function identityIn(claims: Claims, settings: ClaimSettings, tenant: string | null = null): ClaimedIdentity | string {
  const user = claimOf(claims, settings.AUTH_JWT_USER_CLAIM);
  const { iss: issuer = '', sub: subject = user, iat } = claims;
  const named = tenant ?? claimOf(claims, settings.AUTH_JWT_TENANT_CLAIM);
  if (!isName(user)) return `the claim ${settings.AUTH_JWT_USER_CLAIM} is not a text of 1 to 255 characters, of which one is visible`;
  if (settings.AUTH_JWT_USER_CLAIM === 'email' && claims['email_verified'] !== true) return 'the claim email names the user, and email_verified is not true';
  if (typeof issuer !== 'string' || typeof subject !== 'string' || subject === '') return 'the claim iss or sub is not a text';
  if (typeof iat !== 'number' || iat * 1_000 > Date.now() + CLOCK_TOLERANCE_MS) return 'the claim iat is not a time, or is in the future';
  if (!isName(named)) return `the claim ${settings.AUTH_JWT_TENANT_CLAIM} is not a text of 1 to 255 characters, of which one is visible`;
  const role = roleIn(claimOf(claims, settings.AUTH_JWT_ROLE_CLAIM), settings);
  if (role === undefined)
    return `the claim ${settings.AUTH_JWT_ROLE_CLAIM} has no value that AUTH_JWT_ADMIN_ROLES, AUTH_JWT_AUDITOR_ROLES or AUTH_JWT_MEMBER_ROLES lists`;
  const listed = listOf(claimOf(claims, settings.AUTH_JWT_GROUPS_CLAIM) ?? []);
  const groups = listed && [...new Set(listed)];
  if (groups === null) return `the claim ${settings.AUTH_JWT_GROUPS_CLAIM} is not a list of texts of 1 to 255 characters`;
  if (groups.length > settings.AUTH_JWT_MAX_GROUPS) return `the claim ${settings.AUTH_JWT_GROUPS_CLAIM} has more than AUTH_JWT_MAX_GROUPS groups`;
  return { tenant: named, user, issuer, subject, role, issuedAt: iat * 1_000, groups };
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
  return typeof value === 'string' && value.length <= 255 && value.isWellFormed() && !value.includes('\u0000') && lookOf(value) !== '';
}
