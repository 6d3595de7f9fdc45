-- Which of these tenants have their rows on a node of a distributed database that answers within p_wait_ms. Dynamic, as one Postgres has none of these catalogues.
CREATE OR REPLACE FUNCTION reachable_tenants(p_wait_ms int, p_tenants uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE $sql$
    SELECT DISTINCT t.tenant_id FROM unnest($1) AS t(tenant_id)
      JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('tenant', t.tenant_id)
      JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
      JOIN ask_nodes($2, 'tenant', 'SELECT FROM %s s WHERE false', 'SELECT count(*) FROM (%s) t') a ON a.node = n.nodename || ':' || n.nodeport AND a.is_up
  $sql$ USING p_tenants, p_wait_ms;
END $$;

REVOKE ALL ON FUNCTION reachable_tenants FROM PUBLIC;
GRANT EXECUTE ON FUNCTION reachable_tenants TO verbatim_app;
