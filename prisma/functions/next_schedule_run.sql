-- Milliseconds until the next schedule is due, of all tenants; not above zero: one is due. Null: there is none.
CREATE OR REPLACE FUNCTION next_schedule_run() RETURNS float8 LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT extract(epoch FROM min(s.next_run_at) - statement_timestamp())::float8 * 1000 FROM session_schedule s
$$;

REVOKE ALL ON FUNCTION next_schedule_run FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_schedule_run TO verbatim_app;
