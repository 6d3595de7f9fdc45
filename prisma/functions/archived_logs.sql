-- Sessions of all tenants whose logs are archived, after one, in the order of tenants and ids.
CREATE OR REPLACE FUNCTION archived_logs(p_after_tenant uuid, p_after uuid, p_limit int) RETURNS TABLE (tenant_id uuid, session_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT a.tenant_id, a.session_id FROM log_archive a WHERE (a.tenant_id, a.session_id) > (p_after_tenant, p_after) AND a.object IS NOT NULL ORDER BY a.tenant_id, a.session_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION archived_logs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION archived_logs TO verbatim_app;
