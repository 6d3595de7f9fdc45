-- How many objects are to be removed now, with those that a process has taken, and for how long one has been due at most, in seconds.
CREATE OR REPLACE FUNCTION read_removals() RETURNS TABLE (objects int, oldest float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT count(*)::int, coalesce(extract(epoch FROM clock_timestamp() - min(r.asked_at)), 0)::float8 FROM object_removal r WHERE r.removing OR r.due_at <= now()
$$;

REVOKE ALL ON FUNCTION read_removals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_removals TO verbatim_app;
