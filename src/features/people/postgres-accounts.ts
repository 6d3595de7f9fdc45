import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts, type Identity, type NewToken, type TokenInfo, type UserInfo } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import { CredentialCache } from '../../platform/postgres/store/credential-cache.js';
import { endedOf } from '../../platform/postgres/store/ended-credentials.js';
import { identityHash, tenantIdOf, userIdOf } from './identities.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { hashOf, newSecret, secretKey } from '../../platform/postgres/store/secrets.js';
import { isUuid, requireStorable } from '../../platform/postgres/store/row.js';
import { tokenOf, insertTenant, lockTokens, principalIn, type PrincipalRow, revokeTokens, scopesOf } from '../../platform/postgres/store/account-statements.js';
import { effectiveRole, roleOf } from '../../platform/postgres/store/roles.js';
import { userInfo, type UserRow, usersOf } from '../../engine/store/list-statements.js';
import { credentialsOf, type Principal, principalOf } from '../../../packages/protocol/access/principal.js';
import type { Scope } from '../../../packages/protocol/access/actions.js';
import type { TenantRole } from '../../../packages/protocol/access/roles.js';

export class PostgresAccounts extends Accounts {
  readonly #database: Database;
  readonly #cache: CredentialCache;

  constructor(database: Database, cache = new CredentialCache()) {
    super();
    this.#database = database;
    this.#cache = cache;
  }

