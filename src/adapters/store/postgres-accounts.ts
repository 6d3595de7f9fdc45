import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { DomainError } from '../../core/errors.js';
import { uuidFromSha256 } from '../../core/message/ids.js';
import { Accounts, type TokenInfo, type UserInfo } from '../../core/ports.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from './prisma.js';
import { isUuid, requireStorable } from './row.js';
import { type UserRow, usersOf } from './list-statements.js';
import { type Principal, principalOf } from '../../core/access/principal.js';

/** How long a token look-up is cached, in milliseconds: the time for which other processes may accept a revoked token. */
const CACHE_MS = 1_000;

/** The maximum number of cached tokens. */
const MAX_CACHED = 10_000;

interface CachedToken {
  readonly at: number;
  readonly principal: Principal;
  readonly expiresAt: number;
}

export class PostgresAccounts extends Accounts {
  readonly #database: Database;
  /** By the token's hash. */
  readonly #cache = new Map<string, CachedToken>();

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async principal(token: string): Promise<Principal | null> {
    const tokenHash = sha256(token);
    const key = tokenHash.toString('base64');
    const cached = this.#cache.get(key);
    if (cached && performance.now() - cached.at < CACHE_MS && cached.expiresAt > Date.now()) return cached.principal;
    this.#cache.delete(key);
    const at = performance.now();
    const found = await this.#database.run((client) =>
      client.token.findUnique({ where: { tokenHash, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] } }),
    );
    if (!found) return null;
    const expiry = found.expiresAt === null ? {} : { expiresAt: found.expiresAt.toISOString() };
    const principal = principalOf({ tenantId: found.tenantId, userId: found.userId, role: roleOf(found.role), tokenId: found.tokenId, ...expiry });
    this.#remember(key, { at, principal, expiresAt: found.expiresAt?.getTime() ?? Infinity });
    return principal;
  }

  #remember(key: string, token: CachedToken): void {
    this.#cache.set(key, token);
    const oldest = this.#cache.size > MAX_CACHED ? this.#cache.keys().next().value : undefined;
    if (oldest !== undefined) this.#cache.delete(oldest);
  }

  override async vouched(tenant: string, user: string, role: 'admin' | 'member'): Promise<Principal> {
    const tenantId = tenantIdOf(tenant);
    const userId = userIdOf(tenantId, user);
    const known = await this.#database.run((client) => client.user.findUnique({ where: { tenantId_userId: { tenantId, userId } } }));
    if (!known) {
      await this.#database.run((client) => client.tenant.createMany({ data: [{ tenantId, name: tenant }], skipDuplicates: true }));
      await this.#addUser(tenantId, user);
    }
    return principalOf({ tenantId, userId, role });
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
    if (userName !== undefined) await this.#addUser(tenantId, userName);
    const id = randomUUID();
    const token = newToken();
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
    // This process rejects the tokens at once, the others after CACHE_MS.
    const ids = new Set(revoked.map(({ token_id: id }) => id));
    for (const [key, { principal: cached }] of this.#cache) if (cached.tokenId !== null && ids.has(cached.tokenId)) this.#cache.delete(key);
    return ids.size > 0;
  }

  override async createStreamTicket(
    { tenantId, userId, role, expiresAt: latest }: Principal,
    sessionId: string | null,
    lifetimeMs: number,
  ): Promise<{ readonly ticket: string; readonly expiresAt: string }> {
    const ticket = `vbt_${randomBytes(32).toString('base64url')}`;
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
    const token = newToken();
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

  async #addUser(tenantId: string, name: string): Promise<void> {
    const userId = userIdOf(tenantId, name);
    await this.#database.run((client) => client.user.createMany({ data: [{ tenantId, userId, name }], skipDuplicates: true }));
  }
}

/**
 * Derived from the name, so that every process computes the same id without a query, and names are unique. Names that cannot be stored are rejected before, because
 * their hashes could be equal for different names.
 */
function tenantIdOf(name: string): string {
  return uuidFromSha256(sha256(`tenant\0${requireStorable(name, '/tenant')}`).toString('hex'));
}

function userIdOf(tenantId: string, name: string): string {
  return uuidFromSha256(sha256(`user\0${tenantId}\0${requireStorable(name, '/user')}`).toString('hex'));
}

/** 256 random bits cannot be guessed, so an unsalted hash is enough to store. */
function newToken(): string {
  return `vb_${randomBytes(32).toString('base64url')}`;
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
    new_user AS (INSERT INTO app_user (tenant_id, user_id, name) SELECT tenant_id, ${userId}::uuid, ${userName}::text FROM new_tenant)
    INSERT INTO api_token (token_id, token_hash, tenant_id, user_id, role) SELECT ${tokenId}::uuid, ${tokenHash}, tenant_id, ${userId}::uuid, 'admin' FROM new_tenant`;
}

function sha256(text: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(text).digest() as Buffer<ArrayBuffer>;
}

/** Creating and revoking tokens of a tenant take turns, so that no token is created with one that is being revoked. */
async function lockTokens(transaction: Pick<Prisma.TransactionClient, '$executeRaw'>, tenantId: string): Promise<void> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('tokens ' || ${tenantId}, 0))`;
}

/** An admin may list and revoke every token of the tenant, a member only their own. */
function reachOf({ role, userId }: Principal): { readonly userId?: string } {
  return role === 'admin' ? {} : { userId };
}

/** Never later than the caller's credentials expire. */
function expiryWithin({ expiresAt: latest }: Principal, wanted: string | null): Date | null {
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

function roleOf(role: string): 'admin' | 'member' {
  return role === 'admin' ? 'admin' : 'member';
}
