import { randomUUID } from 'node:crypto';
import { DomainError } from '../../core/errors.js';
import { Accounts, type TokenInfo, type UserInfo } from '../../core/ports.js';
import { Prisma } from '../../generated/prisma/client.js';
import { CredentialCache } from './credential-cache.js';
import { newSecret, sha256, tenantIdOf, userIdOf } from './identities.js';
import type { Database } from './prisma.js';
import { isUuid, requireStorable } from './row.js';
import { effectiveRole, roleOf } from './roles.js';
import { type UserRow, usersOf } from './list-statements.js';
import { type Principal, principalOf } from '../../core/access/principal.js';
import type { TenantRole } from '../../core/access/roles.js';

export class PostgresAccounts extends Accounts {
  readonly #database: Database;
  readonly #cache: CredentialCache;

  constructor(database: Database, cache = new CredentialCache()) {
    super();
    this.#database = database;
    this.#cache = cache;
  }

  override principal(token: string, refused?: (reason: string) => void): Promise<Principal | null> {
    const tokenHash = sha256(token);
    return this.#cache.principal(tokenHash, async () => {
      const [found] = await this.#database.run((client) => client.$queryRaw<readonly PrincipalRow[]>(credentialsOf(tokenHash)));
      if (found && found.refused === null) return principalIn(found);
      refused?.(found?.refused ?? 'it is unknown');
      return null;
    });
  }

  override async vouched(tenant: string, user: string, role: TenantRole | null, refused?: (reason: string) => void): Promise<Principal | null> {
    const tenantId = tenantIdOf(tenant);
    const userId = userIdOf(tenantId, user);
    const known = await this.#database.run((client) => client.user.findUnique({ where: { tenantId_userId: { tenantId, userId } } }));
    if (known?.disabledAt) {
      refused?.('the user is disabled');
      return null;
    }
    if (!known) {
      await this.#database.run((client) => client.tenant.createMany({ data: [{ tenantId, name: tenant }], skipDuplicates: true }));
      await this.#addUser(tenantId, user, role ?? 'member');
    } else if (role !== null && known.role !== role) {
      await this.#database.run(
        (client) => client.$executeRaw`UPDATE app_user SET role = ${role} WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid`,
      );
    }
    return principalOf({ tenantId, userId, role: role ?? roleOf(known?.role ?? 'member') });
  }

  override async describe({ tenantId, userId }: Principal): Promise<{ readonly tenantName: string; readonly userName: string }> {
    const user = await this.#database.run((client) => client.user.findUnique({ where: { tenantId_userId: { tenantId, userId } }, include: { tenant: true } }));
    if (!user) throw new DomainError('not_found', 'The user does not exist.');
    return { tenantName: user.tenant.name, userName: user.name };
  }

  override async createToken(
    principal: Principal,
    {
      name,
      userName,
      role,
      expiresAt,
    }: { readonly name: string | null; readonly userName?: string; readonly role: 'admin' | 'member'; readonly expiresAt: string | null },
  ): Promise<TokenInfo & { readonly token: string }> {
    const { tenantId } = principal;
    if (name !== null) requireStorable(name, '/name');
    const userId = userName === undefined ? principal.userId : userIdOf(tenantId, userName);
    if (principal.role !== 'admin' && (role === 'admin' || userId !== principal.userId)) {
      throw new DomainError('forbidden', 'Only an admin may create tokens for other users or with the role admin.');
    }
    if (userName !== undefined) await this.#addUser(tenantId, userName, role);
    const id = randomUUID();
    const token = newSecret('vb');
    const parentId = principal.tokenId;
    const row = {
      tokenId: id,
      tokenHash: sha256(token),
      tenantId,
      userId,
      role,
      name,
      createdAt: new Date(),
      expiresAt: expiryWithin(principal, expiresAt),
      parentId,
    };
    await this.#database.run((client) =>
      client.$transaction(async (transaction) => {
        await lockTokens(transaction, tenantId);
        const parent = parentId === null ? null : await transaction.token.findUnique({ where: { tokenId: parentId } });
        if (parent?.revokedAt) throw new DomainError('unauthenticated', 'The token of this request has been revoked.', [], { presented: true });
        await transaction.token.createMany({ data: [row], skipDuplicates: true });
      }),
    );
    return { ...tokenInfo(row), token };
  }

  override async tokens(principal: Principal, limit: number, cursor: string | null): Promise<readonly TokenInfo[]> {
    const valid = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
    const rows = await this.#database.run((client) =>
      client.token.findMany({
        where: { tenantId: principal.tenantId, ...reachOf(principal), ...valid },
        orderBy: [{ createdAt: 'desc' }, { tokenId: 'desc' }],
        take: limit,
        ...(cursor !== null && isUuid(cursor) ? { cursor: { tokenId: cursor }, skip: 1 } : {}),
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
        return transaction.$queryRaw<readonly { readonly token_id: string }[]>`
          WITH RECURSIVE descendant AS (
            SELECT token_id FROM api_token WHERE token_id = ${tokenId}::uuid
            UNION SELECT t.token_id FROM api_token t JOIN descendant d ON t.parent_id = d.token_id
          )
          UPDATE api_token SET revoked_at = now() WHERE token_id IN (SELECT token_id FROM descendant) AND revoked_at IS NULL RETURNING token_id`;
      }),
    );
    const ids = new Set(revoked.map(({ token_id: id }) => id));
    this.#cache.forget(({ tokenId: id }) => id !== null && ids.has(id));
    return ids.size > 0;
  }

  override async createStreamTicket(
    { tenantId, userId, role, expiresAt: latest }: Principal,
    sessionId: string | null,
    lifetimeMs: number,
  ): Promise<{ readonly ticket: string; readonly expiresAt: string }> {
    const ticket = newSecret('vbt');
    const expiresAt = new Date(Math.min(Date.now() + lifetimeMs, latest === undefined ? Infinity : Date.parse(latest)));
    const row = { ticketHash: sha256(ticket), tenantId, userId, role: role === 'system' ? 'member' : role, sessionId, expiresAt };
    await this.#database.run(async (client) => {
      await client.streamTicket.deleteMany({ where: { tenantId, userId, expiresAt: { lt: new Date() } } });
      await client.streamTicket.createMany({ data: [row], skipDuplicates: true });
    });
    return { ticket, expiresAt: expiresAt.toISOString() };
  }

  override async redeemStreamTicket(ticket: string, sessionId: string | null): Promise<Principal | null> {
    // Deleting the row is what makes it valid once, whichever processes receive it at the same time.
    const rows = await this.#database.run(
      (client) => client.$queryRaw<readonly { readonly tenant_id: string; readonly user_id: string; readonly role: string; readonly expires_at: Date }[]>`
        DELETE FROM stream_ticket WHERE ticket_hash = ${sha256(ticket)} AND session_id IS NOT DISTINCT FROM ${sessionId}::uuid RETURNING tenant_id, user_id, role, expires_at`,
    );
    const [found] = rows;
    if (!found || found.expires_at.getTime() <= Date.now()) return null;
    return principalOf({ tenantId: found.tenant_id, userId: found.user_id, role: roleOf(found.role) });
  }

  override async createTenant(name: string, userName: string): Promise<{ readonly tenantId: string; readonly userId: string; readonly token: string }> {
    const tenantId = tenantIdOf(name);
    const userId = userIdOf(tenantId, userName);
    const token = newSecret('vb');
    const statement = insertTenant({ tenantId, name, userId, userName, tokenId: randomUUID(), tokenHash: sha256(token) });
    const created = await this.#database.run((client) => client.$executeRaw(statement));
    if (created === 0) {
      throw new DomainError('invalid_input', 'A tenant with this name exists already; choose another name.', [{ pointer: '/name', text: 'is taken' }]);
    }
    return { tenantId, userId, token };
  }

  override async users(tenantId: string, limit: number, cursor: string | null): Promise<readonly UserInfo[]> {
    const rows = await this.#database.run((client) => client.$queryRaw<UserRow[]>(usersOf(tenantId, limit, cursor)));
    return rows.map(({ user_id: id, name, created_at, sessions, last_active_at }) => ({
      id,
      name,
      createdAt: created_at.toISOString(),
      sessions: Number(sessions),
      lastActiveAt: last_active_at?.toISOString() ?? null,
    }));
  }

  override tenants(): Promise<number> {
    return this.#database.run((client) => client.tenant.count());
  }

  async #addUser(tenantId: string, name: string, role: TenantRole): Promise<void> {
    const userId = userIdOf(tenantId, name);
    await this.#database.run((client) => client.user.createMany({ data: [{ tenantId, userId, name, role }], skipDuplicates: true }));
  }
}

