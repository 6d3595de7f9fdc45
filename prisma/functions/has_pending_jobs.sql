-- Whether a tenant has jobs that are not leased.
CREATE OR REPLACE FUNCTION has_pending_jobs(p_tenant uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM outbox o WHERE NOT o.leased AND o.tenant_id = p_tenant);
END $$;

REVOKE ALL ON FUNCTION has_pending_jobs FROM PUBLIC;
