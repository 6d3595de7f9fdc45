-- Turns that processes run without the queue, under a lease, the oldest first: ids only, over all tenants, for the page of operators.
CREATE OR REPLACE FUNCTION leased_turns(p_limit int) RETURNS TABLE (id text, payload jsonb, holder uuid, lease_end timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT o.job_id, o.payload, o.holder, o.not_before FROM outbox o WHERE o.leased AND o.holder IS NOT NULL ORDER BY o.outbox_id LIMIT p_limit;
END $$;

REVOKE ALL ON FUNCTION leased_turns FROM PUBLIC;
GRANT EXECUTE ON FUNCTION leased_turns TO verbatim_app;