interface PrincipalRow {
  readonly token_id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly role: string;
  readonly user_role: string;
  readonly expires_at: Date | null;
  readonly refused: string | null;
}

/** One statement by the index of hashes. A row that is not accepted says why. */
function credentialsOf(tokenHash: Buffer): Prisma.Sql {
  return Prisma.sql`
    SELECT t.token_id, t.tenant_id, t.user_id, t.role, u.role AS user_role, t.expires_at,
      CASE WHEN t.revoked_at IS NOT NULL THEN 'it is revoked' WHEN t.expires_at <= now() THEN 'it has expired'
        WHEN u.disabled_at IS NOT NULL THEN 'the user is disabled' END AS refused
    FROM api_token t JOIN app_user u USING (tenant_id, user_id) WHERE t.token_hash = ${tokenHash}`;
}

function principalIn({ tenant_id, user_id, role, user_role, token_id, expires_at }: PrincipalRow): Principal {
  const expiry = expires_at === null ? {} : { expiresAt: expires_at.toISOString() };
  return principalOf({ tenantId: tenant_id, userId: user_id, role: effectiveRole(user_role, role), tokenId: token_id, ...expiry });
}

interface NewTenant {
  readonly tenantId: string;
  readonly name: string;
  readonly userId: string;
  readonly userName: string;
  readonly tokenId: string;
  readonly tokenHash: Buffer<ArrayBuffer>;
}

/** All in one statement: the user and the token are inserted only if the tenant is new. */
function insertTenant({ tenantId, name, userId, userName, tokenId, tokenHash }: NewTenant): Prisma.Sql {
  return Prisma.sql`
    WITH new_tenant AS (INSERT INTO tenant (tenant_id, name) VALUES (${tenantId}::uuid, ${name}) ON CONFLICT DO NOTHING RETURNING tenant_id),
    new_user AS (INSERT INTO app_user (tenant_id, user_id, name, role) SELECT tenant_id, ${userId}::uuid, ${userName}::text, 'admin' FROM new_tenant)
    INSERT INTO api_token (token_id, token_hash, tenant_id, user_id, role) SELECT ${tokenId}::uuid, ${tokenHash}, tenant_id, ${userId}::uuid, 'admin' FROM new_tenant`;
}

/** Creating and revoking tokens of a tenant take turns, so that no token is created with one that is being revoked. */
async function lockTokens(transaction: Pick<Prisma.TransactionClient, '$executeRaw'>, tenantId: string): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('tokens ' || ${tenantId}, 0))`;
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
}

function tokenInfo({ tokenId, name, userId, role, createdAt, expiresAt, parentId }: TokenRow): TokenInfo {
  return { id: tokenId, name, userId, role: roleOf(role), createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null, parentId };
}
