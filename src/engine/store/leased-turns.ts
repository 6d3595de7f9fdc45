import type { Job } from '../../ports/index.js';
import type { Database } from '../../platform/postgres/store/prisma.js';

/** A turn that a process runs without the queue. */
export interface LeasedTurn {
  readonly id: string;
  readonly payload: Job['payload'];
  /** The process. */
  readonly holder: string;
  readonly leaseEnd: Date;
}

/** At most `limit` of them, the oldest first, of all tenants. */
export function leasedTurns(database: Database, limit: number): Promise<readonly LeasedTurn[]> {
  return database.ofAllTenants(
    (client) => client.$queryRaw<LeasedTurn[]>`SELECT id, payload, holder, lease_end AS "leaseEnd" FROM leased_turns(${limit}::int)`,
    (client, waitMs) =>
      client.$queryRaw<LeasedTurn[]>`SELECT id, payload, holder, lease_end AS "leaseEnd" FROM reachable_leased_turns(${waitMs}::int, ${limit}::int)`,
  );
}
