import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { DomainError } from '../../core/errors.js';
import { uuidFromSha256 } from '../../core/message/ids.js';
import { Accounts, type TokenInfo } from '../../core/ports.js';
import type { Database } from './prisma.js';
import { isUuid, requireStorable } from './row.js';
import type { Principal } from '../../core/session/principal.js';

/** How long a process may go by a token it has looked up, in milliseconds; so long it may be good elsewhere after it was revoked here. */
const FRESH_MS = 1_000;

/** Tokens that are kept at hand. */
const KEPT = 10_000;

interface KnownToken {
  readonly at: number;
  readonly principal: Principal;
  readonly expiresAt: number;
}

export class PostgresAccounts extends Accounts {
  readonly #database: Database;
  /** By the token's hash. */
  readonly #known = new Map<string, KnownToken>();

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async principal(token: string): Promise<Principal | null> {
    const tokenHash = sha256(token);
    const key = tokenHash.toString('base64');
    const known = this.#known.get(key);
    if (known && performance.now() - known.at < FRESH_MS && known.expiresAt > Date.now()) return known.principal;
    this.#known.delete(key);
    const at = performance.now();
    const found = await this.#database.run((client) =>
      client.token.findUnique({ where: { tokenHash, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] } }),
    );
    if (!found) return null;
    const principal = { tenantId: found.tenantId, userId: found.userId, role: roleOf(found.role), tokenId: found.tokenId };
    this.#keep(key, { at, principal, expiresAt: found.expiresAt?.getTime() ?? Infinity });
    return principal;
  }

  #keep(key: string, token: KnownToken): void {
    this.#known.set(key, token);
    const oldest = this.#known.size > KEPT ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  override async vouched(tenant: string, user: string, role: 'admin' | 'member'): Promise<Principal> {
    const tenantId = tenantIdOf(tenant);
    const userId = userIdOf(tenantId, user);
    const known = await this.#database.run((client) => client.user.findUnique({ where: { tenantId_userId: { tenantId, userId } } }));
    if (!known) {
      await this.#database.run((client) => client.tenant.createMany({ data: [{ tenantId, name: tenant }], skipDuplicates: true }));
      await this.#addUser(tenantId, user);
    }
    return { tenantId, userId, role };
  }

  override async describe({ tenantId, userId }: Principal): Promise<{ readonly tenantName: string; readonly userName: string }> {
    const user = await this.#database.run((client) => client.user.findUnique({ where: { tenantId_userId: { tenantId, userId } }, include: { tenant: true } }));
    if (!user) throw new DomainError('not_found', 'There is no such user.');
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
      throw new DomainError('forbidden', 'Only an admin may make tokens for others, or tokens of the role admin.');
    }
    if (userName !== undefined) await this.#addUser(tenantId, userName);
    const id = randomUUID();
    const token = newToken();
    const expires = expiresAt === null ? null : new Date(expiresAt);
    const created = new Date();
    const row = { tokenId: id, tokenHash: sha256(token), tenantId, userId, role, name, createdAt: created, expiresAt: expires };
    await this.#database.run((client) => client.token.createMany({ data: [row], skipDuplicates: true }));
    return { id, name, userId, role, createdAt: created.toISOString(), expiresAt: expires?.toISOString() ?? null, token };
  }

  override async revokeToken(principal: Principal, tokenId: string): Promise<boolean> {
    if (!isUuid(tokenId)) return false;
    const reach = principal.role === 'admin' ? {} : { userId: principal.userId };
    const { count } = await this.#database.run((client) =>
      client.token.updateMany({ where: { tokenId, tenantId: principal.tenantId, revokedAt: null, ...reach }, data: { revokedAt: new Date() } }),
    );
    // Whoever asks from now on is told, in this process at once; a look-up that is under way counts as older.
    for (const [key, { principal: known }] of this.#known) if (known.tokenId === tokenId) this.#known.delete(key);
    return count > 0;
  }

  override async createTenant(name: string, userName: string): Promise<{ readonly tenantId: string; readonly userId: string; readonly token: string }> {
    const tenantId = tenantIdOf(name);
    const userId = userIdOf(tenantId, userName);
    const token = newToken();
    const first = { tokenId: randomUUID(), tokenHash: sha256(token), tenantId, userId, role: 'admin' };
    const made = await this.#database.run((client) =>
      client.$transaction(async (transaction) => {
        const { count } = await transaction.tenant.createMany({ data: [{ tenantId, name }], skipDuplicates: true });
        if (count === 0) return false;
        await transaction.user.create({ data: { tenantId, userId, name: userName } });
        await transaction.token.create({ data: first });
        return true;
      }),
    );
    if (!made) {
      throw new DomainError('invalid_input', 'There is a tenant of this name already; choose another name.', [{ pointer: '/name', text: 'is taken' }]);
    }
    return { tenantId, userId, token };
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
 * Made from the name, so that every process finds the same tenant without asking, and a name can be there only once. Names that cannot be stored
 * are refused first: hashing would take different ones for the same.
 */
function tenantIdOf(name: string): string {
  return uuidFromSha256(sha256(`tenant\0${requireStorable(name, '/tenant')}`).toString('hex'));
}

function userIdOf(tenantId: string, name: string): string {
  return uuidFromSha256(sha256(`user\0${tenantId}\0${requireStorable(name, '/user')}`).toString('hex'));
}

/** 256 random bits: nobody guesses one, so a plain hash is enough to store. */
function newToken(): string {
  return `vb_${randomBytes(32).toString('base64url')}`;
}

function sha256(text: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(text).digest() as Buffer<ArrayBuffer>;
}

function roleOf(role: string): 'admin' | 'member' {
  return role === 'admin' ? 'admin' : 'member';
}