  override async principal(token: string, refused?: (reason: string) => void): Promise<Principal | null> {
    const key = secretKey('vb', token);
    if (!key) {
      refused?.('it is unknown');
      return null;
    }
    return this.#cache.principal(key.hash, async () => {
      const [found] = await this.#database.inTenant(key.tenantId, (client) => client.$queryRaw<readonly PrincipalRow[]>(tokenOf(key)));
      if (found && found.refused === null) return principalIn(found);
      refused?.(found?.refused ?? 'it is unknown');
      return null;
    });
  }

  override async vouched({ tenant, user, issuer, subject, role, issuedAt }: Identity, refused?: (reason: string) => void): Promise<Principal | null> {
    const tenantId = tenantIdOf(tenant);
    const [found] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<[{ readonly user_id: string; readonly user_role: string; readonly refused: string | null; readonly is_changed: boolean }]>`
        SELECT user_id, user_role, refused, is_changed FROM vouch_user(${tenantId}::uuid, ${tenant}, ${userIdOf(tenantId, user)}::uuid, ${user},
          ${identityHash(issuer, subject)}, ${role}::text, ${new Date(issuedAt)}::timestamptz)`,
    );
    if (found.refused !== null) {
      refused?.(found.refused);
      return null;
    }
    const { user_id: userId, user_role: userRole } = found;
    if (found.is_changed) this.#cache.forget((principal) => principal.userId === userId);
    return principalOf({ tenantId, userId, role: role === null ? roleOf(userRole) : effectiveRole(userRole, role) });
  }

  override userId(tenantId: string, name: string): string {
    return userIdOf(tenantId, name);
  }

  override async describe({ tenantId, userId }: Principal): Promise<{ readonly tenantName: string; readonly userName: string }> {
    const user = await this.#database.inTenant(tenantId, (client) => client.user.findFirst({ where: { tenantId, userId }, include: { tenant: true } }));
    if (!user) throw new DomainError('not_found', 'The user does not exist.');
    return { tenantName: user.tenant.name, userName: user.name };
  }

  override async createToken(principal: Principal, { name, userName, role, scopes, expiresAt }: NewToken): Promise<TokenInfo & { readonly token: string }> {
    const { tenantId, userId: callerId, tokenId: parentId } = principal;
    if (name !== null) requireStorable(name, '/name');
    const userId = userName === undefined ? callerId : userIdOf(tenantId, userName);
    requireRight(principal, { role, userId });
    if (userName !== undefined) await this.#addUser(tenantId, userName, role);
    const token = newSecret('vb', tenantId);
    const limits = { scopes: [...scopesWithin(principal, scopes)], expiresAt: expiryWithin(principal, expiresAt) };
    const row = { tokenId: randomUUID(), tokenHash: hashOf(token), tenantId, userId, role, name, createdAt: new Date(), ...limits, parentId };
    await this.#database.run((client) =>
      client.$transaction(async (transaction) => {
        await lockTokens(transaction, tenantId);
        const hasEnded = (await endedOf(transaction, tenantId, [principal], null)).size > 0;
        if (hasEnded)
          throw new DomainError('unauthenticated', 'The credentials of this request have ended, or the user has another role now.', [], { presented: true });
        const user = await transaction.user.findFirst({ where: { tenantId, userId, disabledAt: null } });
        if (!user)
          throw new DomainError('invalid_input', 'The user is disabled; enable the user first.', [{ pointer: '/userName', text: 'is a disabled user' }]);
        if (effectiveRole(user.role, role) !== role) {
          throw new DomainError(
            'invalid_input',
            `The user has the role ${user.role}; a token for ${role} would not have its rights. Change the user's role first.`,
            [{ pointer: '/role', text: `is not the user's role, ${user.role}, nor member` }],
          );
        }
        await transaction.$executeRaw`INSERT INTO api_token (token_id, token_hash, tenant_id, user_id, role, scopes, name, created_at, expires_at, parent_id)
          VALUES (${row.tokenId}::uuid, ${row.tokenHash}, ${tenantId}::uuid, ${userId}::uuid, ${role}, nullif(${row.scopes}::text[], '{}'), ${name}::text,
            ${row.createdAt}::timestamptz, ${row.expiresAt}::timestamptz, ${parentId}::uuid) ON CONFLICT DO NOTHING`;
      }),
    );
    return { ...tokenInfo(row), token };
  }

  override async tokens(principal: Principal, limit: number, cursor: string | null): Promise<readonly TokenInfo[]> {
    const valid = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
    const rows = await this.#database.inTenant(principal.tenantId, (client) =>
      client.token.findMany({
        where: { tenantId: principal.tenantId, ...reachOf(principal), ...valid },
        orderBy: [{ createdAt: 'desc' }, { tokenId: 'desc' }],
        take: limit,
        ...(cursor !== null && isUuid(cursor) ? { cursor: { tenantId_tokenId: { tenantId: principal.tenantId, tokenId: cursor } }, skip: 1 } : {}),
      }),
    );
    return rows.map(tokenInfo);
  }

  override async revokeToken(principal: Principal, tokenId: string): Promise<boolean> {
    if (!isUuid(tokenId)) return false;
    const { tenantId } = principal;
    const revoked = await this.#database.run((client) =>
      client.$transaction(async (transaction) => {
        await lockTokens(transaction, tenantId);
        const found = await transaction.token.findFirst({ where: { tokenId, tenantId, revokedAt: null, ...reachOf(principal) } });
        if (!found) return [];
        return transaction.$queryRaw<readonly { readonly token_id: string }[]>(revokeTokens(tenantId, Prisma.sql`t.token_id = ${tokenId}::uuid`));
      }),
    );
    const ids = new Set(revoked.map(({ token_id: id }) => id));
    this.#cache.forget(({ tokenId: id }) => id !== null && ids.has(id));
    return ids.size > 0;
  }

  override async createStreamTicket(
    principal: Principal,
    sessionId: string | null,
    lifetimeMs: number,
  ): Promise<{ readonly ticket: string; readonly expiresAt: string }> {
    const { tenantId, userId, expiresAt: latest = null } = principal;
    const ticket = newSecret('vbt', tenantId);
    const [made] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<[{ readonly expires_at: Date }]>`
        WITH terms AS (SELECT least(now() + ${lifetimeMs}::float8 * interval '1 millisecond', ${latest}::timestamptz) AS expires_at),
        over AS (DELETE FROM stream_ticket WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND expires_at <= now()),
        made AS (INSERT INTO stream_ticket (ticket_hash, tenant_id, user_id, credentials, session_id, expires_at)
          SELECT ${hashOf(ticket)}, ${tenantId}::uuid, ${userId}::uuid, ${JSON.stringify(credentialsOf(principal))}::jsonb, ${sessionId}::uuid, expires_at FROM terms
          ON CONFLICT DO NOTHING)
        SELECT expires_at FROM terms`,
    );
    return { ticket, expiresAt: made.expires_at.toISOString() };
  }

  override async redeemStreamTicket(ticket: string, sessionId: string | null): Promise<Principal | null> {
    const key = secretKey('vbt', ticket);
    if (!key) return null;
    // Deleting the row is what makes it valid once, whichever processes receive it at the same time. Whether the credentials still hold is checked as for an open stream.
    const [found] = await this.#database.inTenant(
      key.tenantId,
      (client) => client.$queryRaw<readonly { readonly credentials: Principal; readonly is_valid: boolean }[]>`
        WITH redeemed AS (DELETE FROM stream_ticket
          WHERE tenant_id = ${key.tenantId}::uuid AND ticket_hash = ${key.hash} AND session_id IS NOT DISTINCT FROM ${sessionId}::uuid RETURNING credentials, expires_at)
        SELECT credentials, expires_at > now() AS is_valid FROM redeemed`,
    );
    return found?.is_valid ? found.credentials : null;
  }

  override async createTenant(name: string, userName: string): Promise<{ readonly tenantId: string; readonly userId: string; readonly token: string }> {
    const tenantId = tenantIdOf(name);
    const userId = userIdOf(tenantId, userName);
    const token = newSecret('vb', tenantId);
    const statement = insertTenant({ tenantId, name, userId, userName, tokenId: randomUUID(), tokenHash: hashOf(token) });
    const created = await this.#database.inTenant(tenantId, (client) => client.$executeRaw(statement));
    if (created === 0) {
      throw new DomainError('invalid_input', 'A tenant with this name, or one that looks like it, exists already; choose another name.', [
        { pointer: '/name', text: 'is taken' },
      ]);
    }
    return { tenantId, userId, token };
  }

  override async names(tenantId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.#database.inTenant(tenantId, (client) =>
      client.user.findMany({ where: { tenantId, userId: { in: [...userIds] } }, select: { userId: true, name: true } }),
    );
    return new Map(rows.map(({ userId, name }) => [userId, name]));
  }

  override async users(tenantId: string, limit: number, cursor: string | null): Promise<readonly UserInfo[]> {
    const rows = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<UserRow[]>(usersOf(tenantId, limit, cursor)));
    return rows.map(userInfo);
  }

  override async tenants(): Promise<number> {
    const [row] = await this.#database.run((client) => client.$queryRaw<[{ tenants: bigint }]>`SELECT count_tenants() AS tenants`);
    return Number(row.tenants);
  }

  /** Shows that the schema is there as well. A distributed database answers for the tenants of the nodes that are up: no node is asked. */
  override async ping(): Promise<void> {
    if (this.#database.isDistributed) await this.#database.run((client) => client.$queryRaw`SELECT current_tenant()`);
    else await this.tenants();
  }

  async #addUser(tenantId: string, name: string, role: TenantRole): Promise<void> {
    const userId = userIdOf(tenantId, name);
    // A user who was deleted and enabled again has no name.
    await this.#database.inTenant(
      tenantId,
      (client) => client.$executeRaw`INSERT INTO app_user AS u (tenant_id, user_id, name, role) VALUES (${tenantId}::uuid, ${userId}::uuid, ${name}, ${role})
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET name = excluded.name WHERE u.name = '' AND u.disabled_at IS NULL`,
    );
  }
}

