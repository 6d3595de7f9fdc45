import { SCOPES, type Scope } from '../../../../packages/protocol/access/actions.js';
import { type Principal, principalOf } from '../../../../packages/protocol/access/principal.js';
import { Prisma } from '../../../generated/prisma/client.js';
import { effectiveRole } from './roles.js';
import type { SecretKey } from './secrets.js';

/* Statements about tokens and their users. */

export interface PrincipalRow {
  readonly token_id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly role: string;
  readonly user_role: string;
  readonly scopes: readonly string[] | null;
  readonly expires_at: Date | null;
  readonly refused: string | null;
}

/** A row that is not accepted says why. */
export function tokenOf({ tenantId, hash }: SecretKey): Prisma.Sql {
  return Prisma.sql`SELECT t.token_id, t.tenant_id, t.user_id, t.role, u.role AS user_role, t.scopes, t.expires_at,
      CASE WHEN t.revoked_at IS NOT NULL THEN 'it is revoked' WHEN t.expires_at <= now() THEN 'it has expired' WHEN u.disabled_at IS NOT NULL THEN 'the user is disabled' END AS refused
    FROM api_token t JOIN app_user u USING (tenant_id, user_id) WHERE t.tenant_id = ${tenantId}::uuid AND t.token_hash = ${hash}`;
}

export function principalIn({ tenant_id, user_id, role, user_role, scopes, token_id, expires_at }: PrincipalRow): Principal {
  const expiry = expires_at === null ? {} : { expiresAt: expires_at.toISOString() };
  return principalOf({ tenantId: tenant_id, userId: user_id, role: effectiveRole(user_role, role), scopes: scopesOf(scopes), tokenId: token_id, ...expiry });
}

export interface NewTenant {
  readonly tenantId: string;
  readonly name: string;
  readonly userId: string;
  readonly userName: string;
  readonly tokenId: string;
  readonly tokenHash: Buffer<ArrayBuffer>;
}

/** All in one statement: the user and the token are inserted only if the tenant is new. */
export function insertTenant({ tenantId, name, userId, userName, tokenId, tokenHash }: NewTenant): Prisma.Sql {
  return Prisma.sql`
    WITH new_tenant AS (INSERT INTO tenant (tenant_id, name) VALUES (${tenantId}::uuid, ${name}) ON CONFLICT DO NOTHING RETURNING tenant_id),
    new_user AS (INSERT INTO app_user (tenant_id, user_id, name, role) SELECT tenant_id, ${userId}::uuid, ${userName}::text, 'admin' FROM new_tenant ON CONFLICT DO NOTHING)
    INSERT INTO api_token (token_id, token_hash, tenant_id, user_id, role) SELECT ${tokenId}::uuid, ${tokenHash}, tenant_id, ${userId}::uuid, 'admin' FROM new_tenant ON CONFLICT DO NOTHING`;
}

/**
 * Begins a transaction on tokens and users of a tenant: sets the tenant for its statements. Such transactions take turns, so that no token is created with one that is being
 * revoked, and of two admins one stays.
 */
export async function lockTokens(transaction: Pick<Prisma.TransactionClient, '$executeRaw'>, tenantId: string): Promise<void> {
  await transaction.$executeRaw`SELECT set_tenant(${tenantId}::uuid), pg_advisory_xact_lock(hashtextextended('tokens ' || ${tenantId}, 0))`;
}

/** Revokes tokens with every token that was created with them. `which` is a condition on api_token t. The tenant is named at each table, which a distributed database needs in a recursion. */
export function revokeTokens(tenantId: string, which: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH RECURSIVE descendant AS (
      SELECT t.tenant_id, t.token_id FROM api_token t WHERE t.tenant_id = ${tenantId}::uuid AND ${which}
      UNION SELECT t.tenant_id, t.token_id FROM api_token t JOIN descendant d ON t.tenant_id = d.tenant_id AND t.parent_id = d.token_id WHERE t.tenant_id = ${tenantId}::uuid
    )
    UPDATE api_token SET revoked_at = now()
    WHERE tenant_id = ${tenantId}::uuid AND (tenant_id, token_id) IN (SELECT tenant_id, token_id FROM descendant) AND revoked_at IS NULL RETURNING token_id`;
}

/** Ends every credential of a tenant's users, or of the one given. */
export async function revokeCredentials(
  transaction: Pick<Prisma.TransactionClient, '$executeRaw' | '$queryRaw'>,
  tenantId: string,
  userId?: string,
): Promise<void> {
  const ofUser = userId === undefined ? Prisma.sql`true` : Prisma.sql`user_id = ${userId}::uuid`;
  const user = Prisma.sql`tenant_id = ${tenantId}::uuid AND ${ofUser}`;
  await transaction.$queryRaw(revokeTokens(tenantId, Prisma.sql`${ofUser} AND t.revoked_at IS NULL`));
  await transaction.$executeRaw`DELETE FROM sign_in WHERE ${user}`;
  await transaction.$executeRaw`DELETE FROM sign_in_code WHERE ${user}`;
  await transaction.$executeRaw`DELETE FROM stream_ticket WHERE ${user}`;
}

/** A scope of a newer release allows nothing here. Null: no limit. */
export function scopesOf(stored: readonly string[] | null): readonly Scope[] | null {
  return stored === null ? null : SCOPES.filter((scope) => stored.includes(scope));
}
