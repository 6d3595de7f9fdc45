-- As next_lease_end and next_schedule_run, in milliseconds, while a node of a distributed database is away: of the tenants of the nodes that answer within p_wait_ms.
CREATE OR REPLACE FUNCTION next_reachable(p_wait_ms int) RETURNS TABLE (lease_ms float8, run_ms float8)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  at timestamptz := clock_timestamp();
BEGIN
  RETURN QUERY SELECT extract(epoch FROM min((f->>'ends_at')::timestamptz) - at)::float8 * 1000, extract(epoch FROM min((f->>'run_at')::timestamptz) - at)::float8 * 1000
  FROM reachable_rows(p_wait_ms, 'outbox', format(
    'SELECT (SELECT min(o.not_before) FROM %%s o WHERE o.leased AND o.not_before > %L::timestamptz) AS ends_at, (SELECT min(s.next_run_at) FROM {session_schedule} s) AS run_at', at), '') f;
END $$;

REVOKE ALL ON FUNCTION next_reachable FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_reachable TO verbatim_app;
