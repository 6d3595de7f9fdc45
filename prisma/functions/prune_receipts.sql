-- Deletes up to p_limit receipts older than p_max_age_ms, and than a day, oldest first, and returns their number. One caller at a time: a concurrent call returns 0.
CREATE OR REPLACE FUNCTION prune_receipts(p_max_age_ms float8, p_limit int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  pruned int;
BEGIN
  IF NOT pg_try_advisory_xact_lock(8150314) THEN -- this function's own key
    RETURN 0;
  END IF;
  -- If a server crash undoes this commit, the next call deletes the same rows.
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM receipt r WHERE (r.tenant_id, r.command_id) IN (
    SELECT o.tenant_id, o.command_id FROM receipt o
    WHERE o.created_at < statement_timestamp() - greatest(make_interval(secs => p_max_age_ms / 1000), interval '1 day') ORDER BY o.created_at LIMIT p_limit);
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $$;

REVOKE ALL ON FUNCTION prune_receipts FROM PUBLIC;
GRANT EXECUTE ON FUNCTION prune_receipts TO verbatim_app;
