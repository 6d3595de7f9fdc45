-- As read_removals, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION read_reachable_removals(p_wait_ms int) RETURNS TABLE (objects int, oldest float8)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT coalesce(sum((f->>'objects')::int), 0)::int, coalesce(extract(epoch FROM clock_timestamp() - min((f->>'asked_at')::timestamptz)), 0)::float8
  FROM reachable_rows(p_wait_ms, 'object_removal', 'SELECT count(*) AS objects, min(r.asked_at) AS asked_at FROM %s r WHERE r.removing OR r.due_at <= now()', '') f;
END $$;

REVOKE ALL ON FUNCTION read_reachable_removals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_reachable_removals TO verbatim_app;