/** An admin may list and revoke every token of the tenant, a member only their own. */
function reachOf({ role, userId }: Principal): { readonly userId?: string } {
  return role === 'admin' ? {} : { userId };
}

/** Never later than the caller's credentials expire; a token outlasts the browser that it was created in. */
function expiryWithin({ expiresAt, signInId }: Principal, wanted: string | null): Date | null {
  const latest = signInId === null ? expiresAt : undefined;
  if (latest === undefined) return wanted === null ? null : new Date(wanted);
  if (wanted === null || Date.parse(wanted) === Date.parse(latest)) return new Date(latest);
  if (Date.parse(wanted) < Date.parse(latest)) return new Date(wanted);
  throw new DomainError('invalid_input', `A token cannot be valid for longer than the credentials that create it, which expire at ${latest}.`, [
    { pointer: '/expiresAt', text: `must not be later than ${latest}` },
  ]);
}

interface TokenRow {
  readonly tokenId: string;
  readonly name: string | null;
  readonly userId: string;
  readonly role: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly parentId: string | null;
  /** Empty: no limit; Prisma reads null so, and the table has no empty ones. */
  readonly scopes: readonly string[];
}

function tokenInfo({ tokenId, name, userId, role, scopes, createdAt, expiresAt, parentId }: TokenRow): TokenInfo {
  return {
    id: tokenId,
    name,
    userId,
    role: roleOf(role),
    scopes: scopesOf(scopes.length === 0 ? null : scopes),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    parentId,
  };
}

/** Never more than the caller's. */
function scopesWithin({ scopes: limits }: Principal, wanted: readonly Scope[] | null): readonly Scope[] {
  if (wanted === null || limits === null) return [...new Set(wanted ?? limits ?? [])];
  const beyond = wanted.filter((scope) => !limits.includes(scope));
  if (beyond.length === 0) return [...new Set(wanted)];
  throw new DomainError('forbidden', `These credentials do not have the scope ${beyond.join(', ')}, and so cannot create a token with it.`);
}

/** What only an admin may create. */
function requireRight({ role: own, userId: ownId }: Principal, { role, userId }: { readonly role: TenantRole; readonly userId: string }): void {
  if (own === 'admin' || (userId === ownId && (role === 'member' || role === own))) return;
  throw new DomainError('forbidden', 'Only an admin may create tokens for other users or with another role than the own one or member.');
}
