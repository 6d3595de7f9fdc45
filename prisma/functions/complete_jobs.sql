-- Removes completed jobs. Returns true when a tenant of these jobs has pending jobs, which may now be leased.
CREATE OR REPLACE FUNCTION complete_jobs(p_ids text[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  tenants uuid[];
BEGIN
  -- If a server crash undoes this commit, the jobs are delivered again and find nothing to do.
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH deleted AS (DELETE FROM outbox o WHERE o.job_id = ANY (p_ids) RETURNING o.tenant_id)
  SELECT array_agg(DISTINCT d.tenant_id) INTO tenants FROM deleted d;
  RETURN EXISTS (SELECT FROM unnest(tenants) AS t(tenant_id) -- >= and two columns, for the index: see lease_jobs
    WHERE t.tenant_id = (SELECT o.tenant_id FROM outbox o WHERE NOT o.leased AND o.tenant_id >= t.tenant_id ORDER BY o.tenant_id, o.outbox_id LIMIT 1));
END $$;
