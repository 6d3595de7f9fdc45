-- As sessions_after, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_sessions(p_wait_ms int, p_after_tenant uuid, p_after uuid, p_limit bigint) RETURNS TABLE (tenant_id uuid, session_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  page text := format('ORDER BY tenant_id, session_id LIMIT %L', p_limit);
BEGIN
  RETURN QUERY SELECT s.tenant_id, s.session_id
  FROM reachable_rows(p_wait_ms, 'stream', format(
      'SELECT s.tenant_id, s.session_id FROM %%s s WHERE (s.tenant_id, s.session_id) > (%L::uuid, %L::uuid) %s', p_after_tenant, p_after, page), page) f,
    jsonb_to_record(f) AS s(tenant_id uuid, session_id uuid)
  ORDER BY s.tenant_id, s.session_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION reachable_sessions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_sessions TO verbatim_app;
