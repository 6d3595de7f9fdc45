-- Whether the log of a session may be archived: nothing was appended, and the log was not brought back, for p_idle_ms; no turn, prompt, schedule or helper is open; no erasure has begun;
-- and every event is a leaf of the transparency log, which would not find it later.
CREATE OR REPLACE FUNCTION is_cold(p_tenant uuid, p_session uuid, p_idle_ms float8) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  since timestamptz := statement_timestamp() - p_idle_ms * interval '1 millisecond';
  head  bigint;
BEGIN
  SELECT v.version INTO head FROM session s JOIN stream v ON v.tenant_id = s.tenant_id AND v.session_id = s.session_id
    LEFT JOIN log_archive a ON a.tenant_id = s.tenant_id AND a.session_id = s.session_id
  WHERE s.tenant_id = p_tenant AND s.session_id = p_session AND a.object IS NULL
    AND greatest(s.updated_at, v.updated_at, a.restored_at) < since
    AND s.status IN ('idle', 'closed') AND s.queue_length = 0 AND s.turn_id IS NULL AND s.helper_turn_id IS NULL AND NOT s.is_orphaned
    AND NOT EXISTS (SELECT FROM session_schedule c WHERE c.tenant_id = s.tenant_id AND c.session_id = s.session_id)
    AND NOT EXISTS (SELECT FROM session h WHERE h.tenant_id = s.tenant_id AND h.parent_id = s.session_id AND h.helper_turn_id IS NOT NULL)
    AND NOT EXISTS (SELECT FROM erased_session x WHERE x.tenant_id = s.tenant_id AND x.session_id = s.session_id);
  -- The leaves are not where the rows of the tenant are, if the database is distributed.
  RETURN EXISTS (SELECT FROM tlog_run r WHERE r.tenant_id = p_tenant AND r.session_id = p_session AND r.first_seq <= head AND r.first_seq + octet_length(r.hashes) / 32 > head);
END $$;

REVOKE ALL ON FUNCTION is_cold FROM PUBLIC;
