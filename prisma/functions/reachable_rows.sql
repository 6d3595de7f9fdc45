-- Rows that the nodes of a distributed database find, of those that answer within p_wait_ms: what functions of all tenants read while a node is away. p_query: of one shard, as ask_nodes has it. p_page: the order and
-- number of rows that a node answers with at most; the caller puts those of the nodes in the same order.
CREATE OR REPLACE FUNCTION reachable_rows(p_wait_ms int, p_table regclass, p_query text, p_page text) RETURNS SETOF jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT jsonb_array_elements(a.answer::jsonb)
  FROM ask_nodes(p_wait_ms, p_table, '(' || p_query || ')', 'SELECT coalesce(jsonb_agg(to_jsonb(t)), ''[]'') FROM (SELECT * FROM (%s) u ' || p_page || ') t') a WHERE a.is_up;
END $$;

REVOKE ALL ON FUNCTION reachable_rows FROM PUBLIC;
