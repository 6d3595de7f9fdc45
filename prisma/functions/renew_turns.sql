-- Extends the leases with which a process holds the turns of these jobs, given as parallel arrays, and returns the jobs that it still holds. A job that is
-- missing is over, waits, or was leased for the queue after its lease had expired.
CREATE OR REPLACE FUNCTION renew_turns(p_holder uuid, p_tenants uuid[], p_jobs text[], p_lease_ms float8) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  lease_end timestamptz := clock_timestamp() + p_lease_ms * interval '1 millisecond';
  job       record;
BEGIN
  -- If a server crash undoes this commit, the leases end earlier.
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR job IN SELECT DISTINCT j.tenant_id, j.job_id FROM unnest(p_tenants, p_jobs) AS j(tenant_id, job_id) ORDER BY 1, 2 LOOP -- in the order of append_batch
    RETURN QUERY UPDATE outbox o SET not_before = lease_end
      WHERE o.tenant_id = job.tenant_id AND o.job_id = job.job_id AND o.holder = p_holder RETURNING o.job_id;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION renew_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION renew_turns TO verbatim_app;
