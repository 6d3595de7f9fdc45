-- Pending jobs, the age of the oldest in seconds, and queued prompts of running sessions: numbers over all tenants. Reads two small sets of rows.
CREATE OR REPLACE FUNCTION read_backlog() RETURNS TABLE (jobs int, oldest float8, prompts int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT (SELECT count(*) FROM outbox o WHERE NOT o.leased)::int,
    (SELECT coalesce(greatest(extract(epoch FROM clock_timestamp() - min(o.not_before)), 0), 0) FROM outbox o WHERE NOT o.leased)::float8,
    (SELECT coalesce(sum(s.queue_length), 0) FROM session s WHERE s.status = 'running')::int
$$;

REVOKE ALL ON FUNCTION read_backlog FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_backlog TO verbatim_app;
