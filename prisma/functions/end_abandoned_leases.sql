-- Ends the leases with which processes that have died hold turns, so that the next lease_jobs delivers their jobs, and says which leases are left: a process has died when it is not
-- present and has not renewed its lease, of p_lease_ms, for p_overdue_ms. Null: the caller cannot judge that now.
CREATE OR REPLACE FUNCTION end_abandoned_leases(p_lease_ms float8, p_overdue_ms float8) RETURNS TABLE (ended int, held boolean, queued boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  found int := 0;
BEGIN
  IF p_overdue_ms IS NOT NULL THEN
    -- If a server crash undoes this commit, the leases expire at their own time.
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE outbox o SET not_before = clock_timestamp()
      FROM (SELECT a.tenant_id, a.outbox_id FROM outbox a
            WHERE a.leased AND a.not_before > clock_timestamp() AND a.not_before < clock_timestamp() + (p_lease_ms - p_overdue_ms) * interval '1 millisecond'
              AND a.holder IS NOT NULL AND NOT is_present(a.holder::text)
            FOR UPDATE SKIP LOCKED) abandoned
      WHERE o.tenant_id = abandoned.tenant_id AND o.outbox_id = abandoned.outbox_id;
    GET DIAGNOSTICS found = ROW_COUNT;
  END IF;
  RETURN QUERY SELECT found, EXISTS (SELECT FROM outbox o WHERE o.leased AND o.holder IS NOT NULL), EXISTS (SELECT FROM outbox o WHERE o.leased AND o.holder IS NULL);
END $$;

REVOKE ALL ON FUNCTION end_abandoned_leases FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_abandoned_leases TO verbatim_app;
