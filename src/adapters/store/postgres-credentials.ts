import { Credentials } from '../../core/ports.js';
import type { Principal } from '../../core/access/principal.js';
import type { Database } from './prisma.js';
import { isUuid } from './row.js';

export class PostgresCredentials extends Credentials {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async ended<Caller extends Principal>(tenantId: string, callers: readonly Caller[]): Promise<ReadonlySet<Caller>> {
    const ids = (of: (caller: Caller) => string | null): readonly string[] => [
      ...new Set(callers.flatMap((caller) => of(caller) ?? []).filter((id) => isUuid(id))),
    ];
    const [tokens, signIns, users] = [ids(({ tokenId }) => tokenId), ids(({ signInId }) => signInId), ids(({ userId }) => userId)];
    const rows = await this.#database.inTenant(
      tenantId,
      (client) => client.$queryRaw<readonly { readonly id: string }[]>`
        SELECT t.token_id::text AS id FROM api_token t
        WHERE t.tenant_id = ${tenantId}::uuid AND t.token_id = ANY (${tokens}::uuid[]) AND (t.revoked_at IS NOT NULL OR t.expires_at <= now())
        UNION ALL
        SELECT given.id::text FROM unnest(${signIns}::uuid[]) AS given(id)
        WHERE NOT EXISTS (SELECT FROM sign_in s WHERE s.sign_in_id = given.id AND s.tenant_id = ${tenantId}::uuid AND s.expires_at > now())
        UNION ALL
        SELECT u.user_id::text FROM app_user u
        WHERE u.tenant_id = ${tenantId}::uuid AND u.user_id = ANY (${users}::uuid[]) AND u.disabled_at IS NOT NULL`,
    );
    const ended = new Set(rows.map(({ id }) => id));
    return new Set(callers.filter(({ tokenId, signInId, userId }) => [tokenId, signInId, userId].some((id) => id !== null && ended.has(id))));
  }
}
