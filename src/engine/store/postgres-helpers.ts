import { Prisma } from '../../generated/prisma/client.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { isUuid } from '../../platform/postgres/store/row.js';
import { Helpers, type OpenHelper } from '../../ports/index.js';

interface OpenRow {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly parent_id: string;
  readonly runs: boolean;
}

/** Reads the rows of the session list; start_helper has written them in the commit that created the helper. */
export class PostgresHelpers extends Helpers {
  readonly #database: Database;

  constructor(database: Database) {
    super();
    this.#database = database;
  }

  override async open(limit: number, after: OpenHelper | null): Promise<readonly OpenHelper[]> {
    const last = Prisma.sql`${after?.runs ?? null}::boolean, ${after?.tenantId ?? null}::uuid, ${after?.sessionId ?? null}::uuid`;
    const rows = await this.#database.ofAllTenants(
      (client) => client.$queryRaw<OpenRow[]>`SELECT tenant_id, session_id, parent_id, runs
        FROM open_helpers(${limit}::bigint, ${last})`,
      (client, waitMs) => client.$queryRaw<OpenRow[]>`SELECT tenant_id, session_id, parent_id, runs
        FROM reachable_helpers(${waitMs}::int, ${limit}::bigint, ${last})`,
    );
    return rows.map((row) => ({ tenantId: row.tenant_id, sessionId: row.session_id, parentId: row.parent_id, runs: row.runs }));
  }

  override async end(tenantId: string, sessionId: string): Promise<void> {
    await this.#database.inTenant(tenantId, (client) => client.$executeRaw`SELECT end_helper(${tenantId}::uuid, ${sessionId}::uuid)`);
  }

  override async of(tenantId: string, parentId: string): Promise<readonly string[]> {
    if (!isUuid(parentId)) return [];
    const rows = await this.#database.inTenant(
      tenantId,
      (client) =>
        client.$queryRaw<
          { session_id: string }[]
        >`SELECT s.session_id FROM session s WHERE s.tenant_id = ${tenantId}::uuid AND s.parent_id = ${parentId}::uuid ORDER BY s.session_id`,
    );
    return rows.map(({ session_id: id }) => id);
  }
}
