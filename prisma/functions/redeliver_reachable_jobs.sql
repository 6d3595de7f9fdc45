-- As redeliver_jobs, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms. The leases of the others end by themselves.
CREATE OR REPLACE FUNCTION redeliver_reachable_jobs(p_wait_ms int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  expired_at timestamptz := clock_timestamp();
  handed     text;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR handed IN
    SELECT DISTINCT f->>'tenant_id' FROM reachable_rows(p_wait_ms, 'outbox', format('SELECT DISTINCT o.tenant_id FROM %%s o WHERE o.leased AND o.holder IS NULL AND o.not_before > %L::timestamptz', expired_at), '') f
  LOOP
    UPDATE outbox o SET not_before = expired_at WHERE o.tenant_id = handed::uuid AND o.leased AND o.holder IS NULL AND o.not_before > expired_at;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION redeliver_reachable_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redeliver_reachable_jobs TO verbatim_app;
