-- Keeps how far the holder of a lease has come with its task, for the next holder. False: it holds the lease no longer.
CREATE OR REPLACE FUNCTION keep_progress(p_task text, p_holder uuid, p_fence bigint, p_progress json) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  -- After a crash of the server some is done again: no need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE task_lease SET progress = p_progress WHERE task = p_task AND holder = p_holder AND fence = p_fence;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION keep_progress FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_progress TO verbatim_app;
