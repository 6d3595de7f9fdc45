-- Claims the turn of a job for a worker and returns the number of the claim, its fencing token: append_events rejects reports
-- under any earlier claim. So a worker that lost its job without noticing (frozen, cut off from the queue) does no harm when
-- it continues. Returns null when the job no longer exists: its turn is over or waits.
CREATE OR REPLACE FUNCTION claim_turn(p_tenant uuid, p_session uuid, p_job text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  claimed bigint;
  raised  bigint;
BEGIN
  -- The session lock of append_events: a report is appended either before the claim or not at all.
  PERFORM pg_advisory_xact_lock(session_lock(p_tenant, p_session));
  -- From a sequence, not fence + 1: a job that is added again must not repeat the numbers of the row that it replaces.
  raised := nextval('public.outbox_fence');
  UPDATE outbox o SET fence = raised, holder = NULL WHERE o.tenant_id = p_tenant AND o.job_id = p_job RETURNING o.fence INTO claimed;
  RETURN claimed;
END $$;

REVOKE ALL ON FUNCTION claim_turn FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_turn TO verbatim_app;
