-- The erasures of users, of all tenants, that are not over, oldest first.
CREATE OR REPLACE FUNCTION open_erasures(p_limit bigint) RETURNS TABLE (erasure_id uuid, tenant_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT e.erasure_id, e.tenant_id FROM user_erasure e WHERE e.ended_at IS NULL ORDER BY e.started_at LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION open_erasures FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_erasures TO verbatim_app;
