-- The tenant for which this transaction reads and writes, which the policies of all tables with rows of tenants compare. Set for one transaction, before its first
-- statement: see src/platform/postgres/connection/tenant-query.ts. Null when it is not set: the policies then show nothing and accept nothing.
CREATE OR REPLACE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT nullif(pg_catalog.current_setting('verbatim.tenant', true), '')::pg_catalog.uuid
$$;

REVOKE ALL ON FUNCTION current_tenant FROM PUBLIC;
GRANT EXECUTE ON FUNCTION current_tenant TO verbatim_app;
