-- Returns the turns of these jobs, given as parallel arrays, as far as this process holds them: the jobs return to pending, for the queue.
CREATE OR REPLACE FUNCTION release_turns(p_holder uuid, p_tenants uuid[], p_jobs text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  released_at timestamptz := clock_timestamp();
  job         record;
BEGIN
  -- If a server crash undoes this commit, the leases expire at their own time.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- One by one: a distributed database asks the node of the tenant only then.
  FOR job IN SELECT DISTINCT j.tenant_id, j.job_id FROM unnest(p_tenants, p_jobs) AS j(tenant_id, job_id) ORDER BY 1, 2 LOOP -- in the order of append_batch
    UPDATE outbox o SET leased = false, place = NULL, holder = NULL, not_before = released_at WHERE o.tenant_id = job.tenant_id AND o.job_id = job.job_id AND o.holder = p_holder;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION release_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION release_turns TO verbatim_app;
