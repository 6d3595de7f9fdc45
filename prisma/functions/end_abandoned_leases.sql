-- Ends the leases with which processes that have died hold turns, so that the next lease_jobs delivers their jobs, and says which leases are left: a process has died when it is not
-- present and has not renewed its lease, of p_lease_ms, for p_overdue_ms. Null: the caller cannot judge that now.
CREATE OR REPLACE FUNCTION end_abandoned_leases(p_lease_ms float8, p_overdue_ms float8) RETURNS TABLE (ended int, held boolean, queued boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  total    int := 0;
  ended_at timestamptz(3);
  lease    outbox;
BEGIN
  IF p_overdue_ms IS NOT NULL THEN
    -- If a server crash undoes this commit, the leases expire at their own time.
    PERFORM set_config('synchronous_commit', 'off', true);
    ended_at := clock_timestamp();
    FOR lease IN SELECT * FROM outbox o
      WHERE o.leased AND o.not_before > ended_at AND o.not_before < ended_at + (p_lease_ms - p_overdue_ms) * interval '1 millisecond' AND o.holder IS NOT NULL
    LOOP
      CONTINUE WHEN is_present(lease.holder::text);
      -- What another transaction changes is not abandoned, and what it has changed since is another lease.
      PERFORM FROM outbox o WHERE o.tenant_id = lease.tenant_id AND o.outbox_id = lease.outbox_id AND o.holder IS NOT DISTINCT FROM lease.holder AND o.not_before = lease.not_before FOR UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
      UPDATE outbox o SET not_before = ended_at WHERE o.tenant_id = lease.tenant_id AND o.outbox_id = lease.outbox_id;
      total := total + 1;
    END LOOP;
  END IF;
  RETURN QUERY SELECT total, EXISTS (SELECT 1 FROM outbox o WHERE o.leased AND o.holder IS NOT NULL), EXISTS (SELECT 1 FROM outbox o WHERE o.leased AND o.holder IS NULL);
END $$;

REVOKE ALL ON FUNCTION end_abandoned_leases FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_abandoned_leases TO verbatim_app;
