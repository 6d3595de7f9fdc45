-- Ends the caller's lease, so that another process can take it at once.
CREATE OR REPLACE FUNCTION end_lease(p_task text, p_holder uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE task_lease SET ends_at = clock_timestamp() WHERE task = p_task AND holder = p_holder
$$;

REVOKE ALL ON FUNCTION end_lease FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_lease TO verbatim_app;
