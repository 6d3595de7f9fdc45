import { ENCRYPTION_BYTES } from '../../ports/index.js';

/* Every statement is idempotent. A session reads only the blobs that blob_use lists for it: the hash of a blob alone gives no access. */

/** $1 tenant, $2 session, $3 digest. Returns a row, and lets the session read the blob, if the tenant has it. */
export const USE_KNOWN = `
  WITH known AS (SELECT media_type FROM blob WHERE tenant_id = $1::uuid AND sha256 = $3::bytea),
  used AS (INSERT INTO blob_use (tenant_id, session_id, sha256) SELECT $1::uuid, $2::uuid, $3::bytea FROM known ON CONFLICT DO NOTHING)
  SELECT media_type FROM known`;

/** $1 tenant, $2 session, $3 digest, $4 media type, $5 bytes. */
export const STORE = `
  WITH stored AS (INSERT INTO blob (tenant_id, sha256, media_type, bytes) VALUES ($1::uuid, $3::bytea, $4, $5::bytea) ON CONFLICT DO NOTHING)
  INSERT INTO blob_use (tenant_id, session_id, sha256) VALUES ($1::uuid, $2::uuid, $3::bytea) ON CONFLICT DO NOTHING`;

/** The same with encrypted bytes, and $6 the id of the key, $7 the key that wraps it, $8 the wrapped key. */
export const STORE_ENCRYPTED = `
  WITH stored AS (INSERT INTO blob (tenant_id, sha256, media_type, bytes, data_key) VALUES ($1::uuid, $3::bytea, $4, $5::bytea, $6::uuid) ON CONFLICT DO NOTHING RETURNING true),
  keyed AS (INSERT INTO data_key (id, tenant_id, key_id, wrapped) SELECT $6::uuid, $1::uuid, $7::text, $8::bytea FROM stored)
  INSERT INTO blob_use (tenant_id, session_id, sha256) VALUES ($1::uuid, $2::uuid, $3::bytea) ON CONFLICT DO NOTHING`;

/** $1 tenant, $2 session, $3 digests. */
export const HEADS = `
  SELECT b.sha256, b.media_type, octet_length(b.bytes) AS stored, b.data_key, k.key_id, k.wrapped
  FROM blob_use u JOIN blob b USING (tenant_id, sha256) LEFT JOIN data_key k ON k.tenant_id = b.tenant_id AND k.id = b.data_key
  WHERE u.tenant_id = $1::uuid AND u.session_id = $2::uuid AND u.sha256 = ANY ($3::bytea[])`;

/** $1 tenant, $2 digest, $3 first byte (the first is 1), $4 number of bytes. */
export const CHUNK = 'SELECT substr(bytes, $3::int, $4::int) AS chunk FROM blob WHERE tenant_id = $1::uuid AND sha256 = $2::bytea';

/** $1 tenant, $2 session. The length of an out-of-line value is read without the value. */
export const SIZE = `
  SELECT coalesce(sum(octet_length(b.bytes) - CASE WHEN b.data_key IS NULL THEN 0 ELSE ${ENCRYPTION_BYTES} END), 0)::text AS bytes
  FROM blob_use u JOIN blob b USING (tenant_id, sha256)
  WHERE u.tenant_id = $1::uuid AND u.session_id = $2::uuid`;

/** $1 tenant, $2 session. */
export const LIST = "SELECT encode(sha256, 'hex') AS sha256 FROM blob_use WHERE tenant_id = $1::uuid AND session_id = $2::uuid ORDER BY sha256";

/** $1 tenant, $2 from session, $3 to session. */
export const SHARE = `
  INSERT INTO blob_use (tenant_id, session_id, sha256)
  SELECT tenant_id, $3::uuid, sha256 FROM blob_use WHERE tenant_id = $1::uuid AND session_id = $2::uuid ORDER BY sha256
  ON CONFLICT DO NOTHING`;
