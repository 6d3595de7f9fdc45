-- As prune_receipts, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION prune_reachable_receipts(p_wait_ms int, p_max_age_ms float8, p_limit int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  page   text := format('ORDER BY created_at LIMIT %L', p_limit);
  old    record;
  count  int;
  pruned int := 0;
BEGIN
  -- Not that of prune_receipts: a call of it that a silent node has stopped keeps its lock until the node is back.
  IF NOT pg_try_advisory_xact_lock(8150319) THEN -- this function's own key
    RETURN 0;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR old IN
    SELECT r.tenant_id, array_agg(r.command_id) AS commands FROM (
      SELECT o.tenant_id, o.command_id FROM reachable_rows(p_wait_ms, 'receipt', format('SELECT o.tenant_id, o.command_id, o.created_at FROM %%s o WHERE o.created_at < %L::timestamptz %s',
          statement_timestamp() - greatest(make_interval(secs => p_max_age_ms / 1000), interval '1 day'), page), page) f,
        jsonb_populate_record(NULL::receipt, f) o
      ORDER BY o.created_at LIMIT p_limit) r
    GROUP BY 1
  LOOP
    DELETE FROM receipt r WHERE r.tenant_id = old.tenant_id AND r.command_id = ANY (old.commands);
    GET DIAGNOSTICS count = ROW_COUNT;
    pruned := pruned + count;
  END LOOP;
  RETURN pruned;
END $$;

REVOKE ALL ON FUNCTION prune_reachable_receipts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION prune_reachable_receipts TO verbatim_app;
