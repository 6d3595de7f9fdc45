import type { Database } from '../../platform/postgres/store/prisma.js';
import { type PinOf, Pins } from '../../ports/index.js';

export class PostgresPins extends Pins {
  constructor(private readonly database: Database) {
    super();
  }

  override async pin({ tenantId, userId }: PinOf, sessionId: string, most: number): Promise<boolean> {
    // Two at once may end one above the limit, which only bounds what a list has to show.
    const [row] = await this.database.inTenant(
      tenantId,
      (client) => client.$queryRaw<{ readonly is_pinned: boolean }[]>`
        WITH mine AS (SELECT p.session_id FROM session_pin p WHERE p.tenant_id = ${tenantId}::uuid AND p.user_id = ${userId}::uuid),
        known AS (SELECT EXISTS (SELECT FROM mine WHERE session_id = ${sessionId}::uuid) AS is_pinned),
        added AS (
          INSERT INTO session_pin (tenant_id, user_id, session_id)
          SELECT ${tenantId}::uuid, ${userId}::uuid, ${sessionId}::uuid FROM known WHERE NOT is_pinned AND (SELECT count(*) FROM mine) < ${most}::bigint
          ON CONFLICT DO NOTHING RETURNING 1)
        SELECT is_pinned OR EXISTS (SELECT FROM added) AS is_pinned FROM known`,
    );
    return row!.is_pinned;
  }

  override async unpin({ tenantId, userId }: PinOf, sessionId: string): Promise<boolean> {
    const removed = await this.database.inTenant(
      tenantId,
      (client) =>
        client.$executeRaw`DELETE FROM session_pin WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid AND session_id = ${sessionId}::uuid`,
    );
    return removed > 0;
  }
}
