-- As read_archives, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION read_reachable_archives(p_wait_ms int) RETURNS TABLE (logs bigint, bytes bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT coalesce(sum((f->>'logs')::bigint), 0)::bigint, coalesce(sum((f->>'bytes')::bigint), 0)::bigint
  FROM reachable_rows(p_wait_ms, 'log_archive', 'SELECT count(*) AS logs, sum(a.object_bytes) AS bytes FROM %s a WHERE a.object IS NOT NULL', '') f;
END $$;

REVOKE ALL ON FUNCTION read_reachable_archives FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_reachable_archives TO verbatim_app;
