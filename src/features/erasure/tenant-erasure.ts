import { randomUUID } from 'node:crypto';
import { Prisma } from '../../generated/prisma/client.js';
import { lockTokens, revokeCredentials } from '../../platform/postgres/store/account-statements.js';
import type { Database } from '../../platform/postgres/store/prisma.js';

/** Who asks, in the log of each session: no user of the tenant. */
const OPERATOR = '00000000-0000-0000-0000-000000000000';

export interface TenantErasure {
  /** Users whose erasures have not ended. */
  readonly open: number;
  /** Sessions that are not erased yet. */
  readonly remaining: number;
  /** Sessions under a legal hold, and the helpers of such, which stay. */
  readonly held: number;
}

/**
 * Disables every user of a tenant, ends their credentials, forgets the tenant's key for the model API, and asks for the erasure of all that they own, in one commit; workers do the rest, however often they are killed. Repeated, it asks for what has come since,
 * and says how far they are. Null: there is no such tenant.
 */
export async function eraseTenant(database: Database, tenantId: string, reason: string | null): Promise<TenantErasure | null> {
  const tenant = Prisma.sql`tenant_id = ${tenantId}::uuid`;
  const users = Prisma.sql`SELECT u.tenant_id, u.user_id FROM app_user u WHERE u.tenant_id = ${tenantId}::uuid
    AND (EXISTS (SELECT FROM session s WHERE s.tenant_id = u.tenant_id AND s.user_id = u.user_id AND s.archived IN (false, true) AND NOT s.is_erased AND NOT is_held(s.tenant_id, s.session_id))
      OR EXISTS (SELECT FROM memory_change m WHERE m.tenant_id = u.tenant_id AND m.user_id = u.user_id))`;
  return database.run((client) =>
    client.$transaction(async (transaction) => {
      await lockTokens(transaction, tenantId);
      const known = await transaction.$queryRaw<object[]>`SELECT FROM tenant WHERE ${tenant}`;
      if (known.length === 0) return null;
      await transaction.$executeRaw`UPDATE app_user SET disabled_at = now() WHERE ${tenant} AND disabled_at IS NULL`;
      await revokeCredentials(transaction, tenantId);
      await transaction.$executeRaw`UPDATE tenant_setting SET value = 'null', updated_at = now() WHERE ${tenant} AND name = 'upstreamKey'`;
      const found = await transaction.$queryRaw<{ readonly user_id: string }[]>(users);
      for (const { user_id: userId } of found) {
        await transaction.$executeRaw`INSERT INTO user_erasure (erasure_id, tenant_id, user_id, requested_by, reason)
          VALUES (${randomUUID()}::uuid, ${tenantId}::uuid, ${userId}::uuid, ${OPERATOR}::uuid, ${reason}::text) ON CONFLICT DO NOTHING`;
      }
      const [progress] = await transaction.$queryRaw<TenantErasure[]>`SELECT
        (SELECT count(*) FROM user_erasure WHERE ${tenant} AND ended_at IS NULL)::int AS open,
        count(*) FILTER (WHERE NOT s.is_held)::int AS remaining, count(*) FILTER (WHERE s.is_held)::int AS held
        FROM (SELECT is_held(tenant_id, session_id) FROM session WHERE ${tenant} AND NOT is_erased) s`;
      return progress!;
    }),
  );
}
