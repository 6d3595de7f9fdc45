-- As end_abandoned_leases, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION end_reachable_leases(p_wait_ms int, p_lease_ms float8, p_overdue_ms float8) RETURNS TABLE (ended int, held boolean, queued boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  total    int := 0;
  ended_at timestamptz(3) := clock_timestamp();
  lease    outbox;
BEGIN
  IF p_overdue_ms IS NOT NULL THEN
    PERFORM set_config('synchronous_commit', 'off', true);
    FOR lease IN SELECT o.* FROM reachable_rows(p_wait_ms, 'outbox', format(
        'SELECT o.tenant_id, o.outbox_id, o.holder, o.not_before FROM %%s o WHERE o.leased AND o.not_before > %L::timestamptz AND o.not_before < %L::timestamptz AND o.holder IS NOT NULL',
        ended_at, ended_at + (p_lease_ms - p_overdue_ms) * interval '1 millisecond'), '') f, jsonb_populate_record(NULL::outbox, f) o
    LOOP
      CONTINUE WHEN is_present(lease.holder::text);
      PERFORM FROM outbox o WHERE o.tenant_id = lease.tenant_id AND o.outbox_id = lease.outbox_id AND o.holder IS NOT DISTINCT FROM lease.holder AND o.not_before = lease.not_before FOR UPDATE SKIP LOCKED; -- as there
      CONTINUE WHEN NOT FOUND;
      UPDATE outbox o SET not_before = ended_at WHERE o.tenant_id = lease.tenant_id AND o.outbox_id = lease.outbox_id;
      total := total + 1;
    END LOOP;
  END IF;
  RETURN QUERY SELECT total, coalesce(bool_or((f->>'held')::boolean), false), coalesce(bool_or((f->>'queued')::boolean), false)
  FROM reachable_rows(p_wait_ms, 'outbox', 'SELECT coalesce(bool_or(o.holder IS NOT NULL), false) AS held, coalesce(bool_or(o.holder IS NULL), false) AS queued FROM %s o WHERE o.leased', '') f;
END $$;

REVOKE ALL ON FUNCTION end_reachable_leases FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_reachable_leases TO verbatim_app;
