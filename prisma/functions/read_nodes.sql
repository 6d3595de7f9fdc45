-- The nodes of a distributed database: whether each answers within p_wait_ms, how many shards of tenants it has, and, if it answers, how many tenants and the size of its database. No row of one Postgres.
CREATE OR REPLACE FUNCTION read_nodes(p_wait_ms int) RETURNS TABLE (node text, is_up boolean, shards bigint, tenants bigint, bytes bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT a.node, a.is_up, a.shards, split_part(a.answer, ' ', 1)::bigint, split_part(a.answer, ' ', 2)::bigint
  FROM ask_nodes(p_wait_ms, 'tenant', 'SELECT count(*) AS tenants FROM %s s', $sql$SELECT coalesce(sum(t.tenants), 0) || ' ' || pg_database_size(current_database()) FROM (%s) t$sql$) a;
END $$;

REVOKE ALL ON FUNCTION read_nodes FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_nodes TO verbatim_app;
