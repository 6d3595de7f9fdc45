-- Returns the turns of these jobs, given as parallel arrays, as far as this process holds them: the jobs return to pending, for the queue.
CREATE OR REPLACE FUNCTION release_turns(p_holder uuid, p_tenants uuid[], p_jobs text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  released_at timestamptz := clock_timestamp();
BEGIN
  -- If a server crash undoes this commit, the leases expire at their own time.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE outbox o SET leased = false, place = NULL, holder = NULL, not_before = released_at FROM unnest(p_tenants, p_jobs) AS j(tenant_id, job_id)
    WHERE o.tenant_id = j.tenant_id AND o.job_id = j.job_id AND o.holder = p_holder;
END $$;

REVOKE ALL ON FUNCTION release_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION release_turns TO verbatim_app;
