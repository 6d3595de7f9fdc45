-- The next p_limit sessions of all tenants, after one, that did not change for p_idle_ms, in the order of the index of the session list, and whether their logs may be archived (is_cold). No row: there are no more.
-- p_after_…: the last one of the page before; p_after_tenant null: the first page. statement_timestamp: an index is not searched for a time that changes during the search.
CREATE OR REPLACE FUNCTION cold_sessions(
  p_idle_ms float8, p_limit bigint, p_after_tenant uuid, p_after_archived boolean, p_after_time timestamptz, p_after uuid
) RETURNS TABLE (tenant_id uuid, archived boolean, updated_at timestamptz, session_id uuid, is_due boolean, late_seconds float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT n.tenant_id, n.archived, n.updated_at, n.session_id, is_cold(n.tenant_id, n.session_id, p_idle_ms),
    extract(epoch FROM statement_timestamp() - n.updated_at)::float8 - p_idle_ms / 1000
  FROM (
    SELECT f.tenant_id, l.archived, l.updated_at, l.session_id
    FROM (SELECT t.tenant_id, a.archived FROM tenant t CROSS JOIN (VALUES (false), (true)) AS a(archived)
          WHERE p_after_tenant IS NULL OR (t.tenant_id, a.archived) >= (p_after_tenant, p_after_archived) ORDER BY 1, 2) f
      CROSS JOIN LATERAL (
        SELECT s.archived, s.updated_at, s.session_id FROM session s
        WHERE s.tenant_id = f.tenant_id AND s.archived = f.archived AND s.updated_at < statement_timestamp() - p_idle_ms * interval '1 millisecond'
          AND (s.updated_at, s.session_id) > (
            CASE WHEN (f.tenant_id, f.archived) = (p_after_tenant, p_after_archived) THEN p_after_time ELSE '-infinity' END,
            CASE WHEN (f.tenant_id, f.archived) = (p_after_tenant, p_after_archived) THEN p_after ELSE '00000000-0000-0000-0000-000000000000' END)
        ORDER BY s.updated_at, s.session_id LIMIT p_limit) l
    LIMIT p_limit) n;
END $$;

REVOKE ALL ON FUNCTION cold_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cold_sessions TO verbatim_app;
