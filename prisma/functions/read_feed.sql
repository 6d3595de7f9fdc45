-- The events of all tenants after a place in the feed, in its order. Only transactions older than every open one are returned: a position is assigned when a row is
-- written, but the row becomes visible when its transaction commits, so a cursor with the position alone would skip rows that commit late.
CREATE OR REPLACE FUNCTION read_feed(p_transaction xid8, p_position bigint, p_limit bigint) RETURNS SETOF event
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT e.* FROM event e
  WHERE (e.xact_id, e.position) > (p_transaction, p_position) AND e.xact_id < pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY e.xact_id, e.position LIMIT p_limit
$$;

REVOKE ALL ON FUNCTION read_feed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_feed TO verbatim_app;
