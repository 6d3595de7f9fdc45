-- Milliseconds until the next lease of a job ends, of all tenants. Null: no job is leased.
CREATE OR REPLACE FUNCTION next_lease_end() RETURNS float8 LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT extract(epoch FROM min(o.not_before) - clock_timestamp())::float8 * 1000 FROM outbox o WHERE o.leased AND o.not_before > clock_timestamp()
$$;

REVOKE ALL ON FUNCTION next_lease_end FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_lease_end TO verbatim_app;
