-- Expires every lease of a job that was handed to the queue, so that the next lease_jobs redelivers it. For a queue that may have
-- lost its contents.
CREATE OR REPLACE FUNCTION redeliver_jobs() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  expired_at timestamptz := clock_timestamp();
BEGIN
  -- If a server crash undoes this commit, the leases expire at their own time.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE outbox o SET not_before = expired_at WHERE o.leased AND o.holder IS NULL AND o.not_before > expired_at;
END $$;

REVOKE ALL ON FUNCTION redeliver_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redeliver_jobs TO verbatim_app;
