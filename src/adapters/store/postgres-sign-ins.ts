import { randomUUID } from 'node:crypto';
import { type SignInInfo, type SignInMethod, SignIns, type SignInTerms } from '../../core/ports.js';
import { type Principal, principalOf } from '../../core/access/principal.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { CredentialCache } from './credential-cache.js';
import { newSecret, sha256 } from './identities.js';
import type { Database } from './prisma.js';
import { isUuid } from './row.js';
import { roleOf } from './roles.js';

type User = Pick<Principal, 'tenantId' | 'userId'>;

interface PrincipalRow {
  readonly sign_in_id: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly role: string;
  readonly groups: readonly string[];
  readonly expires_at: Date;
  readonly refused: string | null;
  readonly is_due: boolean;
}

interface InfoRow {
  readonly sign_in_id: string;
  readonly user_id: string;
  readonly method: SignInMethod;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

/** Every comparison of times is the database's: processes may have clocks that differ. */
export class PostgresSignIns extends SignIns {
  readonly #database: Database;
  readonly #cache: CredentialCache;

  constructor(database: Database, cache: CredentialCache) {
    super();
    this.#database = database;
    this.#cache = cache;
  }

  override async issueCode({ tenantId, userId }: User, lifetimeMs: number): Promise<string | null> {
    const code = newSecret('vbc');
    const issued = await this.#database.inTenant(
      tenantId,
      (client) => client.$executeRaw`
        WITH over AS (DELETE FROM sign_in_code WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND expires_at <= now())
        INSERT INTO sign_in_code (code_hash, tenant_id, user_id, expires_at)
        SELECT ${sha256(code)}, tenant_id, user_id, now() + ${after(lifetimeMs)}
        FROM app_user WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND disabled_at IS NULL
        ON CONFLICT DO NOTHING`,
    );
    return issued === 1 ? code : null;
  }

  override async redeemCode(code: string): Promise<User | null> {
    const rows = await this.#database.run(
      (client) => client.$queryRaw<readonly { readonly tenant_id: string; readonly user_id: string; readonly is_valid: boolean }[]>`
        SELECT tenant_id, user_id, is_valid FROM redeem_code(${sha256(code)})`,
    );
    const [found] = rows;
    return found?.is_valid ? { tenantId: found.tenant_id, userId: found.user_id } : null;
  }

  override async begin({ tenantId, userId }: User, terms: SignInTerms): Promise<{ readonly secret: string; readonly principal: Principal }> {
    const { method, groups, userAgent, lifetimeMs } = terms;
    const secret = newSecret('vbs');
    const [row] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<readonly PrincipalRow[]>`
        WITH over AS (DELETE FROM sign_in WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND expires_at <= now()),
        begun AS (
          INSERT INTO sign_in (sign_in_id, secret_hash, tenant_id, user_id, method, groups, user_agent, expires_at)
          VALUES (${randomUUID()}::uuid, ${sha256(secret)}, ${tenantId}::uuid, ${userId}::uuid, ${method}, ${groups}::text[], ${userAgent}, now() + ${after(lifetimeMs)})
          ON CONFLICT (secret_hash) DO UPDATE SET last_used_at = now() RETURNING *)
        SELECT b.sign_in_id, b.tenant_id, b.user_id, u.role, b.groups, b.expires_at, NULL AS refused, false AS is_due
        FROM begun b JOIN app_user u USING (tenant_id, user_id)`,
    );
    return { secret, principal: principalIn(row!) };
  }

  override principal(secret: string, idleMs: number, refused: (reason: string) => void): Promise<Principal | null> {
    const hash = sha256(secret);
    return this.#cache.principal(hash, async () => {
      const [row] = await this.#database.run((client) => client.$queryRaw<readonly PrincipalRow[]>(signInOf(hash, idleMs)));
      if (!row || row.refused !== null) {
        refused(row?.refused ?? 'it is unknown or ended');
        return null;
      }
      if (row.is_due) await this.#noteUse(row);
      return principalIn(row);
    });
  }

  override async list(tenantId: string, userId: string | null, limit: number, cursor: string | null): Promise<readonly SignInInfo[]> {
    const rows = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<readonly InfoRow[]>`
        SELECT sign_in_id, user_id, method, user_agent, created_at, last_used_at, expires_at FROM sign_in
        WHERE tenant_id = ${tenantId}::uuid AND expires_at > now() AND (${userId}::uuid IS NULL OR user_id = ${userId}::uuid)
          AND (${cursor}::uuid IS NULL OR (created_at, sign_in_id) < (SELECT created_at, sign_in_id FROM sign_in WHERE sign_in_id = ${cursor}::uuid))
        ORDER BY created_at DESC, sign_in_id DESC LIMIT ${limit}::bigint`,
    );
    return rows.map((row) => ({
      id: row.sign_in_id,
      userId: row.user_id,
      method: row.method,
      userAgent: row.user_agent,
      createdAt: row.created_at.toISOString(),
      lastUsedAt: row.last_used_at.toISOString(),
      expiresAt: row.expires_at.toISOString(),
    }));
  }

  override async endOf(secret: string): Promise<string | null> {
    const [ended] = await this.#database.run(
      (client) => client.$queryRaw<readonly { readonly sign_in_id: string; readonly tenant_id: string }[]>`
        SELECT sign_in_id, tenant_id FROM end_sign_in(${sha256(secret)})`,
    );
    if (!ended) return null;
    this.#cache.forget(({ signInId }) => signInId === ended.sign_in_id);
    return ended.tenant_id;
  }

  override async end(tenantId: string, userId: string | null, id: string): Promise<boolean> {
    if (!isUuid(id)) return false;
    const ended = await this.#database.inTenant(
      tenantId,
      (client) => client.$executeRaw`
        DELETE FROM sign_in WHERE sign_in_id = ${id}::uuid AND tenant_id = ${tenantId}::uuid AND (${userId}::uuid IS NULL OR user_id = ${userId}::uuid)`,
    );
    this.#cache.forget(({ signInId }) => signInId === id);
    return ended === 1;
  }

  async #noteUse({ tenant_id: tenant, sign_in_id: id }: PrincipalRow): Promise<void> {
    await this.#database.inTenant(tenant, (client) => client.$executeRaw`UPDATE sign_in SET last_used_at = now() WHERE sign_in_id = ${id}::uuid`);
  }
}

/** The use of a sign-in is written when the last one written is older than this, in milliseconds. */
const USE_MS = 600_000;

const after = (ms: number): Prisma.Sql => Prisma.sql`${ms}::float8 * interval '1 millisecond'`;

/** A row that is not accepted says why. */
export function signInOf(hash: Buffer, idleMs: number): Prisma.Sql {
  return Prisma.sql`SELECT sign_in_id, tenant_id, user_id, role, groups, expires_at, refused, is_due
    FROM find_sign_in(${hash}, ${idleMs}::float8, ${Math.min(USE_MS, idleMs / 4)}::float8)`;
}

function principalIn({ tenant_id, user_id, role, groups, sign_in_id, expires_at }: PrincipalRow): Principal {
  return principalOf({ tenantId: tenant_id, userId: user_id, role: roleOf(role), groups, signInId: sign_in_id, expiresAt: expires_at.toISOString() });
}
