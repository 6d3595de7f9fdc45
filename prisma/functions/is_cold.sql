-- Whether the log of a session may be archived: nothing was appended, and the log was not brought back, for p_idle_ms; no turn, prompt, schedule or helper is open; no erasure has begun;
-- and every event is a leaf of the transparency log, which would not find it later.
CREATE OR REPLACE FUNCTION is_cold(p_tenant uuid, p_session uuid, p_idle_ms float8) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM session s JOIN stream v ON v.tenant_id = s.tenant_id AND v.session_id = s.session_id
      LEFT JOIN log_archive a ON a.tenant_id = s.tenant_id AND a.session_id = s.session_id
    WHERE s.tenant_id = p_tenant AND s.session_id = p_session AND a.object IS NULL
      AND greatest(s.updated_at, v.updated_at, a.restored_at) < statement_timestamp() - p_idle_ms * interval '1 millisecond'
      AND s.status IN ('idle', 'closed') AND s.queue_length = 0 AND s.turn_id IS NULL AND s.helper_turn_id IS NULL AND NOT s.is_orphaned
      AND NOT EXISTS (SELECT FROM session_schedule c WHERE c.tenant_id = s.tenant_id AND c.session_id = s.session_id)
      AND NOT EXISTS (SELECT FROM session h WHERE h.tenant_id = s.tenant_id AND h.parent_id = s.session_id AND h.helper_turn_id IS NOT NULL)
      AND NOT EXISTS (SELECT FROM erased_session x WHERE x.tenant_id = s.tenant_id AND x.session_id = s.session_id)
      AND EXISTS (SELECT FROM tlog_run r WHERE r.tenant_id = s.tenant_id AND r.session_id = s.session_id AND r.first_seq <= v.version AND r.first_seq + octet_length(r.hashes) / 32 > v.version))
$$;

REVOKE ALL ON FUNCTION is_cold FROM PUBLIC;
