import { Prisma } from '../../generated/prisma/client.js';
import type { MemoryOf } from '../../ports/index.js';

/** A row of memory_change with the stored form of its key. */
export interface MemoryRow {
  readonly file_id: string;
  readonly version: bigint;
  readonly body: string;
  readonly data_key: string | null;
  readonly key_id: string | null;
  readonly wrapped: Uint8Array | null;
  readonly session_id: string | null;
  readonly changed_by: string;
  readonly created_at: Date;
}

const COLUMNS = Prisma.sql`m.file_id, m.version, m.body, m.data_key, k.key_id, k.wrapped, m.session_id, m.changed_by, m.created_at`;
/** The tenant as a value, not as that of m: a distributed database then sees that all of a recursion is on one node. */
const keys = ({ tenantId }: MemoryOf): Prisma.Sql => Prisma.sql`data_key k ON k.tenant_id = ${tenantId}::uuid AND k.id = m.data_key`;
const mine = ({ tenantId, userId }: MemoryOf): Prisma.Sql => Prisma.sql`m.tenant_id = ${tenantId}::uuid AND m.user_id = ${userId}::uuid`;

/** The newest row of every path up to a version (null: of all). One look into the index for each path, however many versions it has. */
export function newestRows(of: MemoryOf, upTo: number | null): Prisma.Sql {
  return Prisma.sql`
  WITH RECURSIVE file AS (
    (SELECT m.file_id FROM memory_change m WHERE ${mine(of)} ORDER BY m.file_id LIMIT 1)
    UNION ALL
    SELECT (SELECT m.file_id FROM memory_change m WHERE ${mine(of)} AND m.file_id > f.file_id ORDER BY m.file_id LIMIT 1) FROM file f WHERE f.file_id IS NOT NULL
  )
  SELECT ${COLUMNS} FROM file f
  CROSS JOIN LATERAL (SELECT * FROM memory_change m WHERE ${mine(of)} AND m.file_id = f.file_id AND m.version <= ${upTo ?? Number.MAX_SAFE_INTEGER}::bigint
    ORDER BY m.version DESC LIMIT 1) m
  LEFT JOIN ${keys(of)}`;
}

/** The newest rows of one path up to a version, newest first. */
export function rowsOfFile(of: MemoryOf, fileId: string, upTo: number | null, limit: number): Prisma.Sql {
  return Prisma.sql`
  SELECT ${COLUMNS} FROM memory_change m LEFT JOIN ${keys(of)}
  WHERE ${mine(of)} AND m.file_id = ${fileId}::uuid AND m.version <= ${upTo ?? Number.MAX_SAFE_INTEGER}::bigint ORDER BY m.version DESC LIMIT ${limit}::bigint`;
}

/** The version that a call has written. */
export function versionOfCall(of: MemoryOf, { sessionId, toolUseId }: { readonly sessionId: string; readonly toolUseId: string }): Prisma.Sql {
  return Prisma.sql`
  SELECT m.version FROM memory_change m WHERE ${mine(of)} AND m.session_id = ${sessionId}::uuid AND m.call_id = ${toolUseId}::text LIMIT 1`;
}
