-- Leases up to p_limit jobs for p_lease_ms, so that the caller can hand them to the queue: first the jobs whose lease has
-- expired, then pending jobs, of the tenants with the fewest leased jobs first. A tenant never holds more than p_per_tenant
-- leases at a time.
--
-- The cost must not depend on how many jobs are pending: a look at the next tenant is a step in the index outbox_pending.
CREATE OR REPLACE FUNCTION lease_jobs(p_limit int, p_per_tenant int, p_lease_ms float8)
RETURNS TABLE (queue text, id text, payload jsonb)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  found_at timestamptz := clock_timestamp();
  next     uuid;
  pending  uuid[] := '{}';
  tenants  uuid[]; -- of expired leases, in parallel
  expired  bigint[];
BEGIN
  -- If a server crash undoes this commit, the jobs are only leased again: no need to wait for the WAL flush.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- One caller at a time: each chooses from all pending jobs. The number is this function's own key.
  PERFORM pg_advisory_xact_lock(8150313);
  SELECT o.tenant_id INTO next FROM outbox o WHERE NOT o.leased ORDER BY o.tenant_id LIMIT 1;
  WHILE next IS NOT NULL LOOP
    pending := pending || next;
    SELECT o.tenant_id INTO next FROM outbox o WHERE NOT o.leased AND o.tenant_id > next ORDER BY o.tenant_id LIMIT 1;
  END LOOP;
  SELECT coalesce(array_agg(e.tenant_id), '{}'), coalesce(array_agg(e.outbox_id), '{}') INTO tenants, expired
    FROM (SELECT o.tenant_id, o.outbox_id FROM outbox o WHERE o.leased AND o.not_before <= found_at ORDER BY o.not_before LIMIT p_limit) e;
  RETURN QUERY SELECT * FROM lease_jobs_of(pending, tenants, expired, found_at, p_limit, p_per_tenant, p_lease_ms);
END $$;

REVOKE ALL ON FUNCTION lease_jobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lease_jobs TO verbatim_app;
