import { randomUUID } from 'node:crypto';
import { type SignInInfo, type SignInMethod, SignIns, type SignInTerms } from '../../ports/index.js';
import { type Principal, principalOf } from '../../../packages/protocol/access/principal.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { CredentialCache } from '../../platform/postgres/store/credential-cache.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { isUuid } from '../../platform/postgres/store/row.js';
import { roleOf } from '../../platform/postgres/store/roles.js';
import { hashOf, newSecret, type SecretKey, secretKey } from '../../platform/postgres/store/secrets.js';

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
    const code = newSecret('vbc', tenantId);
    const issued = await this.#database.inTenant(
      tenantId,
      (client) => client.$executeRaw`
        WITH over AS (DELETE FROM sign_in_code WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND expires_at <= now())
        INSERT INTO sign_in_code (code_hash, tenant_id, user_id, expires_at)
        SELECT ${hashOf(code)}, tenant_id, user_id, now() + ${after(lifetimeMs)}
        FROM app_user WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND disabled_at IS NULL
        ON CONFLICT DO NOTHING`,
    );
    return issued === 1 ? code : null;
  }

  override async redeemCode(code: string): Promise<User | null> {
    const key = secretKey('vbc', code);
    if (!key) return null;
    const { tenantId, hash } = key;
    // Deleting the row is what makes it valid once, whichever processes receive it at the same time.
    const [found] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<readonly { readonly user_id: string; readonly is_valid: boolean }[]>`
        WITH redeemed AS (DELETE FROM sign_in_code c USING app_user u
          WHERE c.tenant_id = ${tenantId}::uuid AND c.code_hash = ${hash} AND u.tenant_id = c.tenant_id AND u.user_id = c.user_id RETURNING c.user_id, c.expires_at, u.disabled_at)
        SELECT user_id, expires_at > now() AND disabled_at IS NULL AS is_valid FROM redeemed`,
    );
    return found?.is_valid ? { tenantId, userId: found.user_id } : null;
  }

  override async begin({ tenantId, userId }: User, terms: SignInTerms): Promise<{ readonly secret: string; readonly principal: Principal }> {
    const { method, groups, userAgent, lifetimeMs } = terms;
    const secret = newSecret('vbs', tenantId);
    const [row] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<readonly PrincipalRow[]>`
        WITH over AS (DELETE FROM sign_in WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND expires_at <= now()),
        begun AS (
          INSERT INTO sign_in (sign_in_id, secret_hash, tenant_id, user_id, method, groups, user_agent, expires_at)
          VALUES (${randomUUID()}::uuid, ${hashOf(secret)}, ${tenantId}::uuid, ${userId}::uuid, ${method}, ${groups}::text[], ${userAgent}, now() + ${after(lifetimeMs)})
          ON CONFLICT (tenant_id, secret_hash) DO UPDATE SET last_used_at = excluded.last_used_at RETURNING *)
        SELECT b.sign_in_id, b.tenant_id, b.user_id, u.role, b.groups, b.expires_at, NULL AS refused, false AS is_due
        FROM begun b JOIN app_user u USING (tenant_id, user_id)`,
    );
    return { secret, principal: principalIn(row!) };
  }

  override async principal(secret: string, idleMs: number, refused: (reason: string) => void): Promise<Principal | null> {
    const key = secretKey('vbs', secret);
    if (!key) {
      refused(UNKNOWN);
      return null;
    }
    return this.#cache.principal(key.hash, async () => {
      const [row] = await this.#database.inTenant(key.tenantId, (client) => client.$queryRaw<readonly PrincipalRow[]>(signInOf(key, idleMs)));
      if (!row || row.refused !== null) {
        refused(row?.refused ?? UNKNOWN);
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
          AND (${cursor}::uuid IS NULL OR (created_at, sign_in_id) < (SELECT created_at, sign_in_id FROM sign_in WHERE tenant_id = ${tenantId}::uuid AND sign_in_id = ${cursor}::uuid))
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
    const key = secretKey('vbs', secret);
    if (!key) return null;
    const { tenantId, hash } = key;
    const [ended] = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<readonly { readonly sign_in_id: string }[]>`
        DELETE FROM sign_in WHERE tenant_id = ${tenantId}::uuid AND secret_hash = ${hash} RETURNING sign_in_id`,
    );
    if (!ended) return null;
    this.#cache.forget(({ signInId }) => signInId === ended.sign_in_id);
    return tenantId;
  }

  override async end(tenantId: string, userId: string | null, id: string): Promise<boolean> {
    if (!isUuid(id)) return false;
    const ended = await this.#database.inTenant(
      tenantId,
      (client) => client.$executeRaw`
        DELETE FROM sign_in WHERE tenant_id = ${tenantId}::uuid AND sign_in_id = ${id}::uuid AND (${userId}::uuid IS NULL OR user_id = ${userId}::uuid)`,
    );
    this.#cache.forget(({ signInId }) => signInId === id);
    return ended === 1;
  }

  async #noteUse({ tenant_id: tenant, sign_in_id: id }: PrincipalRow): Promise<void> {
    await this.#database.inTenant(
      tenant,
      (client) => client.$executeRaw`UPDATE sign_in SET last_used_at = now() WHERE tenant_id = ${tenant}::uuid AND sign_in_id = ${id}::uuid`,
    );
  }
}

/** The use of a sign-in is written when the last one written is older than this, in milliseconds. */
const USE_MS = 600_000;

const after = (ms: number): Prisma.Sql => Prisma.sql`${ms}::float8 * interval '1 millisecond'`;

const UNKNOWN = 'it is unknown or ended';

/** A row that is not accepted says why. is_due: its use is to be written. */
export function signInOf({ tenantId, hash }: SecretKey, idleMs: number): Prisma.Sql {
  return Prisma.sql`SELECT s.sign_in_id, s.tenant_id, s.user_id, u.role, s.groups, s.expires_at,
      CASE WHEN u.disabled_at IS NOT NULL THEN 'the user is disabled' WHEN s.expires_at <= now() THEN 'it has expired'
        WHEN s.last_used_at <= now() - ${after(idleMs)} THEN 'it was not used for too long' END AS refused,
      s.last_used_at < now() - ${after(Math.min(USE_MS, idleMs / 4))} AS is_due
    FROM sign_in s JOIN app_user u USING (tenant_id, user_id) WHERE s.tenant_id = ${tenantId}::uuid AND s.secret_hash = ${hash}`;
}

function principalIn({ tenant_id, user_id, role, groups, sign_in_id, expires_at }: PrincipalRow): Principal {
  return principalOf({ tenantId: tenant_id, userId: user_id, role: roleOf(role), groups, signInId: sign_in_id, expiresAt: expires_at.toISOString() });
}
