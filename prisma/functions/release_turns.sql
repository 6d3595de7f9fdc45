-- Returns the turns of these jobs, as far as this process holds them: the jobs return to pending, for the queue.
CREATE OR REPLACE FUNCTION release_turns(p_holder uuid, p_jobs text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- If a server crash undoes this commit, the leases expire at their own time.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE outbox o SET leased = false, holder = NULL, not_before = clock_timestamp() WHERE o.job_id = ANY (p_jobs) AND o.holder = p_holder;
END $$;
