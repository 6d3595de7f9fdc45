-- As open_erasures, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_user_erasures(p_wait_ms int, p_limit bigint) RETURNS TABLE (erasure_id uuid, tenant_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  page text := format('ORDER BY started_at LIMIT %L', p_limit);
BEGIN
  RETURN QUERY SELECT e.erasure_id, e.tenant_id
  FROM reachable_rows(p_wait_ms, 'user_erasure', format('SELECT e.erasure_id, e.tenant_id, e.started_at FROM %%s e WHERE e.ended_at IS NULL %s', page), page) f,
    jsonb_populate_record(NULL::user_erasure, f) e
  ORDER BY e.started_at LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION reachable_user_erasures FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_user_erasures TO verbatim_app;
