-- The hashes of the events of all tenants after a place in the feed, in its order, for the transparency log: one value for all of them, because a value per event would
-- cost more than hashing it. Of each event tenant, session, seq and hash. Only transactions older than every open one are returned: a position is assigned when a row is
-- written, but the row becomes visible when its transaction commits, so a cursor with the position alone would skip rows that commit late. An event of another transaction
-- makes is_complete false; the newest event says whether there is one. A comparison with all events would be a scan of the table whenever there is nothing to return, since
-- the planner does not know the horizon.
CREATE OR REPLACE FUNCTION pending_leaves(p_transaction xid8, p_position bigint, p_limit bigint)
RETURNS TABLE (leaves bytea, transaction text, "position" text, is_complete boolean, is_ahead boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  horizon xid8 := pg_snapshot_xmin(pg_current_snapshot()); -- not in the statement: a node would put its own there
  latest  xid8 := pg_snapshot_xmax(pg_current_snapshot());
BEGIN
  RETURN QUERY WITH next AS MATERIALIZED (
    SELECT e.tenant_id, e.session_id, e.seq, e.hash, e.xact_id, e.position FROM event e
    WHERE (e.xact_id, e.position) > (p_transaction, p_position) AND e.xact_id < horizon
    ORDER BY e.xact_id, e.position LIMIT p_limit)
  SELECT string_agg(uuid_send(n.tenant_id) || uuid_send(n.session_id) || int8send(n.seq) || n.hash, ''::bytea),
    (array_agg(n.xact_id::text))[count(*)], (array_agg(n.position::text))[count(*)],
    count(*) < p_limit AND coalesce((SELECT e.xact_id FROM event e ORDER BY e.xact_id DESC, e.position DESC LIMIT 1) < horizon, true),
    p_transaction >= latest
  FROM next n;
END $$;

REVOKE ALL ON FUNCTION pending_leaves FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pending_leaves TO verbatim_app;
