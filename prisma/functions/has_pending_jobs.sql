-- Whether a tenant has jobs that are not leased. >= and two columns, for the index: see lease_jobs.
CREATE OR REPLACE FUNCTION has_pending_jobs(p_tenant uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN coalesce(p_tenant = (
    SELECT o.tenant_id FROM outbox o WHERE NOT o.leased AND o.tenant_id >= p_tenant ORDER BY o.tenant_id, o.outbox_id LIMIT 1), false);
END $$;

REVOKE ALL ON FUNCTION has_pending_jobs FROM PUBLIC;
