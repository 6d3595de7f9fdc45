-- Turns of all tenants that have waited longer than p_idle_ms for a decision or a result. One that waits for a helper as well is left to wait: the helper ends by its own limits.
CREATE OR REPLACE FUNCTION expired_waits(p_idle_ms float8, p_limit bigint) RETURNS TABLE (tenant_id uuid, session_id uuid, turn_id uuid, updated_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.tenant_id, s.session_id, s.turn_id, s.updated_at FROM session s
  WHERE s.status = 'waiting' AND s.updated_at < statement_timestamp() - p_idle_ms * interval '1 millisecond'
    AND NOT EXISTS (SELECT FROM session h WHERE h.tenant_id = s.tenant_id AND h.parent_id = s.session_id AND h.parent_turn_id = s.turn_id AND h.helper_turn_id IS NOT NULL)
  ORDER BY s.updated_at LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION expired_waits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION expired_waits TO verbatim_app;
