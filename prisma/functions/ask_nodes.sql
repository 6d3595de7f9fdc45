-- What each node of a distributed database answers: a look at the shards that it has of one table, on a connection of its own, so that a node that is away answers within p_wait_ms that it is. p_of_shard: the
-- query of one shard, %s in it the shard, which it gives an alias, and {NAME} that of another table with the rows of the same tenants. p_of_node: the query of the node, which returns one value; %s in it is the
-- queries of its shards, joined by UNION ALL. The texts are those of the functions that call this one, and name nothing else. Dynamic, as one Postgres has none of these catalogues.
CREATE OR REPLACE FUNCTION ask_nodes(p_wait_ms int, p_table regclass, p_of_shard text, p_of_node text)
RETURNS TABLE (node text, is_up boolean, shards bigint, answer text)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM set_config('citus.node_connection_timeout', p_wait_ms::text, true);
  RETURN QUERY EXECUTE $sql$
    WITH query AS MATERIALIZED (
      SELECT s.shardid, string_agg(CASE WHEN t.n = 1 THEN t.part ELSE format('public.%I', split_part(t.part, '}', 1) || '_' || o.shardid) || substr(t.part, strpos(t.part, '}') + 1) END, '' ORDER BY t.n) AS text
      FROM pg_dist_shard s CROSS JOIN unnest(string_to_array(format($2, format('public.%I', $4 || '_' || s.shardid)), '{')) WITH ORDINALITY AS t(part, n)
        LEFT JOIN pg_dist_shard o ON t.n > 1 AND o.logicalrelid = to_regclass(format('public.%I', split_part(t.part, '}', 1))) AND o.shardminvalue = s.shardminvalue
      WHERE s.logicalrelid = $1 GROUP BY 1),
    node AS MATERIALIZED (
      SELECT n.nodename AS name, n.nodeport AS port, n.isactive, count(p.shardid) AS shards,
        format($3, coalesce(string_agg(q.text, ' UNION ALL ' ORDER BY p.shardid) FILTER (WHERE p.shardid IS NOT NULL),
          regexp_replace(format($2, format('(SELECT * FROM public.%I WHERE false)', $4)), '{(\w+)}', '(SELECT * FROM public.\1 WHERE false)', 'g'))) AS command
      FROM pg_dist_node n LEFT JOIN (pg_dist_placement p JOIN query q ON q.shardid = p.shardid) ON p.groupid = n.groupid
      WHERE n.noderole = 'primary' GROUP BY n.nodeid HAVING n.shouldhaveshards OR count(p.shardid) > 0),
    asked AS MATERIALIZED (
      SELECT a.* FROM (SELECT array_agg(n.name ORDER BY n.name, n.port) AS names, array_agg(n.port ORDER BY n.name, n.port) AS ports, array_agg(n.command ORDER BY n.name, n.port) AS commands FROM node n) l
        CROSS JOIN LATERAL master_run_on_worker(l.names, l.ports, l.commands, true) a)
    SELECT n.name || ':' || n.port, n.isactive AND a.success, n.shards, CASE WHEN a.success THEN a.result END
    FROM node n JOIN asked a ON a.node_name = n.name AND a.node_port = n.port ORDER BY 1
  $sql$ USING p_table, p_of_shard, p_of_node, (SELECT c.relname FROM pg_class c WHERE c.oid = p_table);
END $$;

REVOKE ALL ON FUNCTION ask_nodes FROM PUBLIC;
