-- Sessions of all tenants with an erasure that has steps left and has not made one for p_idle_ms. Without those under a legal hold. Those of one part; null: of all.
CREATE OR REPLACE FUNCTION unfinished_erasures(p_idle_ms float8, p_limit bigint, p_part int) RETURNS TABLE (tenant_id uuid, session_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.tenant_id, s.session_id FROM erased_session e JOIN session s USING (tenant_id, session_id)
  WHERE NOT e.is_complete AND e.updated_at < statement_timestamp() - p_idle_ms * interval '1 millisecond'
    AND (p_part IS NULL OR erasure_part(e.session_id) = p_part)
    AND NOT EXISTS (SELECT FROM legal_hold h WHERE h.tenant_id = s.tenant_id AND h.session_id = s.session_id)
  ORDER BY e.updated_at LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION unfinished_erasures FROM PUBLIC;
GRANT EXECUTE ON FUNCTION unfinished_erasures TO verbatim_app;
