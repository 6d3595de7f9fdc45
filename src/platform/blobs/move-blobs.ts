import { randomUUID } from 'node:crypto';
import { mapLimited } from '../async/map-limited.js';
import type { Database } from '../postgres/store/prisma.js';
import type { ObjectStorage } from './object-storage.js';
import { digestOf, objectName } from './postgres-blobs.js';
import { INTEND } from './statements.js';

export interface Moved {
  readonly files: number;
  /** As stored. */
  readonly bytes: number;
  /** Files that were erased, moved or changed meanwhile, or of which the storage returned other bytes: they are where they were. */
  readonly left: number;
}

interface Row {
  readonly tenant_id: string;
  readonly sha256: Uint8Array;
  readonly bytes: number;
}

const BATCH = 100;

/** Each holds one file in memory, up to 32 MB. */
const CONCURRENCY = 4;

const FIRST = { tenant_id: '00000000-0000-0000-0000-000000000000', sha256: Buffer.alloc(0) };

/**
 * Moves the bytes of files from the database to the object storage, beside running servers: what is stored, encrypted or not, is copied, read back, and only when that has the same SHA-256 removed from its
 * row, in the statement that names the object. May be stopped and repeated at any time; an error of the storage ends it.
 */
export async function moveBlobs(database: Database, objects: ObjectStorage, orphanMs: number): Promise<Moved> {
  const moved = { files: 0, bytes: 0, left: 0 };
  for (let after: Pick<Row, 'tenant_id' | 'sha256'> = FIRST; ;) {
    const { tenant_id, sha256 } = after;
    const rows = await database.run(
      (client) => client.$queryRaw<readonly Row[]>`SELECT tenant_id, sha256, bytes FROM blobs_in_database(${tenant_id}::uuid, ${sha256}::bytea, ${BATCH}::int)`,
    );
    await mapLimited(rows, CONCURRENCY, async (row) => {
      if (await moveOne(database, objects, row, orphanMs)) {
        moved.files += 1;
        moved.bytes += row.bytes;
      } else moved.left += 1;
    });
    const last = rows.at(-1);
    if (!last) return moved;
    after = last;
  }
}

async function moveOne(database: Database, objects: ObjectStorage, { tenant_id: tenant, sha256 }: Row, orphanMs: number): Promise<boolean> {
  const inTenant = <T>(work: Parameters<typeof database.inTenant<T>>[1]): Promise<T> => database.inTenant(tenant, work);
  const [row] = await inTenant(
    (client) =>
      client.$queryRaw<readonly { bytes: Uint8Array | null }[]>`SELECT bytes FROM blob WHERE tenant_id = ${tenant}::uuid AND sha256 = ${sha256}::bytea`,
  );
  if (!row?.bytes) return false;
  const [object, digest] = [randomUUID(), await digestOf(row.bytes)];
  await inTenant((client) => client.$executeRawUnsafe(INTEND, tenant, object, orphanMs));
  await objects.put(objectName(tenant, object), row.bytes, digest);
  const back = await objects.get(objectName(tenant, object), row.bytes.length);
  const isSame = back !== null && (await digestOf(back)).equals(digest);
  const [answer] = isSame
    ? await inTenant(
        (client) =>
          client.$queryRaw<readonly { moved: boolean }[]>`SELECT move_blob(${tenant}::uuid, ${sha256}::bytea, ${object}::uuid, ${digest}::bytea) AS moved`,
      )
    : [];
  if (answer?.moved) return true;
  // What was put is of no use.
  await inTenant(
    (client) => client.$executeRaw`UPDATE object_removal SET due_at = now() WHERE tenant_id = ${tenant}::uuid AND object = ${object}::uuid AND NOT removing`,
  );
  return false;
}
