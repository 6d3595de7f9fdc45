export const HEAD = `SELECT size::float8 AS leaves, root, note, verifier, transaction::text AS transaction, position::text AS position, created_at
  FROM tlog_checkpoint c ORDER BY c.size DESC LIMIT 1`;

export const PENDING = 'SELECT leaves, transaction, position, is_complete, is_ahead FROM pending_leaves($1::xid8, $2::bigint, $3::bigint)';

export const EXTEND = `SELECT extend_tlog($1::uuid, $2::bigint, $3::bigint, $4::uuid[], $5::uuid[], $6::bigint[], $7::int[], $8::bytea,
  $9::int[], $10::bigint[], $11::bytea, $12::bytea, $13::bytea, $14::text, $15::text, $16::xid8, $17::bigint) AS extended`;

export const FULL_TILES = `SELECT t.level, t.tile_index::float8 AS index, t.hashes FROM tlog_tile t
  JOIN unnest($1::int[], $2::bigint[]) AS wanted(level, index) ON t.level = wanted.level AND t.tile_index = wanted.index`;

/**
 * The hashes of a tile that is not full: of level 0 from the runs, of a higher one from the roots of the full tiles below, in any
 * order.
 */
export const FIRST_LEAVES = 'SELECT hashes FROM runs_between($1::bigint, $2::bigint, NULL)';
export const ROOTS = `SELECT level, tile_index::float8 AS index, root FROM tlog_tile t
  JOIN unnest($1::int[], $2::bigint[]) AS wanted(above, parent) ON t.level = wanted.above - 1 AND t.tile_index >= wanted.parent * 256 AND t.tile_index < (wanted.parent + 1) * 256`;

/** Other names than those of the columns, by which rows are ordered. */
const RUN = 'first_index::float8 AS index, tenant_id::text AS tenant, session_id::text AS session, first_seq::float8 AS seq, hashes';

export const RUNS_OF = `SELECT ${RUN} FROM tlog_run WHERE tenant_id = $1::uuid AND session_id = $2::uuid AND first_seq > $3::bigint
  ORDER BY tenant_id, session_id, first_seq LIMIT $4::bigint`;

export const LAST_RUN_OF = `SELECT ${RUN} FROM tlog_run WHERE tenant_id = $1::uuid AND session_id = $2::uuid AND first_seq <= $3::bigint AND first_index < $4::bigint
  ORDER BY tenant_id DESC, session_id DESC, first_seq DESC LIMIT 1`;

export const EVENT_HASHES = `SELECT string_agg(e.hash, ''::bytea) AS hashes FROM (SELECT hash FROM event
  WHERE tenant_id = $1::uuid AND session_id = $2::uuid AND seq > $3::bigint AND seq <= $3::bigint + $4::bigint ORDER BY seq) e`;

export const LEFT_OUT = 'SELECT seq::float8 AS seq FROM left_out($1::uuid, $2::uuid, $3::bigint, $4::xid8, $5::bigint) AS seq WHERE seq IS NOT NULL';

/** One index step per session, however many runs it has. */
export const LOGGED_SESSIONS = `WITH RECURSIVE known AS (
    (SELECT session_id FROM tlog_run WHERE tenant_id = $1::uuid AND session_id > $2::uuid ORDER BY tenant_id, session_id LIMIT 1)
    UNION ALL
    SELECT (SELECT r.session_id FROM tlog_run r WHERE r.tenant_id = $1::uuid AND r.session_id > k.session_id ORDER BY r.tenant_id, r.session_id LIMIT 1)
    FROM known k WHERE k.session_id IS NOT NULL
  )
  SELECT session_id::text AS id FROM known WHERE session_id IS NOT NULL LIMIT $3::bigint`;

/** The ids in an index of the tenant. */
export const LISTED_SESSIONS = `WITH listed AS MATERIALIZED (SELECT s.session_id FROM session s WHERE s.tenant_id = $1::uuid AND s.session_id > $2::uuid)
  SELECT l.session_id::text AS id FROM listed l ORDER BY l.session_id LIMIT $3::bigint`;

export const SESSIONS_AFTER = 'SELECT tenant_id::text AS "tenantId", session_id::text AS "sessionId" FROM sessions_after($1::uuid, $2::uuid, $3::bigint)';

export const RUNS = `SELECT ${RUN} FROM runs_between($1::bigint, NULL, $2::bigint)`;

export const MISSING_GUARDS = 'SELECT of_table AS "table", problem FROM missing_guards()';

export const RECORD_ANCHOR = `INSERT INTO tlog_anchor (target, size, receipt) VALUES ($1, $2::bigint, $3) ON CONFLICT DO NOTHING`;

/** $1 limit. */
export const ANCHOR_RECEIPTS = `SELECT a.size::float8 AS leaves, c.note, a.target, a.anchored_at, a.receipt
  FROM tlog_anchor a JOIN tlog_checkpoint c USING (size) WHERE a.receipt IS NOT NULL ORDER BY a.size DESC, a.target LIMIT $1`;

export const LAST_ANCHOR = `SELECT a.size::float8 AS leaves, a.anchored_at FROM tlog_anchor a ORDER BY a.size DESC, a.anchored_at LIMIT 1`;

export const STORED_SIGNER = `WITH added AS (INSERT INTO tlog_key (signer) VALUES ($1) ON CONFLICT DO NOTHING RETURNING signer)
  SELECT signer FROM added UNION ALL SELECT signer FROM tlog_key LIMIT 1`;
