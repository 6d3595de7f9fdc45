-- Which of these tenants have their rows on a node of a distributed database that answers within p_wait_ms.
CREATE OR REPLACE FUNCTION reachable_tenants(p_wait_ms int, p_tenants uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT t.tenant_id FROM (SELECT DISTINCT unnest(p_tenants)) AS t(tenant_id)
    JOIN ask_nodes(p_wait_ms, 'tenant', 'SELECT FROM %s s WHERE false', 'SELECT count(*) FROM (%s) t') a ON a.node = node_of(t.tenant_id) AND a.is_up;
END $$;

REVOKE ALL ON FUNCTION reachable_tenants FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_tenants TO verbatim_app;
