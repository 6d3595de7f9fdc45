-- How many logs of all tenants are archived, and their bytes as stored.
CREATE OR REPLACE FUNCTION read_archives() RETURNS TABLE (logs bigint, bytes bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT count(*), coalesce(sum(a.object_bytes), 0)::bigint FROM log_archive a WHERE a.object IS NOT NULL
$$;

REVOKE ALL ON FUNCTION read_archives FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_archives TO verbatim_app;
