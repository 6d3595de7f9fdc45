-- The node of a distributed database that has the rows of a tenant, as read_nodes names it. Of the coordinator's catalogues, no node is asked. Dynamic, as one Postgres has none of these catalogues.
CREATE OR REPLACE FUNCTION node_of(p_tenant uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  node text;
BEGIN
  EXECUTE $sql$
    SELECT n.nodename || ':' || n.nodeport FROM pg_dist_placement p JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
    WHERE p.shardid = get_shard_id_for_distribution_column('tenant', $1)
  $sql$ INTO node USING p_tenant;
  RETURN node;
END $$;

REVOKE ALL ON FUNCTION node_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION node_of TO verbatim_app;
