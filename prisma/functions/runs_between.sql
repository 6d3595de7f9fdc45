-- Runs of leaves of the transparency log, of all tenants, which begin between two places in the tree. p_before, p_limit null: no limit.
CREATE OR REPLACE FUNCTION runs_between(p_from bigint, p_before bigint, p_limit bigint) RETURNS SETOF tlog_run
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT r.* FROM tlog_run r WHERE r.first_index >= p_from AND r.first_index < coalesce(p_before, 9223372036854775807) ORDER BY r.first_index LIMIT p_limit
$$;

REVOKE ALL ON FUNCTION runs_between FROM PUBLIC;
GRANT EXECUTE ON FUNCTION runs_between TO verbatim_app;
