import { ENCRYPTION_BYTES } from '../../ports/index.js';

/* Every statement is idempotent. A session reads only the blobs that blob_use lists for it: the hash of a blob alone gives no access. */

/** $1 tenant, $2 session, $3 digest. Returns a row, and lets the session read the blob, if the tenant has it. */
export const USE_KNOWN = `
  WITH known AS (SELECT media_type FROM blob WHERE tenant_id = $1::uuid AND sha256 = $3::bytea),
  used AS (INSERT INTO blob_use (tenant_id, session_id, sha256) SELECT $1::uuid, $2::uuid, $3::bytea FROM known ON CONFLICT DO NOTHING)
  SELECT media_type FROM known`;

/** $1 tenant, $2 object, $3 milliseconds after which it is removed if no file names it. */
export const INTEND = `
  INSERT INTO object_removal (tenant_id, object, asked_at, due_at)
  SELECT $1::uuid, $2::uuid, at, at FROM (SELECT now() + $3::float8 * interval '1 millisecond' AS at) AS times
  ON CONFLICT DO NOTHING`;

/**
 * $1 tenant, $2 session, $3 digest, $4 media type, $5 bytes or $6 the object that has them, $7 their number. Encrypted: $8 the id of the key, $9 the key that wraps it, $10 the wrapped key.
 * An object that is being removed is not named; then, and when the file was erased since, a foreign key is violated. The id of a key is new: ON CONFLICT is for a distributed database, which would
 * otherwise copy the row, and cannot where rows are those of a tenant.
 */
export const STORE = `
  WITH kept AS (SELECT object FROM object_removal WHERE tenant_id = $1::uuid AND object = $6::uuid AND NOT removing FOR UPDATE),
  stored AS (
    INSERT INTO blob (tenant_id, sha256, media_type, bytes, object, object_bytes, data_key)
    SELECT $1::uuid, $3::bytea, $4::text, $5::bytea, $6::uuid, CASE WHEN $6::uuid IS NOT NULL THEN $7::bigint END, $8::uuid
    WHERE $6::uuid IS NULL OR EXISTS (SELECT FROM kept)
    ON CONFLICT DO NOTHING RETURNING object),
  named AS (DELETE FROM object_removal r USING stored s WHERE r.tenant_id = $1::uuid AND r.object = s.object),
  keyed AS (INSERT INTO data_key (id, tenant_id, key_id, wrapped) SELECT $8::uuid, $1::uuid, $9::text, $10::bytea FROM stored WHERE $8::uuid IS NOT NULL ON CONFLICT DO NOTHING)
  INSERT INTO blob_use (tenant_id, session_id, sha256) VALUES ($1::uuid, $2::uuid, $3::bytea) ON CONFLICT DO NOTHING`;

/** $1 tenant, $2 session, $3 digests. */
export const HEADS = `
  SELECT b.sha256, b.media_type, coalesce(b.object_bytes, octet_length(b.bytes))::text AS stored, b.object, b.data_key, k.key_id, k.wrapped
  FROM blob_use u JOIN blob b USING (tenant_id, sha256) LEFT JOIN data_key k ON k.tenant_id = b.tenant_id AND k.id = b.data_key
  WHERE u.tenant_id = $1::uuid AND u.session_id = $2::uuid AND u.sha256 = ANY ($3::bytea[])`;

/** $1 tenant, $2 digest, $3 first byte (the first is 1), $4 number of bytes. */
export const CHUNK = 'SELECT substr(bytes, $3::int, $4::int) AS chunk FROM blob WHERE tenant_id = $1::uuid AND sha256 = $2::bytea';

/** $1 tenant, $2 digests. */
export const SMALL = 'SELECT sha256, bytes FROM blob WHERE tenant_id = $1::uuid AND sha256 = ANY ($2::bytea[])';

/** $1 tenant, $2 session. The length of an out-of-line value is read without the value. */
export const SIZE = `
  SELECT coalesce(sum(coalesce(b.object_bytes, octet_length(b.bytes)) - CASE WHEN b.data_key IS NULL THEN 0 ELSE ${ENCRYPTION_BYTES} END), 0)::text AS bytes
  FROM blob_use u JOIN blob b USING (tenant_id, sha256)
  WHERE u.tenant_id = $1::uuid AND u.session_id = $2::uuid`;

/** $1 tenant, $2 session. */
export const LIST = "SELECT encode(sha256, 'hex') AS sha256 FROM blob_use WHERE tenant_id = $1::uuid AND session_id = $2::uuid ORDER BY sha256";

/** $1 tenant, $2 from session, $3 to session. */
export const SHARE = `
  INSERT INTO blob_use (tenant_id, session_id, sha256)
  SELECT tenant_id, $3::uuid, sha256 FROM blob_use WHERE tenant_id = $1::uuid AND session_id = $2::uuid ORDER BY sha256
  ON CONFLICT DO NOTHING`;
