import type { Principal } from '../../../../packages/protocol/access/principal.js';
import type { Prisma } from '../../../generated/prisma/client.js';
import { isUuid } from './row.js';

/**
 * The callers whose credentials do not hold any more, by the clock of the database: the one place that says when credentials end. Streams, tickets and new tokens ask it.
 * The statement sees one tenant. `idleMs` null: how long a sign-in was not used does not matter.
 */
export async function endedOf<Caller extends Principal>(
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  tenantId: string,
  callers: readonly Caller[],
  idleMs: number | null,
): Promise<ReadonlySet<Caller>> {
  const column = (of: (caller: Caller) => string | null | undefined): (string | null)[] => callers.map((caller) => of(caller) ?? null);
  const ids = (of: (caller: Caller) => string | null): (string | null)[] => column((caller) => validOrNull(of(caller)));
  const rows = await client.$queryRaw<readonly { readonly index: bigint }[]>`
    SELECT c.index FROM unnest(${ids(({ userId }) => userId)}::uuid[], ${column(({ role }) => role)}::text[], ${ids(({ tokenId }) => tokenId)}::uuid[],
      ${ids(({ signInId }) => signInId)}::uuid[], ${column(({ expiresAt }) => expiresAt)}::timestamptz[]) WITH ORDINALITY AS c(user_id, role, token_id, sign_in_id, expires_at, index)
    LEFT JOIN app_user u ON u.tenant_id = ${tenantId}::uuid AND u.user_id = c.user_id
    WHERE c.expires_at <= now() OR u.user_id IS NULL OR u.disabled_at IS NOT NULL OR c.role NOT IN ('member', u.role) AND u.role <> 'admin'
      OR c.token_id IS NOT NULL AND NOT EXISTS (SELECT FROM api_token t WHERE t.tenant_id = ${tenantId}::uuid AND t.token_id = c.token_id
        AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()))
      OR c.sign_in_id IS NOT NULL AND NOT EXISTS (SELECT FROM sign_in s WHERE s.tenant_id = ${tenantId}::uuid AND s.sign_in_id = c.sign_in_id
        AND s.expires_at > now() AND (${idleMs}::float8 IS NULL OR s.last_used_at > now() - ${idleMs}::float8 * interval '1 millisecond'))`;
  return new Set(rows.map(({ index }) => callers[Number(index) - 1]!));
}

const validOrNull = (id: string | null): string | null => (id !== null && isUuid(id) ? id : null);
