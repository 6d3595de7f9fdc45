-- The first event of a session after p_after that the transparency log has passed by: its place in the feed is not after that of the log, p_transaction and p_position, or its transaction has not begun yet, by the
-- numbers of this server. Null: none.
CREATE OR REPLACE FUNCTION left_out(p_tenant uuid, p_session uuid, p_after bigint, p_transaction xid8, p_position bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  latest xid8 := pg_snapshot_xmax(pg_current_snapshot()); -- not in the statement: a node would put its own there
BEGIN
  RETURN (SELECT e.seq FROM event e WHERE e.tenant_id = p_tenant AND e.session_id = p_session AND e.seq > p_after
    AND ((e.xact_id, e.position) <= (p_transaction, p_position) OR e.xact_id >= latest) ORDER BY e.seq LIMIT 1);
END $$;

REVOKE ALL ON FUNCTION left_out FROM PUBLIC;
GRANT EXECUTE ON FUNCTION left_out TO verbatim_app;
