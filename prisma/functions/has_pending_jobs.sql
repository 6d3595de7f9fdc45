-- Whether a tenant has jobs that are not leased. In an order, so that the index is used and the jobs of other tenants are not read.
CREATE OR REPLACE FUNCTION has_pending_jobs(p_tenant uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM outbox o WHERE NOT o.leased AND o.tenant_id = p_tenant ORDER BY o.tenant_id, o.outbox_id LIMIT 1;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION has_pending_jobs FROM PUBLIC;
