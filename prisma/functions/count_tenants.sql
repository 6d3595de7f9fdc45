-- The number of tenants.
CREATE OR REPLACE FUNCTION count_tenants() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT count(*) FROM tenant
$$;

REVOKE ALL ON FUNCTION count_tenants FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_tenants TO verbatim_app;
