-- How far the holders of a task's lease have come; null: nothing was kept.
CREATE OR REPLACE FUNCTION read_progress(p_task text) RETURNS json
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT progress FROM task_lease WHERE task = p_task
$$;

REVOKE ALL ON FUNCTION read_progress FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_progress TO verbatim_app;
