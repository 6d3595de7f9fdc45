-- Sessions of all tenants that have a log, after one in the order of tenants and ids, for the recurring audit: it would not find by its leaves a session that was kept out of the transparency log.
CREATE OR REPLACE FUNCTION sessions_after(p_after_tenant uuid, p_after uuid, p_limit bigint) RETURNS TABLE (tenant_id uuid, session_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.tenant_id, s.session_id FROM stream s WHERE (s.tenant_id, s.session_id) > (p_after_tenant, p_after) ORDER BY s.tenant_id, s.session_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION sessions_after FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sessions_after TO verbatim_app;
