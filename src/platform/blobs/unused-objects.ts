import { UnusedObjects } from '../../ports/index.js';
import { mapLimited } from '../async/map-limited.js';
import type { Database } from '../postgres/store/prisma.js';
import type { ObjectStorage } from './object-storage.js';
import { objectName } from './postgres-blobs.js';

const BATCH = 100;
const CONCURRENCY = 8;

interface Due {
  readonly tenant_id: string;
  readonly object: string;
}

interface Left {
  readonly objects: number;
  readonly oldest: number;
}

/**
 * Removes objects with all their versions. A row of `object_removal` stays until the storage has said that the object is gone, so that nothing is forgotten while it is down. Several processes may do
 * it at the same time; each takes other rows.
 */
export class PostgresUnusedObjects extends UnusedObjects {
  /** `timeoutMs`: how long one removal may take. */
  constructor(
    private readonly database: Database,
    private readonly objects: ObjectStorage | null,
    private readonly timeoutMs: number,
  ) {
    super();
  }

  override get isOn(): boolean {
    return this.objects !== null;
  }

  override async remove(stopped: () => boolean): ReturnType<UnusedObjects['remove']> {
    const { objects } = this;
    if (objects === null) return { failures: [], due: 0, oldestSeconds: 0 };
    // Longer than the batch can take: what this process does not finish is another's then.
    const forMs = (BATCH / CONCURRENCY + 1) * this.timeoutMs;
    const failures: unknown[] = [];
    for (let isMore = true; isMore && !stopped();) {
      const due = await this.database.ofAllTenants(
        (client) => client.$queryRaw<readonly Due[]>`SELECT tenant_id, object FROM claim_removals(${BATCH}::int, ${forMs}::float8)`,
        (client, waitMs) =>
          client.$queryRaw<readonly Due[]>`SELECT tenant_id, object FROM claim_reachable_removals(${waitMs}::int, ${BATCH}::int, ${forMs}::float8)`,
      );
      const before = failures.length;
      // Those that are not tried any more are due again by themselves.
      await mapLimited(due, CONCURRENCY, async (one) => {
        if (!stopped()) await this.#remove(objects, one).catch((error: unknown) => failures.push(error));
      });
      isMore = due.length === BATCH && failures.length - before < BATCH;
    }
    const [left] = await this.database.ofAllTenants(
      (client) => client.$queryRaw<readonly Left[]>`SELECT objects, oldest FROM read_removals()`,
      (client, waitMs) => client.$queryRaw<readonly Left[]>`SELECT objects, oldest FROM read_reachable_removals(${waitMs}::int)`,
    );
    return { failures, due: left?.objects ?? 0, oldestSeconds: left?.oldest ?? 0 };
  }

  async #remove(objects: ObjectStorage, { tenant_id: tenantId, object }: Due): Promise<void> {
    try {
      await objects.remove(objectName(tenantId, object));
    } catch (error) {
      // Later than what has not been tried: one that the storage refuses to remove holds up no other.
      await this.database.inTenant(
        tenantId,
        (client) =>
          client.$executeRaw`UPDATE object_removal SET due_at = now() + interval '1 minute' WHERE tenant_id = ${tenantId}::uuid AND object = ${object}::uuid`,
      );
      throw error;
    }
    await this.database.inTenant(
      tenantId,
      (client) => client.$executeRaw`DELETE FROM object_removal WHERE tenant_id = ${tenantId}::uuid AND object = ${object}::uuid AND removing`,
    );
  }
}
